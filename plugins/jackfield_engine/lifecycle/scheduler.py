"""The scheduler: a bounded number of executions run, a bounded queue of them waits in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice

from jackfield_engine.run.live_run import LiveRun
from jackfield_engine.run.state import RunEvent
from jackfield_engine.settings import ExecutionsSettings

_TURNS = 4
"""One of this many that begin is taken from the store while the queue here is long. Reading one back costs more than
one that is in memory."""


class Scheduler:
    """Slots and the queue for them. Bytes of input count from the acceptance on until a slot is free."""

    def __init__(self, settings: ExecutionsSettings, takes: Callable[[], bool]) -> None:
        """takes: whether this daemon begins executions; if not, those that may go on elsewhere wait to be given
        back."""
        self._settings = settings
        self._takes = takes
        self.queue: deque[LiveRun] = deque()
        """Those that wait for a slot, in their order."""
        self._announced: set[LiveRun] = set()
        """Executions that wait for the store to accept them."""
        self._counted: dict[LiveRun, int] = {}
        """Bytes of those that are announced or in the queue."""
        self._bytes = 0
        self._slots: set[LiveRun] = set()
        self._lent: set[LiveRun] = set()
        """Executions whose slot went to others while one of their children waits."""
        self._left = 0
        self._left_before = 0
        self._seen: set[str] = set()
        """Ids of those that stood in the queue at the last `surplus`."""
        self._turns = 0
        """How many of the store may still come before those that fill the queue, until the next `surplus`."""

    def __len__(self) -> int:
        return len(self._counted)

    def __iter__(self) -> Iterator[LiveRun]:
        return iter(self.queue)

    @property
    def busy(self) -> int:
        """Slots that are taken."""
        return len(self._slots)

    @property
    def accepting(self) -> int:
        """Executions that wait for the store to accept them."""
        return len(self._announced)

    def has_slot(self, run: LiveRun) -> bool:
        return run in self._slots

    def free(self) -> bool:
        """Whether one more would run at once."""
        return len(self._slots) + len(self._announced) < self._settings.concurrency and self._takes()

    def fits(self, size: int) -> bool:
        """Whether one more with that many bytes of input may wait here."""
        few = len(self._counted) < self._settings.queue_size and self._bytes + size <= self._settings.queue_bytes
        return few and self._takes()

    @property
    def places(self) -> int:
        """How many more may wait here, at least one."""
        return max(self._settings.queue_size - len(self._counted), 1)

    @property
    def soon(self) -> int:
        """How many of the queue may begin before the next `surplus`, as things went lately."""
        return max(self._left, self._left_before)

    @property
    def wanted(self) -> int:
        """How many more there are free slots for, and a few that begin behind them. As long as enough wait here, those
        that wait in the store have their turns: what another daemon has handed over would wait forever."""
        ahead = min(self.soon, self._settings.concurrency)
        if len(self.queue) > ahead // 2:
            return min(self._turns, self.places)
        free = max(self._settings.concurrency - len(self._slots) - len(self._announced), 0)
        return min(free + ahead - len(self.queue), self.places)

    def surplus(self) -> list[LiveRun]:
        """Those that have stood in the queue since the last call, and do not begin before the next one either."""
        self._left_before, self._left = self._left, 0
        self._turns = 0
        if not self._takes():
            return list(self.queue)
        self._turns = -(-self.soon // _TURNS)
        found = [run for run in islice(self.queue, self.soon, None) if run.id in self._seen]
        self._seen = {run.id for run in self.queue}
        return found

    def half_empty(self) -> bool:
        return len(self._counted) <= self._settings.queue_size // 2

    def announce(self, run: LiveRun) -> None:
        """It comes once the store has accepted it."""
        self._announced.add(run)
        self._count(run)

    def admit(self, run: LiveRun) -> bool:
        """Run it, or queue it; False when there is no room for it."""
        if not self.fits(0 if self._has_place else run.disk.size):
            return False
        if self._has_place:
            self._take_slot(run)
        else:
            self._queue(run)
        return True

    def enter(self, run: LiveRun) -> None:
        """Run it, or queue it."""
        if self._has_place and self._takes():
            self._take_slot(run)
        else:
            self._queue(run)

    @property
    def _has_place(self) -> bool:
        return not self.queue and len(self._slots) < self._settings.concurrency

    def _queue(self, run: LiveRun) -> None:
        self._count(run)
        self.queue.append(run)
        run.move(RunEvent.QUEUE)

    def enter_claimed(self, run: LiveRun) -> None:
        """The same for one that has waited in the store: before those that came here since."""
        if not self.queue or not self._takes():
            self.enter(run)
            return
        self._count(run)
        self.queue.appendleft(run)
        run.move(RunEvent.QUEUE)

    def count_turns(self, count: int) -> None:
        """That many were claimed."""
        self._turns = max(self._turns - count, 0)

    def enter_first(self, run: LiveRun) -> None:
        """The same, before all others."""
        if len(self._slots) < self._settings.concurrency:
            self._take_slot(run)
        else:
            self._count(run)
            self.queue.appendleft(run)
            run.move(RunEvent.QUEUE)

    def withdraw(self, run: LiveRun) -> bool:
        """It does not come, or waits here no more; False when it did not."""
        size = self._counted.pop(run, None)
        if size is None:
            return False
        self._bytes -= size
        if run in self._announced:
            self._announced.remove(run)
        else:
            self.queue.remove(run)
        return True

    def leave(self, run: LiveRun) -> None:
        """It needs its slot no more."""
        if run in self._slots:
            self._left += 1
            self._slots.remove(run)

    def lend(self, run: LiveRun) -> None:
        """Its slot is for others, until it is taken back."""
        self._slots.discard(run)
        self._lent.add(run)

    def take_back(self, run: LiveRun) -> None:
        """For a while there may be one more than there are slots."""
        if run in self._lent:
            self._lent.remove(run)
            self._slots.add(run)

    def next(self, *, waited_only: bool = False) -> None:
        """Fill the free slots. waited_only: with executions that somebody waits for."""
        while self.queue and len(self._slots) < self._settings.concurrency:
            run = self._following(waited_only)
            if run is None:
                return
            self.withdraw(run)
            self._take_slot(run)

    def _following(self, waited_only: bool) -> LiveRun | None:
        """The next one of the queue; None: none of them may begin."""
        if waited_only:
            return next((run for run in self.queue if run.handle.waiters), None)
        return self.queue[0] if self._takes() else self._bound()

    def _bound(self) -> LiveRun | None:
        """One that has to begin here, though nothing else does: nobody else could."""
        return next((run for run in self.queue if not run.may_leave()), None)

    def _take_slot(self, run: LiveRun) -> None:
        self._slots.add(run)
        run.move(RunEvent.START)

    def _count(self, run: LiveRun) -> None:
        self._counted[run] = run.disk.size
        self._bytes += run.disk.size
