"""The export of usage of all hosts: their rows one behind the other, in the form of one export."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection
from contextlib import aclosing
from datetime import tzinfo
from typing import Protocol, cast

from jackfield.api.asgi import Scope
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.hosts import HostCalls, Hosts, HostUnavailable
from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield.api.storage.ledgers import StoredLedger
from jackfield_telemetry.reports.export import ExportForm
from jackfield_telemetry.reports.queries import UsageFilter

_STAND_INS = "jackfield_telemetry.sharing.standing_in:LedgerStandIns"
_TAIL = 4096
"""Bytes of an export that are looked at for its end; the sentence of one that is not whole is shorter."""


class _Rows:
    """The rows of one export, without the text before and behind them, and without one that breaks off.

    `whole`: whether it has ended as it should.
    """

    def __init__(self, parts: AsyncIterator[bytes], form: ExportForm) -> None:
        self._parts = parts
        self._form = form
        self._quoted = 0
        """Quotes in what was given."""
        self.opening = b""
        self.whole = False

    async def read(self) -> AsyncIterator[bytes]:
        kept, opened = b"", False
        async for part in self._parts:
            kept += part
            if not opened:
                before, found, rest = kept.partition(self._form.opened)
                if not found:
                    continue
                self.opening, kept, opened = before + found, rest, True
            if end := self._last_row(kept, len(kept) - _TAIL):
                self._quoted += self._form.quotes(kept[:end])
                yield kept[:end]
                kept = kept[end:]
        rows = self._without_end(kept) if opened else b""
        if rows:
            yield rows

    def _last_row(self, kept: bytes, limit: int) -> int:
        """Where the last row ends that has another one behind it, within that many bytes; 0: nowhere.

        A text may look like the end of one.
        """
        first, behind = self._form.row
        end = limit
        while (end := kept.rfind(first + behind, 0, max(end, 0))) >= 0:
            if (self._quoted + self._form.quotes(kept[:end])) % 2 == 0:
                return end + len(first)
        return 0

    def _without_end(self, kept: bytes) -> bytes:
        cut, end = kept.rfind(self._form.cut), self._form.end
        if cut >= 0 and b"\n" not in kept[cut:-1]:
            return kept[:cut]
        self.whole = kept.endswith(end) if end else not kept or kept.endswith(self._form.row[0])
        return kept[: len(kept) - len(end)] if self.whole else kept[: self._last_row(kept, len(kept))]


@record
class ExportScope:
    """The content of an export. path: where the others give theirs; scope: of the caller."""

    form: ExportForm
    where: UsageFilter
    zone: tzinfo
    path: str
    scope: Scope


class StandInExports(Protocol):
    """Exports of hosts that do not answer, or are gone."""

    def exports(
        self, form: ExportForm, where: UsageFilter, zone: tzinfo, answered: Collection[str]
    ) -> AsyncIterator[tuple[StoredLedger, AsyncGenerator[bytes]]]:
        """The ledger of a host and its export, but for hosts of these ids. All of it raises `JackfieldError`."""


async def stand_ins(context: PluginContext) -> StandInExports:
    return context.port(cast("Callable[..., StandInExports]", await asyncio.to_thread(load, _STAND_INS)))


async def has_others(context: PluginContext) -> bool:
    """Whether rows may come from elsewhere."""
    hosts = context.port(Hosts)
    if hosts.others:
        return True
    try:
        return any(ledger.id != hosts.here.id for ledger in await context.store.ledgers())
    except JackfieldError:
        return False


async def exported_everywhere(
    context: PluginContext, own: AsyncGenerator[bytes], asked: ExportScope, standing: StandInExports
) -> AsyncIterator[bytes]:
    """own: this host's export. A host that has no whole one, and nothing that stands for it, makes the whole end as one
    that is not."""
    async with aclosing(own):
        async for part in _everywhere(context, own, asked, standing):
            yield part


async def _everywhere(
    context: PluginContext, own: AsyncGenerator[bytes], asked: ExportScope, standing: StandInExports
) -> AsyncIterator[bytes]:
    form, hosts = asked.form, context.port(Hosts)
    rows = _Rows(own, form)
    opening, any_row = b"", False
    missing: dict[str, str] = {}  # by ids: a host that is gone may have had a name that another one has now
    public = bool(asked.scope.get("jackfield.public_host"))
    async for part in rows.read():
        if not opening:
            opening = rows.opening
            yield opening
        any_row = True
        yield part
    if not opening:
        yield rows.opening
    if not rows.whole:
        missing[hosts.here.id] = hosts.here.name
    answered = {hosts.here.id}
    for host in hosts.others:
        begun = False
        try:
            async with context.port(HostCalls).stream(host, asked.path, asked.scope) as parts:
                theirs = _Rows(parts, form)
                async for part in theirs.read():
                    if not begun and any_row:
                        yield form.between
                    begun = any_row = True
                    yield part
                if not theirs.whole:
                    missing[host.id] = host.name
        except JackfieldError:
            missing[host.id] = host.name
        if begun or host.id not in missing:
            answered.add(host.id)
    try:
        async for ledger, export in standing.exports(form, asked.where, asked.zone, answered):
            if ledger.inside and public:
                continue
            theirs = _Rows(export, form)
            begun = False
            try:
                async for part in theirs.read():
                    if not begun and any_row:
                        yield form.between
                    begun = any_row = True
                    yield part
            except JackfieldError:
                theirs.whole = False
            if theirs.whole:
                missing.pop(ledger.id, None)
            else:
                missing[ledger.id] = ledger.name
    except JackfieldError:
        missing["store"] = "those that the store knows of"
    if missing:
        names = ", ".join(dict.fromkeys(missing.values()))
        yield form.broken(HostUnavailable(f"These hosts did not give all of theirs: {names}."))
    elif form.end:
        yield form.end
