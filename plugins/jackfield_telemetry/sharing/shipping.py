"""Tells the store that hosts share what this host's ledger has: days that have changed, each as a whole."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.hosts import Hosts
from jackfield.api.storage.ledgers import MOST_DAY_BYTES, LedgerDay, StoredLedger
from jackfield_telemetry.service import UsageService
from jackfield_telemetry.settings import TelemetrySettings
from jackfield_telemetry.sharing.days import packed
from jackfield_telemetry.sharing.tracking import DAY_MS, pass_over, track, versions

_TOGETHER = 16
"""Days of one write."""
_FIRST_S = 5.0
"""Longest time from the start until the first look."""
LAST_S = 5.0
"""Seconds for what has changed last, at an orderly end."""


class LedgerSharing:
    """One per daemon whose store others share."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(TelemetrySettings)
        self._service = context.port(UsageService)
        self._told: dict[int, int] | None = None
        """Versions of days that the store has; None: it was not asked yet."""
        self._complete = 0
        """The store has all usage that was counted until then, Unix ms; 0: nobody knows."""
        self._forgotten_before = 0
        self._complained = False
        self._turn = asyncio.Lock()

    async def run(self) -> None:
        """As long as the daemon lives."""
        clock, interval = self._context.clock, self._settings.share_interval
        await clock.sleep(min(_FIRST_S, interval))
        while True:
            await self._attempt()
            await clock.sleep(interval)

    async def finish(self) -> None:
        """At an orderly end."""
        try:
            async with asyncio.timeout(LAST_S):
                await self._attempt()
        except TimeoutError:
            self._context.log.warning(
                "The last usage of this host is not in the store; it gets there after its next start."
            )

    async def _attempt(self) -> None:
        """One failure of an outage is logged. The next attempt comes after any failure, such as a full disk."""
        try:
            await self.share()
        except Exception as exc:
            if not self._complained:
                self._complain(exc)
            self._complained = True
        else:
            self._complained = False

    def _complain(self, failure: Exception) -> None:
        if isinstance(failure, JackfieldError | OSError):
            told = failure.message if isinstance(failure, JackfieldError) else failure.strerror or str(failure)
            self._context.log.warning("The usage of this host is not in the store now: %s", told)
        else:
            self._context.log.error("The usage of this host is not in the store now.", exc_info=failure)

    async def share(self) -> None:
        """Tell what has changed. Repeated, it tells nothing twice. Raises `StoreUnavailable`."""
        async with self._turn:
            host = self._context.port(Hosts).here
            if not host.id:  # it has not registered yet
                return
            now, store = self._context.clock.now_ms(), self._context.store
            inside = self._context.service.inside
            first = now // DAY_MS - self._settings.share_days
            if self._told is None:
                self._told = dict(await store.ledger_versions(host.id))
            found = await asyncio.to_thread(self._changed, first)
            if not found:  # nor has a host that never used anything to be remembered
                return
            left = sorted((day for day, version in found.items() if self._told.get(day) != version), reverse=True)
            days = iter(left)
            while part := list(islice(days, _TOGETHER)):
                made = await asyncio.to_thread(self._packed, part)
                await store.put_ledger(StoredLedger(host.id, host.name, self._complete, inside), made)
                self._told |= {day.day: day.version for day in made}
            await store.put_ledger(StoredLedger(host.id, host.name, now, inside), [])
            self._complete = now
            if first != self._forgotten_before:
                await store.forget_ledger_days(first)
                self._forgotten_before = first

    def _changed(self, first: int) -> Mapping[int, int] | None:
        """Versions of days. None: a damaged ledger has a stand-in, which says nothing of what there was."""
        self._service.settle()
        told = {day: version for day, version in (self._told or {}).items() if day >= first}

        def tracked(connection: sqlite3.Connection) -> dict[int, int]:
            track(connection)
            pass_over(connection, told)
            return versions(connection, first)

        found = self._service.ledger.write(tracked)
        return None if self._service.ledger.trouble is not None else found

    def _packed(self, days: Sequence[int]) -> list[LedgerDay]:
        return self._service.ledger.read(lambda connection: list(self._days(connection, days)))

    def _days(self, connection: sqlite3.Connection, days: Sequence[int]) -> Iterable[LedgerDay]:
        """Versions are those of the same snapshot."""
        known = versions(connection, min(days))
        for day in days:
            data = packed(connection, day)
            if len(data) > MOST_DAY_BYTES:
                self._context.log.error(
                    "The usage of a day (number %d) is too much for the store: %d bytes.", day, len(data)
                )
                continue
            yield LedgerDay(day, known[day], data)


async def run(context: PluginContext) -> None:
    """As long as the daemon lives."""
    await context.port(LedgerSharing).run()


async def finish(context: PluginContext) -> None:
    """At its end, before the ledger is closed."""
    await context.port(LedgerSharing).finish()
