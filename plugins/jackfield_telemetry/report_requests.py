"""From what somebody asks, in words, to a report: the API and the command line ask alike."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Literal, TypeAlias

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_telemetry.reports.answers import USUAL_ANSWERS, AnswersScope, answers, answers_view
from jackfield_telemetry.reports.blocks import HOURS, BlocksScope, block_report
from jackfield_telemetry.reports.periods import TimeSpan, zone_of
from jackfield_telemetry.reports.queries import Pricing, UsageFilter
from jackfield_telemetry.reports.report import MOST_ROWS, Breakdown, Kind, Order, ReportScope, report, span_between
from jackfield_telemetry.reports.views import blocks_view, report_view
from jackfield_telemetry.service import UsageService

MAX = "max"
View: TypeAlias = "Callable[[sqlite3.Connection, Pricing], dict[str, Json]]"
"""Blocks."""


@record
class ReportRequest:
    """As the query of `GET /api/usage/report`. token_limit: digits, `max`, or nothing. within: see `UsageFilter`."""

    kind: Kind = "daily"
    since: str = ""
    until: str = ""
    tz: str = ""
    agent: str = ""
    provider: str = ""
    profile: str = ""
    model: str = ""
    project: str = ""
    breakdown: Breakdown = "model"
    order: Order = "asc"
    limit: int = MOST_ROWS
    hours: int = HOURS
    token_limit: str = ""
    active: bool = False
    within: frozenset[str] | None = None


@record
class AnswersRequest:
    """As the query of `GET /api/usage/answers`."""

    since: str = ""
    until: str = ""
    tz: str = ""
    agent: str = ""
    provider: str = ""
    profile: str = ""
    model: str = ""
    session: str = ""
    limit: int = USUAL_ANSWERS
    within: frozenset[str] | None = None


def requested_answers(service: UsageService, asked: AnswersRequest) -> tuple[dict[str, Json], list[str]]:
    """The answers, and what is damaged. Blocks. Raises `InvalidInput`, `StoreUnavailable`."""
    span = span_between(asked.since, asked.until, zone_of(asked.tz))
    where = UsageFilter(span, asked.profile, asked.model, asked.agent, asked.provider, asked.within)
    wanted = AnswersScope(where, asked.session, asked.limit)
    pricing = service.pricing()
    found = service.ledger.read(lambda connection: answers(connection, pricing, wanted))
    return answers_view(*found), service.warnings()


def requested_report(service: UsageService, asked: ReportRequest) -> tuple[dict[str, Json], list[str]]:
    """The report, and what is damaged. Blocks. Raises `InvalidInput`, `StoreUnavailable`."""
    _, view = asked_view(service, asked)
    pricing = service.pricing()
    service.settle()
    return service.ledger.read(lambda connection: view(connection, pricing)), service.warnings()


def asked_view(service: UsageService, asked: ReportRequest) -> tuple[TimeSpan, View]:
    """Of which time a ledger has to be there, and what makes the report of it. Raises `InvalidInput`."""
    zone = zone_of(asked.tz)
    span = span_between(asked.since, asked.until, zone)
    where = UsageFilter(span, asked.profile, asked.model, asked.agent, asked.provider, asked.within)
    project = asked.project.rstrip("/") or asked.project
    wanted = ReportScope(asked.kind, where, zone, project, asked.breakdown, asked.order, asked.limit)
    limit: int | Literal["max"] = "max" if asked.token_limit == MAX else int(asked.token_limit or 0)
    blocks = BlocksScope(wanted, service.context.clock.now_ms(), asked.hours, limit, asked.active)

    def view(connection: sqlite3.Connection, pricing: Pricing) -> dict[str, Json]:
        if asked.kind == "blocks":
            return blocks_view(block_report(connection, pricing, blocks), blocks)
        return report_view(report(connection, pricing, wanted), wanted)

    # Where a block begins depends on what was before.
    return (TimeSpan() if asked.kind == "blocks" else span), view
