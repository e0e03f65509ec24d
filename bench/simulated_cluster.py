"""The simulation of `simulate.py`: events in the order of their time, from a seed. Times are milliseconds."""

from __future__ import annotations

import heapq
import itertools
import math
import random
import statistics
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

Then = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Costs:
    """call: taking a call and answering it; execution: running it, its nodes' own work apart; work: of its nodes;
    writes: commits that it waits for, one after another; client: of the daemon for a batch and a write in it; server:
    the same of PostgreSQL; flush: of the disk, no processor; load: of whoever calls; spread: 0: every cost is the same
    each time, 1: exponentially distributed."""

    call: float = 0.45
    execution: float = 0.35
    work: float = 0.0
    writes: int = 1
    client_batch: float = 1.13
    client_write: float = 0.02
    server_batch: float = 1.0
    server_write: float = 0.067
    flush: float = 1.0
    load: float = 0.05
    spread: float = 0.5


@dataclass(frozen=True, slots=True)
class Setting:
    """cores: that all share; None: each daemon has one of its own, and PostgreSQL and the load have enough. in_flight:
    calls of which each follows another's answer; arrivals: a second, at random, in their place. Of the calls a tenth
    comes before anything is counted."""

    daemons: int = 1
    cores: int | None = None
    in_flight: int = 64
    arrivals: float = 0.0
    calls: int = 6_000
    slots: int = 64
    queue: int = 1_000
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """rate: calls/s; latency: mean ms of a call; open: mean number of calls under way; daemons, postgres, load: ms of
    the processor for a call; busiest: share of its time that the busiest daemon was busy; batch: writes in one;
    overflowed: executions that found neither slot nor room in a queue."""

    rate: float
    latency: float
    p50: float
    p99: float
    open: float
    daemons: float
    postgres: float
    load: float
    busiest: float
    batch: float
    overflowed: int


class Events:
    def __init__(self) -> None:
        self.now = 0.0
        self._order = itertools.count()
        self._due: list[tuple[float, int, Then]] = []

    def after(self, ms: float, then: Then) -> None:
        heapq.heappush(self._due, (self.now + ms, next(self._order), then))

    def run(self, over: Callable[[], bool]) -> None:
        while self._due and not over():
            self.now, _, then = heapq.heappop(self._due)
            then()


class Cores:
    """Of a machine. A process that wants one waits behind those that wanted one before."""

    def __init__(self, count: float = math.inf) -> None:
        self._free = count
        self._waiting: deque[Then] = deque()

    def take(self, then: Then) -> None:
        if self._free >= 1:
            self._free -= 1
            then()
        else:
            self._waiting.append(then)

    def give(self) -> None:
        if self._waiting:
            self._waiting.popleft()()
        else:
            self._free += 1


class Process:
    """One thing at a time, in order, each on a core."""

    def __init__(self, events: Events, cores: Cores, sample: Callable[[float], float]) -> None:
        self._events, self._cores, self._sample = events, cores, sample
        self._queue: deque[tuple[float, Then]] = deque()
        self._at_work = False
        self.busy = 0.0

    def do(self, ms: float, then: Then) -> None:
        self._queue.append((self._sample(ms), then))
        if not self._at_work:
            self._at_work = True
            self._cores.take(self._begin)

    def _begin(self) -> None:
        ms, then = self._queue.popleft()
        self._events.after(ms, lambda: self._end(ms, then))

    def _end(self, ms: float, then: Then) -> None:
        self.busy += ms
        self._cores.give()
        then()
        if self._queue:
            self._cores.take(self._begin)
        else:
            self._at_work = False


class Disk:
    """A flush serves all that wait when it begins."""

    def __init__(self, events: Events, ms: float) -> None:
        self._events, self._ms = events, ms
        self._waiting: list[Then] = []
        self._at_work = False

    def flush(self, then: Then) -> None:
        self._waiting.append(then)
        if not self._at_work:
            self._next()

    def _next(self) -> None:
        self._at_work = bool(self._waiting)
        if self._at_work:
            served, self._waiting = self._waiting, []
            self._events.after(self._ms, lambda: self._end(served))

    def _end(self, served: list[Then]) -> None:
        for then in served:
            then()
        self._next()


@dataclass
class Execution:
    answer: Then
    left: int


@dataclass
class Store:
    """What no daemon had room for, and what has been counted."""

    disk: Disk
    overflow: deque[Execution] = field(default_factory=deque)
    overflowed: int = 0
    batches: int = 0
    writes: int = 0


class Daemon:
    def __init__(self, costs: Costs, setting: Setting, process: Process, backend: Process, store: Store) -> None:
        self._costs, self._setting = costs, setting
        self.process, self._backend, self._store = process, backend, store
        self._running = 0
        self._queue: deque[Execution] = deque()
        self._pending: list[Then] = []
        self._writing = False

    def call(self, answer: Then) -> None:
        self.process.do(self._costs.call, lambda: self._accept(Execution(answer, self._costs.writes)))

    def _accept(self, execution: Execution) -> None:
        if self._running < self._setting.slots:
            self._running += 1
            self._step(execution)
        elif len(self._queue) < self._setting.queue:
            self._queue.append(execution)
        else:
            self._store.overflowed += 1
            self._store.overflow.append(execution)

    def _step(self, execution: Execution) -> None:
        """What runs up to the next write."""
        piece = (self._costs.execution + self._costs.work) / self._costs.writes
        self.process.do(piece, lambda: self._write(lambda: self._committed(execution)))

    def _committed(self, execution: Execution) -> None:
        execution.left -= 1
        if execution.left:
            self._step(execution)
            return
        self._running -= 1
        execution.answer()
        if waiting := self._queue or self._store.overflow:
            self._running += 1
            self._step(waiting.popleft())

    def _write(self, then: Then) -> None:
        self._pending.append(then)
        if not self._writing:
            self._send()

    def _send(self) -> None:
        self._writing = bool(self._pending)
        if not self._writing:
            return
        batch, self._pending = self._pending, []
        costs, count = self._costs, len(batch)
        self._store.batches += 1
        self._store.writes += count
        served = costs.server_batch + count * costs.server_write
        self.process.do(
            costs.client_batch + count * costs.client_write,
            lambda: self._backend.do(served, lambda: self._store.disk.flush(lambda: self._written(batch))),
        )

    def _written(self, batch: list[Then]) -> None:
        for then in batch:
            then()
        self._send()


class Cluster:
    """Daemons, their database and their callers."""

    def __init__(self, costs: Costs, setting: Setting) -> None:
        self._setting, self._random = setting, random.Random(setting.seed)
        self._spread = costs.spread
        self._events = Events()
        shared = Cores(setting.cores) if setting.cores else None
        self._store = Store(Disk(self._events, costs.flush))
        self._backends = [self._process(shared or Cores()) for _ in range(setting.daemons)]
        self._callers = [self._process(shared or Cores()) for _ in range(setting.daemons)]
        self._daemons = [
            Daemon(costs, setting, self._process(shared or Cores(1)), backend, self._store)
            for backend in self._backends
        ]
        self._load = costs.load
        self._turns = itertools.cycle(range(setting.daemons))
        self._latencies: list[float] = []
        self._open, self._changed, self._area = 0, 0.0, 0.0

    def _process(self, cores: Cores) -> Process:
        return Process(self._events, cores, self._sample)

    def _sample(self, ms: float) -> float:
        return ms * (1 - self._spread + self._spread * self._random.expovariate(1.0)) if self._spread else ms

    def _busy(self, processes: list[Process]) -> list[float]:
        return [process.busy for process in processes]

    def _call(self, which: int) -> None:
        begun = self._events.now
        self._count(1)

        def answered() -> None:
            self._count(-1)
            self._latencies.append(self._events.now - begun)
            if not self._setting.arrivals:
                self._call(which)

        self._callers[which].do(self._load, lambda: self._daemons[which].call(answered))

    def _count(self, change: int) -> None:
        self._area += self._open * (self._events.now - self._changed)
        self._open, self._changed = self._open + change, self._events.now

    def _arrive(self) -> None:
        """Round robin, as a balancer without stickiness."""
        self._call(next(self._turns))
        self._events.after(self._random.expovariate(self._setting.arrivals / 1000), self._arrive)

    def run(self) -> Outcome:
        setting = self._setting
        if setting.arrivals:
            self._arrive()
        else:
            for number in range(setting.in_flight):
                self._call(number % setting.daemons)
        self._events.run(lambda: len(self._latencies) >= setting.calls // 10)
        groups = [[daemon.process for daemon in self._daemons], self._backends, self._callers]
        before = [self._busy(group) for group in groups]
        begun, skipped = self._events.now, len(self._latencies)
        self._count(0)
        self._area = 0.0
        self._events.run(lambda: len(self._latencies) >= setting.calls)
        self._count(0)
        took, latencies = self._events.now - begun, self._latencies[skipped:]
        spent = [
            [after - ago for after, ago in zip(self._busy(group), old, strict=True)]
            for group, old in zip(groups, before, strict=True)
        ]
        count = len(latencies)
        percents = statistics.quantiles(latencies, n=100)
        return Outcome(
            rate=count / took * 1000,
            latency=statistics.fmean(latencies),
            p50=percents[49],
            p99=percents[98],
            open=self._area / took,
            daemons=sum(spent[0]) / count,
            postgres=sum(spent[1]) / count,
            load=sum(spent[2]) / count,
            busiest=max(spent[0]) / took,
            batch=self._store.writes / max(self._store.batches, 1),
            overflowed=self._store.overflowed,
        )


def simulate(costs: Costs, setting: Setting) -> Outcome:
    """The same seed gives the same outcome."""
    return Cluster(costs, setting).run()
