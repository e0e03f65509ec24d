"""The views of `/api/usage`."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Collection, Iterator
from urllib.parse import urlencode

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.http import asks_one_host, read_query, request_scope, save_as, success
from jackfield_telemetry.http.exporting import ExportScope, exported_everywhere, has_others, stand_ins
from jackfield_telemetry.http.reach import seen_profiles
from jackfield_telemetry.http.report_schemas import AnswersQuery, ReportQuery
from jackfield_telemetry.http.schemas import ExportQuery, ImportQuery, UsageQuery
from jackfield_telemetry.http.streaming import begun, streamed
from jackfield_telemetry.importing.imports import import_sentence
from jackfield_telemetry.report_requests import AnswersRequest, ReportRequest, requested_answers, requested_report
from jackfield_telemetry.reports.export import (
    BY,
    FORMS,
    limited,
    row_of,
    told_if_broken,
)
from jackfield_telemetry.reports.periods import LABELS, span_of, zone_of
from jackfield_telemetry.reports.queries import UsageFilter, slices
from jackfield_telemetry.reports.summary import usage_view
from jackfield_telemetry.service import UsageService, sources_of

_MOST_WARNINGS = 20


async def usage(context: PluginContext) -> Response:
    """`GET /api/usage`."""
    query, service = read_query(UsageQuery), context.port(UsageService)
    zone, where = zone_of(query.tz), _filter(context, query, await seen_profiles(context, query.project_id))

    def work() -> tuple[object, list[str]]:
        found = service.summary(where, zone)
        return usage_view(found, LABELS[query.period]), [*service.warnings(), *_without_price(found.unpriced)]

    data, warnings = await asyncio.to_thread(work)
    return success(data, warnings=warnings)


def _without_price(models: Collection[str]) -> list[str]:
    if not models:
        return []
    named = ", ".join(sorted(models)[:_MOST_WARNINGS])
    return [f"The price of {named} is not known; it is in no cost. Sync the registry for newer prices."]


async def import_agent(context: PluginContext) -> Response:
    """`POST /api/usage/import-agent`."""
    query, service = read_query(ImportQuery), context.port(UsageService)
    environment = dict(os.environ)
    sources = await asyncio.to_thread(sources_of, service, query.agent, query.agent_dir, environment)
    if not sources and query.agent is None:
        return success("No agent's log was found; 0 tokens imported.")
    done = await service.import_all(sources)
    problems = [problem for one in done for problem in one.problems]
    return success(import_sentence(done), warnings=problems[:_MOST_WARNINGS])


async def export(context: PluginContext) -> Response:
    """`GET /api/usage/export`."""
    query, service = read_query(ExportQuery), context.port(UsageService)
    zone, limit = zone_of(query.tz), service.settings.export_limit
    where = _filter(context, query, await seen_profiles(context, query.project_id))

    form = FORMS[query.format]

    def parts() -> Iterator[bytes]:
        pricing = service.pricing()
        service.settle()

        def work(connection: sqlite3.Connection) -> Iterator[bytes]:
            found = slices(connection, where, pricing, BY, zone)
            return form.parts(limited(map(row_of, found), limit))

        yield from service.ledger.stream(work)

    own = streamed(told_if_broken(parts(), form.broken))
    content: AsyncIterator[bytes] = own
    if not asks_one_host() and await has_others(context):
        asked = ExportScope(form, where, zone, _target(query), request_scope())
        content = exported_everywhere(context, own, asked, await stand_ins(context))
    answer = Response(begun(await anext(content), content), content_type="text/csv; charset=utf-8")
    if query.format == "json":
        answer.content_type = "application/json"
    save_as(answer, f"usage.{query.format}")
    return answer


async def report(context: PluginContext) -> Response:
    """`GET /api/usage/report`."""
    query, service = read_query(ReportQuery), context.port(UsageService)
    within = await seen_profiles(context, query.project_id)
    asked = ReportRequest(**query.model_dump(exclude={"project_id"}), within=within)
    data, warnings = await asyncio.to_thread(requested_report, service, asked)
    return success(data, warnings=warnings)


async def answers(context: PluginContext) -> Response:
    """`GET /api/usage/answers`."""
    query, service = read_query(AnswersQuery), context.port(UsageService)
    within = await seen_profiles(context, query.project_id)
    asked = AnswersRequest(**query.model_dump(exclude={"project_id"}), within=within)
    data, warnings = await asyncio.to_thread(requested_answers, service, asked)
    return success(data, warnings=warnings)


def _target(query: ExportQuery) -> str:
    """The same question to another host."""
    asked = {name: value for name, value in query.model_dump().items() if value}
    return f"/api/usage/export?{urlencode(asked)}"


def _filter(context: PluginContext, query: UsageQuery, within: frozenset[str] | None) -> UsageFilter:
    """Raises `InvalidInput`."""
    span = span_of(query.period, context.clock.now_ms(), zone_of(query.tz))
    return UsageFilter(span, query.profile, query.model, query.agent, query.provider, within)
