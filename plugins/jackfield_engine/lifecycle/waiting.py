"""Executions that wait for a time: short waits in memory, long ones in the store until they are nearly due."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial

from jackfield.api.errors import BinaryStoreUnavailable, StoreUnavailable
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.recovery import Recovery
from jackfield_engine.run.live_run import LiveRun, is_near
from jackfield_engine.run.state import RunEvent
from jackfield_engine.shared.services import Services
from jackfield_engine.shared.timers import Timer

PAGE = 100


class Waiting:
    """Wakes executions when their time has come."""

    def __init__(self, services: Services, live: LiveRuns, recovery: Recovery) -> None:
        self._services = services
        self._live = live
        self._recovery = recovery
        self._in_memory: dict[str, tuple[LiveRun, Timer]] = {}
        self._poller: asyncio.Task[None] | None = None
        self._later: set[str] = set()
        """Executions of this daemon that a call had reserved when they were due: it may come to nothing."""

    def __len__(self) -> int:
        return len(self._in_memory)

    def __iter__(self) -> Iterator[LiveRun]:
        return (run for run, _ in self._in_memory.values())

    def start(self) -> None:
        """Look for waiting executions that are due, now and from time to time."""
        if self._poller is None:
            self._poller = self._services.context.spawn("executions.waiting", self._poll())

    async def close(self) -> None:
        """Take nothing more from the store, and let go of what nobody waits for."""
        if self._poller is not None:
            self._poller.cancel()
            await asyncio.wait([self._poller])
        for run, _ in list(self._in_memory.values()):
            if not run.handle.waiters:
                run.move(RunEvent.FORGET)

    def hold(self, run: LiveRun) -> bool:
        """Keep the execution until its time if that is soon; False when it is the store's."""
        if not self.soon(run) or len(self._in_memory) >= self._services.settings.waiting_in_memory:
            return False
        timer = self._services.timers.after(self._left(run), partial(run.move, RunEvent.DUE))
        self._in_memory[run.id] = (run, timer)
        return True

    def soon(self, run: LiveRun) -> bool:
        """Whether the poller could be late for it."""
        until = None if run.wait is None else run.wait.until
        return is_near(self._services.store_clock, self._services.settings, until)

    def _left(self, run: LiveRun) -> float:
        """Seconds until it goes on."""
        now = self._services.store_clock.now_ms()
        until = None if run.wait is None else run.wait.until
        return ((until or now) - now) / 1000

    def release(self, run: LiveRun) -> None:
        """The execution does not wait any more."""
        kept = self._in_memory.pop(run.id, None)
        if kept is not None:
            kept[1].cancel()

    async def _poll(self) -> None:
        while True:
            try:
                await self._look()
            except StoreUnavailable:
                self._services.context.log.warning("the store does not answer; waiting executions are late")
            await self._services.clock.sleep(self._interval)

    @property
    def _interval(self) -> float:
        """Seconds between two looks. Where other daemons may die, one comes as soon as for what they ran."""
        settings = self._services.settings
        return settings.claim_interval if self._services.lease.shared else settings.poll_interval

    async def _look(self) -> None:
        """Claim what is due before the next look, and hand back what has no room here."""
        settings, lease = self._services.settings, self._services.lease
        if not self._services.takes() or (lease.shared and not self._services.store_clock.is_known):
            return
        horizon = self._services.store_clock.now_ms() + round(self._interval * 1000)
        again, self._later = self._later, set()
        back: list[str] = []
        try:
            back += [execution_id for execution_id in again if not await self._take(execution_id)]
            while (room := settings.waiting_in_memory - len(self._in_memory)) > 0:
                ids = await lease.claim(("waiting",), min(room, PAGE), due=horizon)
                back += [execution_id for execution_id in ids if not await self._take(execution_id)]
                if len(ids) < min(room, PAGE):
                    return
        finally:
            if back:
                await lease.release(back)

    async def _take(self, execution_id: str) -> bool:
        """Hold a claimed execution; False when it has no room."""
        stays = self._live.stays(execution_id, self._services.lease.present)
        if stays or not self._recovery.read_back.may_come(execution_id):
            return False
        with self._live.reading(execution_id):
            try:
                return await self._read(execution_id)
            except BinaryStoreUnavailable as exc:
                self._services.context.log.warning("execution %s is taken up later: %s", execution_id, exc.message)
                return False

    async def _read(self, execution_id: str) -> bool:
        lease = self._services.lease
        kept = lease.kept(execution_id)
        stored = await self._recovery.stored(execution_id)
        mine = stored is not None and stored.row.status == "waiting" and stored.owner == lease.life.id
        if stored is None or not mine or execution_id in self._live.runs:
            lease.claimed.pop(execution_id, None)
            return True
        if self._live.knows(execution_id):
            self._later.add(execution_id)
            return True
        memory = await self._recovery.read_back.reserve(stored)
        if memory is None:
            return False
        run = await self._recovery.load(stored, kept, memory)
        if run is not None:
            run.move(RunEvent.HOLD)
        return True
