"""`/api/usage`: statistics, imports, export."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, Full, Queue
from typing import TYPE_CHECKING

from quart import Blueprint, Response

from jackfield.api.http import operation, read_query, success

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield_telemetry.importing import Imported
    from jackfield_telemetry.queries import Where
    from jackfield_telemetry.schemas import UsageQuery
    from jackfield_telemetry.service import UsageService

TAGS = ("usage",)
_SCHEMAS = "jackfield_telemetry.schemas"
_MOST_WARNINGS = 20
EXPORT_IDLE_SECONDS = 60
"""How long an export waits for its reader to take the next part."""


class UsageRoutes:
    """Views on usage."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def _service(self) -> UsageService:
        from jackfield_telemetry.service import UsageService

        return self._context.port(UsageService)

    @operation(
        "Tokens and cost of a period",
        scope=None,
        query=f"{_SCHEMAS}:UsageQuery",
        response=f"{_SCHEMAS}:UsageAnswer",
        tags=TAGS,
    )
    async def usage(self) -> Response:
        from jackfield_telemetry.periods import LABELS, zone_of
        from jackfield_telemetry.schemas import UsageQuery
        from jackfield_telemetry.summary import usage_view

        query = read_query(UsageQuery)
        zone, service = zone_of(query.tz), self._service
        where = self._where(query)

        def work() -> tuple[object, list[str]]:
            return usage_view(service.summary(where, zone), LABELS[query.period]), service.warnings()

        data, warnings = await asyncio.to_thread(work)
        return success(data, warnings=warnings)

    def _where(self, query: UsageQuery) -> Where:
        """Raises `InvalidInput`."""
        from jackfield_telemetry.periods import span_of, zone_of
        from jackfield_telemetry.queries import Where

        span = span_of(query.period, self._context.clock.now_ms(), zone_of(query.tz))
        return Where(span, query.profile, query.model, query.agent, query.provider)

    @operation(
        "Count what is new in agents' own logs",
        scope=None,
        query=f"{_SCHEMAS}:ImportQuery",
        response=f"{_SCHEMAS}:ImportAnswer",
        tags=TAGS,
    )
    async def import_agent(self) -> Response:
        from jackfield_telemetry.schemas import ImportQuery
        from jackfield_telemetry.service import sources_of

        query, service = read_query(ImportQuery), self._service
        environment = dict(os.environ)
        sources = await asyncio.to_thread(sources_of, service, query.agent, query.agent_dir, environment)
        if not sources and query.agent is None:
            return success("No agent's log was found; 0 tokens imported.")
        done = await service.import_all(sources)
        problems = [problem for one in done for problem in one.problems]
        return success(import_sentence(done), warnings=problems[:_MOST_WARNINGS])

    @operation("All usage as CSV or JSON", scope=None, query=f"{_SCHEMAS}:ExportQuery", tags=TAGS)
    async def export(self) -> Response:
        from jackfield_telemetry import export
        from jackfield_telemetry.export import BY, csv_parts, json_parts, limited, row_of
        from jackfield_telemetry.periods import zone_of
        from jackfield_telemetry.queries import slices
        from jackfield_telemetry.schemas import ExportQuery

        query, service = read_query(ExportQuery), self._service
        where, zone, limit = self._where(query), zone_of(query.tz), service.settings.export_limit

        def parts() -> Iterator[bytes]:
            pricing = service.pricing()
            service.settle()

            def work(connection: sqlite3.Connection) -> Iterator[bytes]:
                found = slices(connection, where, pricing, BY, zone)
                rows = limited(map(row_of, found), limit)
                return csv_parts(rows) if query.format == "csv" else json_parts(rows)

            yield from service.ledger.stream(work)

        broken = export.csv_broken if query.format == "csv" else export.json_broken
        content = streamed(export.told_if_broken(parts(), broken))
        answer = Response(begun(await anext(content), content), content_type="text/csv; charset=utf-8")
        if query.format == "json":
            answer.content_type = "application/json"
        answer.headers["Content-Disposition"] = f"attachment; filename=usage.{query.format}"
        return answer


async def begun(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """All of it again, once the first part is there."""
    yield first
    async for part in rest:
        yield part


async def streamed(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Parts that a thread makes, each when the one before was taken."""
    queue: Queue[bytes | BaseException | None] = Queue(4)
    gone = False

    def make() -> None:
        last: BaseException | None = None
        try:
            for part in parts:
                queue.put(part, timeout=EXPORT_IDLE_SECONDS)
                if gone:
                    return
        except Full:
            return
        except Exception as exc:
            last = exc
        queue.put(last)

    def take() -> bytes | BaseException | None:
        try:
            return queue.get(timeout=EXPORT_IDLE_SECONDS)
        except Empty:
            return TimeoutError("the export has stalled")

    # A thread of its own: clients that have stalled must not hold those that everybody shares.
    own = ThreadPoolExecutor(1, "jackfield-usage-export")
    making = asyncio.get_running_loop().run_in_executor(own, make)
    try:
        while (part := await asyncio.to_thread(take)) is not None:
            if isinstance(part, BaseException):
                raise part
            yield part
        await making
    finally:
        gone = True
        while not queue.empty():
            queue.get_nowait()
        own.shutdown(wait=False)


def import_sentence(done: Sequence[Imported]) -> str:
    """What was new: `Imported 1,234 tokens in 5 answers from 2 of 3 files (claude).`"""
    tokens = sum(one.added.tokens.total for one in done)
    entries = sum(one.added.entries for one in done)
    files, seen = sum(one.files for one in done), sum(one.seen for one in done)
    agents = ", ".join(sorted({one.agent for one in done})) or "no log found"
    return f"Imported {tokens:,} tokens in {entries:,} answers from {files:,} of {seen:,} files ({agents})."


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views = UsageRoutes(context)
    made = Blueprint("usage", __name__, url_prefix="/api/usage")
    made.add_url_rule("", view_func=views.usage, methods=["GET"])
    made.add_url_rule("/import-agent", view_func=views.import_agent, methods=["POST"])
    made.add_url_rule("/export", view_func=views.export, methods=["GET"])
    return [made]
