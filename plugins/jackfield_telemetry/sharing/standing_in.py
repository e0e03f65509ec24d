"""The stand-ins for hosts that do not answer, or are gone: reports of the usage that they have told the store."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import tzinfo
from functools import partial
from typing import TypeAlias, cast

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostUnavailable, StandIn
from jackfield.api.http import parse_model
from jackfield.api.jsontext import Json
from jackfield.api.storage.ledgers import StoredLedger
from jackfield_telemetry.http.reach import seen_profiles
from jackfield_telemetry.http.report_schemas import ReportQuery
from jackfield_telemetry.http.schemas import UsageQuery
from jackfield_telemetry.http.streaming import streamed
from jackfield_telemetry.report_requests import ReportRequest, asked_view
from jackfield_telemetry.reports.export import BY, ExportForm, limited, row_of, told_if_broken
from jackfield_telemetry.reports.periods import LABELS, TimeSpan, span_of, zone_of
from jackfield_telemetry.reports.queries import UsageFilter, slices
from jackfield_telemetry.reports.summary import summarise, usage_view
from jackfield_telemetry.service import UsageService
from jackfield_telemetry.sharing.days import DamagedDay, add, opened, used
from jackfield_telemetry.sharing.tracking import DAY_MS

_TOGETHER = 50
"""Days that are read at once."""
_AT_ONCE = 2
"""Reports that are made at a time, each of one ledger in memory.

There are as many exports, which take as long as their callers take to read them, and would hold up reports.
"""
_EVER = 2**40
Row: TypeAlias = "dict[str, Json]"
Made: TypeAlias = "Callable[[sqlite3.Connection], dict[str, Json]]"


class LedgerStandIns:
    """Reports of ledgers in the store."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._service = context.port(UsageService)
        self._reporting, self._exporting = (asyncio.Semaphore(_AT_ONCE) for _ in range(2))

    async def statistics(self, query: Mapping[str, str], answered: Collection[str]) -> Sequence[StandIn]:
        """Of `GET /api/usage`, for each ledger but those of these hosts. Raises `StoreUnavailable`."""
        if not (ledgers := await self.absent(answered)):
            return []
        asked = parse_model(UsageQuery, query)
        zone = zone_of(asked.tz)
        span = span_of(asked.period, self._context.clock.now_ms(), zone)
        within = await seen_profiles(self._context, asked.project_id)
        where = UsageFilter(span, asked.profile, asked.model, asked.agent, asked.provider, within)
        pricing = await asyncio.to_thread(self._service.pricing)

        def made(connection: sqlite3.Connection) -> Row:
            return usage_view(summarise(connection, where, pricing, zone), LABELS[asked.period])

        return [await self._stand_in(ledger, span, made, _groups) for ledger in ledgers]

    async def report(self, query: Mapping[str, str], answered: Collection[str]) -> Sequence[StandIn]:
        """The same of `GET /api/usage/report`."""
        if not (ledgers := await self.absent(answered)):
            return []
        given = parse_model(ReportQuery, query)
        within = await seen_profiles(self._context, given.project_id)
        asked = ReportRequest(**given.model_dump(exclude={"project_id"}), within=within)
        span, view = asked_view(self._service, asked)
        pricing = await asyncio.to_thread(self._service.pricing)
        return [await self._stand_in(ledger, span, lambda given: view(given, pricing), _rows) for ledger in ledgers]

    async def exports(
        self, form: ExportForm, where: UsageFilter, zone: tzinfo, answered: Collection[str]
    ) -> AsyncIterator[tuple[StoredLedger, AsyncGenerator[bytes]]]:
        """Each ledger but those of these hosts, and its export. Raises `StoreUnavailable`; an export raises it too, and
        `HostUnavailable`."""
        for ledger in await self.absent(answered):
            yield ledger, self._export(ledger, form, where, zone)

    async def _export(
        self, ledger: StoredLedger, form: ExportForm, where: UsageFilter, zone: tzinfo
    ) -> AsyncGenerator[bytes]:
        pricing = await asyncio.to_thread(self._service.pricing)
        row, limit = partial(row_of, as_of=iso(ledger.as_of)), self._service.settings.export_limit
        try:
            async with self._exporting, self._opened(ledger, where.span) as connection:
                found = () if connection is None else slices(connection, where, pricing, BY, zone)
                rows = limited(map(row, found), limit)
                async with aclosing(streamed(told_if_broken(form.parts(rows), form.broken))) as parts:
                    async for part in parts:
                        yield part
        except DamagedDay as exc:
            raise HostUnavailable(f"The usage that {ledger.name} has told cannot be read: {exc}.") from None

    async def absent(self, answered: Collection[str]) -> list[StoredLedger]:
        """Ledgers in the store of hosts other than these. Raises `StoreUnavailable`."""
        return [ledger for ledger in await self._context.store.ledgers() if ledger.id not in answered]

    @asynccontextmanager
    async def _opened(self, ledger: StoredLedger, span: TimeSpan) -> AsyncIterator[sqlite3.Connection | None]:
        """It in memory, as far as it belongs to the span; None: there is nothing. Raises `DamagedDay`,
        `StoreUnavailable`."""
        connection = await asyncio.to_thread(opened, ())
        try:
            yield connection if await self._fill(connection, ledger, span) else None
        finally:
            await asyncio.to_thread(connection.close)

    async def _fill(self, connection: sqlite3.Connection, ledger: StoredLedger, span: TimeSpan) -> bool:
        """Whether anything was used then."""
        first = -_EVER if span.start is None else span.start // DAY_MS
        last = _EVER if span.end is None else (span.end - 1) // DAY_MS
        while found := await self._context.store.ledger_days(ledger.id, first, last, _TOGETHER):
            await asyncio.to_thread(add, connection, [day.data for day in found])
            first = found[-1].day + 1
        return await asyncio.to_thread(used, connection, span)

    async def _stand_in(
        self, ledger: StoredLedger, span: TimeSpan, made: Made, marked: Callable[[Row], Sequence[Row]]
    ) -> StandIn:
        try:
            async with self._reporting, self._opened(ledger, span) as connection:
                data = None if connection is None else await asyncio.to_thread(made, connection)
        except DamagedDay as exc:
            trouble = f"what it has told of its usage cannot be read: {exc}"
            return StandIn(ledger.name, ledger.id, ledger.as_of, None, trouble, ledger.inside)
        if data is None:
            return StandIn(ledger.name, ledger.id, ledger.as_of, None, inside=ledger.inside)
        moment = iso(ledger.as_of)
        for row in (data, *marked(data)):
            row["as_of"] = moment
        return StandIn(ledger.name, ledger.id, ledger.as_of, data, inside=ledger.inside)


def _groups(data: Row) -> list[Row]:
    groups = cast("Mapping[str, Mapping[str, Row]]", data["aggregates"])
    return [group for named in groups.values() for group in named.values()]


def _rows(data: Row) -> list[Row]:
    return cast("list[Row]", data["rows"])
