"""From the store into memory, for a segment."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from jackfield.api.engine import SegmentEnd
from jackfield.api.errors import Conflict, JackfieldError
from jackfield.api.storage import OPEN_STATUSES
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.recovery import Recovery
from jackfield_engine.run.live_run import LiveRun, is_near
from jackfield_engine.shared.services import Services

RETRY_S = 1.0


class SegmentLoading:
    """Makes executions this daemon's, one by one."""

    def __init__(self, services: Services, live: LiveRuns, recovery: Recovery) -> None:
        self._services = services
        self._live = live
        self._recovery = recovery

    async def end(self, execution_id: str) -> SegmentEnd | None:
        """Where the execution rests; None: it may go on. Raises `StoreUnavailable`."""
        rows = await self._services.store.execution_rows([execution_id])
        if not rows or rows[0].status not in OPEN_STATUSES:
            return SegmentEnd(over=True)
        if rows[0].status != "waiting":
            return None
        until = rows[0].resume_at
        if until is None:
            return SegmentEnd(over=False)
        return SegmentEnd(over=False, wait_ms=max(until - self._services.store_clock.now_ms(), 0))

    async def may_go_on(self, execution_id: str) -> SegmentEnd | None:
        """The same, where a wait that is nearly over is none."""
        end = await self.end(execution_id)
        if end is None or end.over or end.wait_ms is None:
            return end
        until = self._services.store_clock.now_ms() + end.wait_ms
        return None if is_near(self._services.store_clock, self._services.settings, until) else end

    async def own(self, execution_id: str, patience: float) -> SegmentEnd | None:
        """Make it this daemon's; an end when it rests. Raises `Conflict` when another one has it for longer than that,
        `StoreUnavailable`."""
        clock = self._services.clock
        until = clock.monotonic() + patience
        while (end := await self.may_go_on(execution_id)) is None:
            standing = await self._services.store.standing(execution_id)
            if standing is not None and standing.is_open:
                if await self._services.lease.own(execution_id, standing.owner):
                    return None
                if clock.monotonic() >= until:
                    raise Conflict("Another daemon has the execution.")
                await clock.sleep(self._services.settings.claim_interval)
        return end

    async def load(self, execution_id: str) -> LiveRun | None:
        """One that is this daemon's comes into memory; None: it is there already, it is over, or it was lost meanwhile.
        Raises `StoreUnavailable`."""
        try:
            with self._live.reading(execution_id):
                return await self._loaded(execution_id)
        except BaseException:
            if not self._live.knows(execution_id):  # whoever gets the next order needs it
                await asyncio.shield(self._release(execution_id))
            raise

    async def _release(self, execution_id: str) -> None:
        claimed = self._services.lease.claimed.pop(execution_id, None)
        if claimed is not None:
            with suppress(JackfieldError):  # the crash before is not counted, then
                await self._recovery.keep_crash(claimed[0])
        await self._services.lease.release([execution_id])

    async def _loaded(self, execution_id: str) -> LiveRun | None:
        lease, sleep = self._services.lease, self._services.clock.sleep
        while True:
            kept = lease.kept(execution_id)
            stored = await self._recovery.stored(execution_id)
            if stored is None or stored.row.finished_at is not None or stored.owner != lease.life.id:
                lease.claimed.pop(execution_id, None)
                return None
            if self._live.knows(execution_id):
                return None
            if (seconds := self._recovery.put_off(stored)) > 0:
                await sleep(seconds)
                continue
            memory = await self._recovery.read_back.reserve(stored)
            if memory is not None:
                return await self._recovery.load(stored, kept, memory)
            await sleep(RETRY_S)
