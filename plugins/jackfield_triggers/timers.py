"""One heap of moments for things that are due again and again: no task waits for one of them alone."""

from __future__ import annotations

import asyncio
import hashlib
import heapq
from collections.abc import Awaitable, Callable, Iterable

from jackfield.api.clock import Clock
from jackfield.api.records import state

Act = Callable[[str], Awaitable["int | None"]]
"""Does what is due and gives the next moment, Unix ms; None: nothing is due any more."""
_LONGEST_S = 60.0
"""Between two looks: the system's clock may be set."""
_STEP_MS = 2_000
"""A clock that is set back by more takes what is due with it, which would wait for so long else."""


@state
class _Entry:
    next: int | None
    busy: bool = False
    again: bool = False
    """It was set anew while it was busy; what `Act` gives does not count then."""
    gone: bool = False
    """It was dropped while it was busy."""


class KeyedTimers:
    """Each key is due at one moment, and is worked on by one task at a time."""

    def __init__(self, clock: Clock, slots: int) -> None:
        """slots: things that are worked on side by side."""
        self._clock = clock
        self._slots = asyncio.Semaphore(slots)
        self._entries: dict[str, _Entry] = {}
        self._heap: list[tuple[int, str]] = []
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._offset = self._clock_offset()

    def __len__(self) -> int:
        return len(self._entries)

    def next_of(self, key: str) -> int | None:
        """Unix ms; None: it is not due, or worked on now."""
        found = self._entries.get(key)
        return found.next if found is not None else None

    def keys(self) -> Iterable[str]:
        return list(self._entries)

    def at(self, key: str, moment: int) -> None:
        """It is due then (Unix ms), whatever was so before."""
        entry = self._entries.setdefault(key, _Entry(None))
        entry.again, entry.gone = entry.busy, False
        self._set(key, entry, moment)

    def drop(self, key: str) -> None:
        """It is not due any more. Work that is under way goes on."""
        entry = self._entries.get(key)
        if entry is None:
            return
        entry.next = None
        if entry.busy:
            entry.gone = True  # kept, so that the key is never worked on twice at a time
        else:
            del self._entries[key]

    async def run(self, act: Act) -> None:
        """Until cancelled, with all that is under way."""
        try:
            while True:
                self._changed.clear()
                self._follow_clock()
                await self._start_due(act)
                await self._rest()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for entry in self._entries.values():
                entry.busy = False

    def _clock_offset(self) -> int:
        """ms by which the clock of the day is ahead of one that nobody sets."""
        return self._clock.now_ms() - round(self._clock.boottime() * 1000)

    def _follow_clock(self) -> None:
        before, self._offset = self._offset, self._clock_offset()
        if (back := before - self._offset) <= _STEP_MS:
            return
        for entry in self._entries.values():
            if entry.next is not None:
                entry.next -= back
        self._rebuild()

    def _rebuild(self) -> None:
        waiting = ((one, name) for name, one in self._entries.items() if not one.busy)
        self._heap = [(one.next, name) for one, name in waiting if one.next is not None]
        heapq.heapify(self._heap)

    async def _start_due(self, act: Act) -> None:
        while self._heap and self._heap[0][0] <= self._clock.now_ms():
            due, key = heapq.heappop(self._heap)
            entry = self._entries.get(key)
            if entry is None or entry.next != due or entry.busy:
                continue
            await self._slots.acquire()
            if self._entries.get(key) is not entry or entry.next != due:  # dropped or set anew meanwhile
                self._slots.release()
                continue
            entry.busy, entry.again, entry.next = True, False, None
            task = asyncio.get_running_loop().create_task(self._act(key, entry, act), name=f"trigger {key}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _act(self, key: str, entry: _Entry, act: Act) -> None:
        following: int | None = None
        try:
            following = await act(key)
        finally:
            self._slots.release()
            entry.busy = False
            moment = entry.next if entry.again else following
            if entry.gone or moment is None:
                del self._entries[key]
            else:
                self._set(key, entry, moment)

    def _set(self, key: str, entry: _Entry, moment: int | None) -> None:
        entry.next = moment
        if moment is not None and not entry.busy:
            heapq.heappush(self._heap, (moment, key))
        if len(self._heap) > 2 * len(self._entries) + 64:
            self._rebuild()
        self._changed.set()

    async def _rest(self) -> None:
        """Until the next moment, a change, or the next look at the clock."""
        seconds = _LONGEST_S if self._entries else 3600.0
        if self._heap:
            seconds = min(seconds, (self._heap[0][0] - self._clock.now_ms()) / 1000)
        waits = {
            asyncio.ensure_future(self._clock.sleep(max(seconds, 0.001))),
            asyncio.ensure_future(self._changed.wait()),
        }
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


def jitter_of(key: str, span_ms: int) -> int:
    """From 0 to less than `span_ms`, always the same for a key, evenly spread over keys."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:6], "big") % span_ms if span_ms > 0 else 0


def backoff_ms(failures: int, first_s: float, most_s: float, asked_s: float | None = None) -> int:
    """How long to wait after that many failures in a row; `asked_s`: at least so long."""
    doubled = min(first_s * float(2 ** min(failures - 1, 30)), most_s)
    return round(max(doubled, asked_s or 0.0) * 1000)
