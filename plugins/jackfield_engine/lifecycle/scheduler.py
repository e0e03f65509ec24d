"""The scheduler: a bounded number of executions run, a bounded queue of them waits in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from jackfield_engine.run.execution import Run
from jackfield_engine.run.state import RunEvent
from jackfield_engine.settings import ExecutionsSettings


class Scheduler:
    """Slots and the queue for them. Bytes of input count from the acceptance on until a slot is free."""

    def __init__(self, settings: ExecutionsSettings) -> None:
        self._settings = settings
        self._queue: deque[Run] = deque()
        self._announced: set[Run] = set()
        """Executions that wait for the store to accept them."""
        self._counted: dict[Run, int] = {}
        """Bytes of those that are announced or in the queue."""
        self._bytes = 0
        self._slots: set[Run] = set()
        self._lent: set[Run] = set()
        """Executions whose slot went to others while one of their children waits."""

    def __len__(self) -> int:
        return len(self._counted)

    def __iter__(self) -> Iterator[Run]:
        return iter(self._queue)

    @property
    def busy(self) -> int:
        """Slots that are taken."""
        return len(self._slots)

    @property
    def accepting(self) -> int:
        """Executions that wait for the store to accept them."""
        return len(self._announced)

    def has_slot(self, run: Run) -> bool:
        return run in self._slots

    def free(self) -> bool:
        """Whether one more would run at once."""
        return len(self._slots) + len(self._announced) < self._settings.concurrency

    def fits(self, size: int) -> bool:
        """Whether one more with so many bytes of input may wait here."""
        return len(self._counted) < self._settings.queue_size and self._bytes + size <= self._settings.queue_bytes

    def half_empty(self) -> bool:
        return len(self._counted) <= self._settings.queue_size // 2

    def announce(self, run: Run) -> None:
        """It comes once the store has accepted it."""
        self._announced.add(run)
        self._count(run)

    def enter(self, run: Run, *, first: bool = False) -> None:
        """Run it, or queue it."""
        if len(self._slots) < self._settings.concurrency and (first or not self._queue):
            self._take_slot(run)
            return
        self._count(run)
        if first:
            self._queue.appendleft(run)
        else:
            self._queue.append(run)
        run.move(RunEvent.QUEUE)

    def withdraw(self, run: Run) -> bool:
        """It does not come, or waits here no more; False when it did not."""
        size = self._counted.pop(run, None)
        if size is None:
            return False
        self._bytes -= size
        if run in self._announced:
            self._announced.remove(run)
        else:
            self._queue.remove(run)
        return True

    def leave(self, run: Run) -> None:
        """It needs its slot no more."""
        self._slots.discard(run)

    def lend(self, run: Run) -> None:
        """Its slot is for others, until it is taken back."""
        self._slots.discard(run)
        self._lent.add(run)

    def take_back(self, run: Run) -> None:
        """For a while there may be one more than there are slots."""
        if run in self._lent:
            self._lent.remove(run)
            self._slots.add(run)

    def next(self, *, waited_only: bool = False) -> None:
        """Fill the free slots. waited_only: with executions that somebody waits for."""
        while self._queue and len(self._slots) < self._settings.concurrency:
            run = next((run for run in self._queue if run.handle.waiters), None) if waited_only else self._queue[0]
            if run is None:
                return
            self.withdraw(run)
            self._take_slot(run)

    def _take_slot(self, run: Run) -> None:
        self._slots.add(run)
        run.move(RunEvent.START)

    def _count(self, run: Run) -> None:
        self._counted[run] = run.size
        self._bytes += run.size
