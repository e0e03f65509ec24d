"""The clock's hand: looks which triggers are due, sleeps until the next is, and notices when the clock was set.

Between two looks, wall time and elapsed time should agree. When the wall clock runs ahead (set forward, or the machine
slept), the moments that were due meanwhile were missed. The last such moment is made up for, as after a restart. When
the clock runs behind (set back), the triggers go on from the new time. The store knows the moments that have started a
workflow.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Iterable

from jackfield.api.context import PluginContext
from jackfield_schedule.settings import ScheduleSettings
from jackfield_schedule.timed import Timed
from jackfield_schedule.times import last_until

TOLERANCE_MS = 1_500
"""Two clocks of one machine may differ that much between two looks: the wall clock is slewed, and both are read in
turn."""
MOST_LATE = 100
"""Moments of one trigger that are started one after another when the daemon was too busy to look."""
RETRY_S = 1.0

Fire = Callable[[Timed, int], Awaitable[None]]


class Ticker:
    """Every live trigger of this daemon."""

    def __init__(self, context: PluginContext, settings: ScheduleSettings) -> None:
        self._context = context
        self._clock = context.clock
        self._settings = settings
        self._timed: dict[str, Timed] = {}
        self._heap: list[tuple[int, str]] = []
        self._changed = asyncio.Event()
        self._wall = self._clock.now_ms()
        self._elapsed = self._clock.monotonic()

    def __len__(self) -> int:
        return len(self._timed)

    @property
    def seen(self) -> int:
        """Until when every moment was looked at; Unix ms."""
        return self._wall

    @property
    def _catch_up_ms(self) -> int:
        return round(self._settings.catch_up * 1000)

    def changed(self) -> None:
        """Something is to be looked at before the next moment."""
        self._changed.set()

    def get(self, trigger_id: str) -> Timed | None:
        return self._timed.get(trigger_id)

    def replace(self, workflow_id: str, wanted: Iterable[Timed]) -> None:
        """These, and no others, are the workflow's live triggers. Each has its next moment."""
        for trigger_id in [one.id for one in self._timed.values() if one.workflow_id == workflow_id]:
            del self._timed[trigger_id]
        if not self._timed:
            # Nobody looked at the clock while there was nothing to look for.
            self._wall, self._elapsed = self._clock.now_ms(), self._clock.monotonic()
        for timed in wanted:
            self._timed[timed.id] = timed
            self._push(timed)
        if len(self._heap) > 2 * len(self._timed) + 64:
            self._rebuild()
        self.changed()

    def missed(self, timed: Timed, since: int, now: int) -> int | None:
        """The moment to make up for: the last one after `since`, if it is not too old."""
        return last_until(timed.schedules, max(since, now - self._catch_up_ms - 1), now)

    async def run(self, fire: Fire) -> None:
        """Forever."""
        while True:
            self._changed.clear()
            await self.look(fire)
            await self._rest()

    async def look(self, fire: Fire) -> None:
        """Start whatever is due now."""
        wall, elapsed = self._clock.now_ms(), self._clock.monotonic()
        ahead = (wall - self._wall) - (elapsed - self._elapsed) * 1000
        before, self._wall, self._elapsed = self._wall, wall, elapsed
        for timed, moment in self._owed(wall):
            await fire(timed, moment)
        if abs(ahead) > TOLERANCE_MS:
            self._context.log.warning("The system's clock was set by %.1f s.", ahead / 1000)
            await self._go_on_elsewhere(before, wall, fire)
        else:
            await self._due(wall, fire)

    async def _due(self, now: int, fire: Fire) -> None:
        while self._heap and self._heap[0][0] <= now:
            due, trigger_id = heapq.heappop(self._heap)
            timed = self._timed.get(trigger_id)
            if timed is None or timed.next != due:
                continue
            for moment in self._late(timed, now):
                await fire(timed, moment)

    def _late(self, timed: Timed, now: int) -> list[int]:
        """The moments for which the trigger is due, in order; the trigger goes on behind them."""
        moments: list[int] = []
        skipped = 0
        while timed.next is not None and timed.next <= now:
            moments.append(timed.next)
            timed.go_on(timed.next)
            if len(moments) > MOST_LATE:
                skipped += 1
                del moments[0]
        if skipped:
            self._context.log.error(
                "The daemon was too busy for %d scheduled starts.", skipped, extra=timed.about(moments[-1])
            )
        self._push(timed)
        return moments

    async def _go_on_elsewhere(self, before: int, now: int, fire: Fire) -> None:
        """The clock was set: go on from the new time."""
        missed: list[tuple[Timed, int]] = []
        for timed in self._timed.values():
            moment = self.missed(timed, before, now) if now > before else None
            if moment is not None:
                missed.append((timed, moment))
            timed.go_on(now)
        self._rebuild()
        for timed, moment in missed:
            await fire(timed, moment)

    def _owed(self, now: int) -> list[tuple[Timed, int]]:
        """The start that could not be made before, unless it is too old by now."""
        found: list[tuple[Timed, int]] = []
        for timed in self._timed.values():
            if timed.owed is None:
                continue
            if now - timed.owed <= max(self._catch_up_ms, RETRY_S * 1000):
                found.append((timed, timed.owed))
            else:
                self._context.log.error("A scheduled start is given up.", extra=timed.about(timed.owed))
            timed.owed = None
        return found

    def _push(self, timed: Timed) -> None:
        if timed.next is not None:
            heapq.heappush(self._heap, (timed.next, timed.id))

    def _rebuild(self) -> None:
        self._heap = [(timed.next, timed.id) for timed in self._timed.values() if timed.next is not None]
        heapq.heapify(self._heap)

    async def _rest(self) -> None:
        """Sleep until the next moment, a change, or the next look at the clock."""
        if not self._timed:
            await self._changed.wait()
            return
        seconds = self._settings.clock_check
        if self._heap:
            seconds = min(seconds, (self._heap[0][0] - self._clock.now_ms()) / 1000)
        if any(timed.owed is not None for timed in self._timed.values()):
            seconds = min(seconds, RETRY_S)
        if seconds > 0:
            await self._sleep(seconds)
        else:
            await asyncio.sleep(0)

    async def _sleep(self, seconds: float) -> None:
        waits = {
            asyncio.ensure_future(self._clock.sleep(max(seconds, 0.001))),
            asyncio.ensure_future(self._changed.wait()),
        }
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
