"""One sink's queue, and the task that empties it."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence

from jackfield.api.clock import Clock
from jackfield.api.containment import told
from jackfield.api.limits import contained, within
from jackfield.api.telemetry import TelemetryRecord, TelemetrySink
from jackfield_telemetry.settings import TelemetrySettings

GATHER_SECONDS = 0.2
"""For so long records are gathered before a batch goes."""
SAY_AGAIN = 300.0
"""Seconds between two lines in the log about a sink that fails."""


class SinkQueue:
    """A caller that offers a record never waits. A sink that hangs or raises holds up itself alone."""

    def __init__(self, sink: TelemetrySink, settings: TelemetrySettings, clock: Clock, log: logging.Logger) -> None:
        self.sink = sink
        self.takes = frozenset(sink.takes)
        self._settings, self._clock, self._log = settings, clock, log
        self._waiting: deque[TelemetryRecord] = deque()
        self._woken = asyncio.Event()
        self._ending = asyncio.Event()
        self._said: float | None = None
        self.delivered = self.dropped = self.failed = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def offer(self, record: TelemetryRecord) -> None:
        """A queue that is full keeps what came first."""
        if type(record) not in self.takes:
            return
        if len(self._waiting) >= self._settings.sink_queue:
            self.dropped += 1
            return
        self._waiting.append(record)
        self._woken.set()

    async def deliver(self) -> None:
        """Until `end` is called and the queue is empty."""
        while self._waiting or not self._ending.is_set():
            await self._woken.wait()
            await self._gather()
            self._woken.clear()
            while self._waiting:
                count = min(len(self._waiting), self._settings.sink_batch)
                await self._give([self._waiting.popleft() for _ in range(count)])

    def end(self) -> None:
        """Nothing more is offered."""
        self._ending.set()
        self._woken.set()

    def give_up(self) -> None:
        """Records that are still there are lost."""
        self.dropped += len(self._waiting)
        self._waiting.clear()

    async def _gather(self) -> None:
        if len(self._waiting) < self._settings.sink_batch and not self._ending.is_set():
            try:
                async with asyncio.timeout(GATHER_SECONDS):
                    await self._ending.wait()
            except TimeoutError:
                return

    async def _give(self, batch: Sequence[TelemetryRecord]) -> None:
        taking = asyncio.ensure_future(contained(lambda: self.sink.take(batch)))
        try:
            await within(self._settings.sink_timeout, taking)
        except Exception as exc:  # of a stranger
            self.failed += len(batch)
            self._say(exc)
            if not taking.done():  # it swallows its cancellation: two batches at once would be two of them
                await asyncio.wait({taking})
        except asyncio.CancelledError:
            self.failed += len(batch)
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
        else:
            self.delivered += len(batch)

    def _say(self, exc: Exception) -> None:
        now = self._clock.monotonic()
        if self._said is None or now - self._said >= SAY_AGAIN:
            self._said = now
            self._log.error(
                "The telemetry sink %s failed; its records are lost and counted in /metrics: %s",
                self.sink.name,
                told(exc),
            )
