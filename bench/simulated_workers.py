"""Worker processes of one daemon over SQLite, each with a core of its own: a simulation of events.

A worker does one thing at a time: a piece of a call, up to the next write. What it writes goes to the first process,
whose event loop hands it to the writing thread; that takes all that waits, commits it, waits for the disk, and tells.
The first write answers the caller, who calls again at once. Event loop and writing thread of the first process have
cores of their own: the thread leaves the interpreter's lock while SQLite works, which is most of its time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from simulated_cluster import Cores, Disk, Events, Process

IN_FLIGHT = 32
"""Calls of each worker."""
CALLS = 6_000
"""Of each worker; a tenth comes before anything is counted."""
SPREAD = 0.5
Then = Callable[[], None]


@dataclass(frozen=True, slots=True)
class WorkerCosts:
    """Milliseconds of the processor. worker: a call, on the worker's event loop; writes: of a call, one after another;
    handed: a call, on the first process's event loop; commit, write: of the writing thread for a transaction, and for
    the writes of a call; flush: of the disk, no processor."""

    worker: float
    writes: int
    handed: float
    commit: float
    write: float
    flush: float = 1.0

    def with_work(self, ms: float) -> WorkerCosts:
        """The same where the nodes of a call take so much more."""
        return replace(self, worker=self.worker + ms)


@dataclass(frozen=True, slots=True)
class WorkersOutcome:
    """rate: calls/s; batch: writes in a transaction; the others: shares of its time that each was busy, the workers
    together."""

    rate: float
    batch: float
    workers: float
    first_loop: float
    writer: float


class FirstProcess:
    """The event loop, and the writing thread."""

    def __init__(self, costs: WorkerCosts, events: Events, loop: Process, thread: Process) -> None:
        self._costs = costs
        self.loop, self.thread = loop, thread
        self._disk = Disk(events, costs.flush)
        self._pending: list[Then] = []
        self._writing = False
        self.commits = self.written = 0

    def write(self, then: Then) -> None:
        self.loop.do(self._costs.handed / self._costs.writes, lambda: self._queue(then))

    def _queue(self, then: Then) -> None:
        self._pending.append(then)
        if not self._writing:
            self._commit()

    def _commit(self) -> None:
        self._writing = bool(self._pending)
        if not self._writing:
            return
        batch, self._pending = self._pending, []
        self.commits += 1
        self.written += len(batch)
        spent = self._costs.commit + len(batch) * self._costs.write / self._costs.writes
        self.thread.do(spent, lambda: self._disk.flush(lambda: self._committed(batch)))

    def _committed(self, batch: list[Then]) -> None:
        for then in batch:
            then()
        self._commit()


class SimulatedWorkers:
    def __init__(self, costs: WorkerCosts, count: int, seed: int = 1) -> None:
        self._costs, self._random = costs, Random(seed)
        self._events = Events()
        self._workers = [self._process() for _ in range(count)]
        self._first = FirstProcess(costs, self._events, self._process(), self._process())
        self._answered = 0

    def _process(self) -> Process:
        return Process(self._events, Cores(1), self._sample)

    def _sample(self, ms: float) -> float:
        return ms * (1 - SPREAD + SPREAD * self._random.expovariate(1.0))

    def _call(self, worker: Process) -> None:
        self._step(worker, self._costs.writes)

    def _step(self, worker: Process, left: int) -> None:
        def committed() -> None:
            if left == self._costs.writes:
                self._answered += 1
                self._call(worker)
            if left > 1:
                self._step(worker, left - 1)

        worker.do(self._costs.worker / self._costs.writes, lambda: self._first.write(committed))

    def run(self) -> WorkersOutcome:
        for worker in self._workers:
            for _ in range(IN_FLIGHT):
                self._call(worker)
        calls = CALLS * len(self._workers)
        self._events.run(lambda: self._answered >= calls // 10)
        before, counted, begun = self._busy(), self._answered, self._events.now
        commits, written = self._first.commits, self._first.written
        self._events.run(lambda: self._answered >= calls)
        took = self._events.now - begun
        workers, loop, writer = ((after - ago) / took for after, ago in zip(self._busy(), before, strict=True))
        batch = (self._first.written - written) / max(self._first.commits - commits, 1)
        rate = (self._answered - counted) / took * 1000
        return WorkersOutcome(rate, batch, workers / len(self._workers), loop, writer)

    def _busy(self) -> tuple[float, float, float]:
        return sum(worker.busy for worker in self._workers), self._first.loop.busy, self._first.thread.busy


def simulate_workers(costs: WorkerCosts, count: int) -> WorkersOutcome:
    """The same seed gives the same outcome."""
    return SimulatedWorkers(costs, count).run()
