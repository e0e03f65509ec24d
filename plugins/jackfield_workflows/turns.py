"""Whose turn it is: a bounded number of executions run, a bounded queue of them waits in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from jackfield_workflows.execution import Run
from jackfield_workflows.settings_executions import ExecutionsSettings


class Turns:
    """Slots and the queue for them. Bytes of input count from the acceptance on until a slot is free."""

    def __init__(self, settings: ExecutionsSettings, start: Callable[[Run], None]) -> None:
        """start: runs an execution that has got a slot."""
        self._settings = settings
        self._start = start
        self._queue: deque[Run] = deque()
        self._bytes = 0
        self.busy = 0
        self.accepting = 0
        """Executions that wait for the store to accept them."""

    def __len__(self) -> int:
        return len(self._queue) + self.accepting

    def __iter__(self) -> Iterator[Run]:
        return iter(self._queue)

    def free(self) -> bool:
        """Whether one more would run at once."""
        return self.busy + self.accepting < self._settings.concurrency

    def fits(self, size: int) -> bool:
        """Whether one more with so many bytes of input may wait here."""
        return len(self) < self._settings.queue_size and self._bytes + size <= self._settings.queue_bytes

    def half_empty(self) -> bool:
        return len(self) <= self._settings.queue_size // 2

    def announce(self, run: Run) -> None:
        """It comes once the store has accepted it."""
        self.accepting += 1
        self._count(run)

    def announced(self, run: Run) -> None:
        """The store has answered."""
        self.accepting -= 1
        self._uncount(run)

    def enter(self, run: Run, *, first: bool = False) -> None:
        """Run it, or queue it."""
        if self.busy < self._settings.concurrency and (first or not self._queue):
            self._take_slot(run)
            return
        self._count(run)
        if first:
            self._queue.appendleft(run)
        else:
            self._queue.append(run)

    def withdraw(self, run: Run) -> bool:
        """Take it out of the queue; False when it is not there."""
        if run not in self._queue:
            return False
        self._queue.remove(run)
        self._uncount(run)
        return True

    def leave(self, run: Run) -> None:
        """It needs its slot no more."""
        if run.has_slot:
            run.has_slot = False
            self.busy -= 1

    def lend(self, run: Run) -> None:
        """Its slot is for others, until it is taken back."""
        self.leave(run)
        run.lent = True

    def take_back(self, run: Run) -> None:
        """For a while there may be one more than there are slots."""
        if run.lent:
            run.has_slot, run.lent = True, False
            self.busy += 1

    def next(self, *, waited_only: bool = False) -> None:
        """Fill the free slots. waited_only: with executions that somebody waits for."""
        while self._queue and self.busy < self._settings.concurrency:
            run = next((run for run in self._queue if run.handle.waiters), None) if waited_only else self._queue[0]
            if run is None:
                return
            self.withdraw(run)
            self._take_slot(run)

    def clear(self) -> list[Run]:
        """Empty the queue."""
        left = list(self._queue)
        self._queue.clear()
        self._bytes = 0
        return left

    def _take_slot(self, run: Run) -> None:
        run.has_slot = True
        self.busy += 1
        self._start(run)

    def _count(self, run: Run) -> None:
        run.counted = run.size
        self._bytes += run.counted

    def _uncount(self, run: Run) -> None:
        self._bytes -= run.counted
        run.counted = 0
