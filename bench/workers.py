"""One process against several (`daemon.workers`): processor time per call, and who is busy.

The same two webhooks as `bench/webhooks.py`, with wrk and without pinning: load, first process and workers share the
machine's cores. So beside the rate stands what each of them took of the processor for a call, as the system counts it,
and what follows for two cores that nobody else has:

- the processes together take no more than the cores have;
- an event loop takes no more than one core.

"x one core" is n workers on two cores beside one process on one; "x two cores" is beside one process that has two,
whose writing thread then has the second.

From the same figures follows what 16 workers would do on cores of their own: they share nothing but the first
process, and so the writing of SQLite is where it ends. Bigger commits make that cheaper, which is not counted.

    python bench/workers.py [--seconds 5] [--workers 2] [--rounds 3] [--server hypercorn] [--write]
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import harness
from webhooks import last_node_workflow, received_workflow

from jackfield.testing.daemon import Daemon

WANTED = 1.6
CORES = 2
PAPER = (1, 2, 4, 8, 16)
WORK = 2.0
"""ms of the processor in the nodes of a call: a script, or some dozen items."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Of one load: calls a second, and ms of the processor for a call. loop: of it the event loop of one process, the
    busiest; failures: calls that were not answered well."""

    rate: float
    first: float
    worker: float
    loop: float
    load: float
    failures: int

    @property
    def daemon(self) -> float:
        return self.first + self.worker


def event_loop(pid: int) -> float:
    """Seconds that its main thread has had."""
    return harness.own_processor_seconds(f"{pid}/task/{pid}")


def children(pid: int) -> list[int]:
    found = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for each in found for child in each]


def processes(daemon: Daemon, workers: int) -> tuple[int, list[int]]:
    """The first process, and its workers."""
    if workers == 1:
        return daemon.pid, []
    first = children(daemon.pid)[0]
    started = [pid for pid in children(first) if b"jackfield.cli.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return first, started


def measure(daemon: Daemon, workers: int, path: str, seconds: int) -> Spent:
    first, started = processes(daemon, workers)
    loops = started or [first]

    own = harness.own_processor_seconds

    def times() -> tuple[float, ...]:
        shared = sum(map(event_loop, loops)) / len(loops)
        return own(first), sum(map(own, started)), shared, load_time()

    before = times()
    load = harness.drive(f"{daemon.base_url}/webhook/{path}", seconds, core=None, connections=64)
    after = times()
    first_ms, worker, loop, driving = (
        1000 * (end - start) / load.requests for start, end in zip(before, after, strict=True)
    )
    return Spent(load.rate, first_ms, worker, loop, driving, load.failures)


def load_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def opened(directory: str, workers: int, server: str) -> Daemon:
    arguments = ["--server", server, "--set", f"daemon.workers={workers}", "--set", "executions.max_count=10000000"]
    daemon = Daemon(Path(directory), arguments=arguments).start(timeout=60)
    api = daemon.admin()
    for document in (received_workflow(), last_node_workflow()):
        daemon.live(document, api)
    return daemon


def middle(found: Sequence[Spent]) -> Spent:
    def of(figure: Callable[[Spent], float]) -> float:
        return statistics.median(map(figure, found))

    return Spent(
        of(lambda each: each.rate),
        of(lambda each: each.first),
        of(lambda each: each.worker),
        of(lambda each: each.loop),
        of(lambda each: each.load),
        sum(each.failures for each in found),
    )


def most(spent: Spent, cores: int) -> float:
    """Calls a second of so many cores that nobody else has: no more than they have for all processes together, and no
    more than one of them has for the busiest event loop. That other threads wait for its lock is left out."""
    return 1000 * min(cores / spent.daemon, 1 / spent.loop)


HEADER = [
    "",
    "",
    "calls/s",
    "first process, ms",
    "workers, ms",
    "together, ms",
    "an event loop, ms",
    "load, ms",
    "failed",
]
COMPARED = ["x measured", "x one core", "x two cores"]


def report(one: dict[str, Spent], many: dict[str, Spent], workers: int, command: str) -> tuple[str, bool]:
    rows, good = [], True
    for path, alone in one.items():
        shared = many[path]
        at_most = most(shared, CORES)
        implied = at_most / most(alone, 1)
        good &= implied >= WANTED and not (alone.failures or shared.failures)
        for name, spent in (("1 process", alone), (f"{workers} workers", shared)):
            times = (spent.first, spent.worker, spent.daemon, spent.loop, spent.load)
            rows.append([path, name, f"{spent.rate:,.0f}", *(f"{each:.3f}" for each in times), str(spent.failures)])
        rows[-2] += [""] * len(COMPARED)
        rows[-1] += [f"{each:.2f}" for each in (shared.rate / alone.rate, implied, at_most / most(alone, CORES))]
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    lines = [f"`{command}` on {harness.environment('hypercorn', 'uvicorn')}; load average {load}.", ""]
    lines += [harness.table([*HEADER, *COMPARED], rows), "", f"x one core >= {WANTED}: {harness.verdict(good)}."]
    return "\n".join([*lines, "", paper(many, workers)]), good


def paper(shared: dict[str, Spent], workers: int) -> str:
    """Calls a second on cores of their own, without the load."""
    rows = []
    for path, spent in shared.items():
        for work in (0.0, WORK):
            each, ends = spent.worker + work, 1000 / spent.first
            rates = [f"{min(1000 * count / each, ends):,.0f}" for count in PAPER]
            rows.append([f"{path}, {work:g} ms of work in nodes", *rates, f"{math.ceil(each / spent.first)}"])
    header = [
        "calls/s on paper with SQLite",
        *(f"{count} workers" for count in PAPER),
        "workers that keep the first process busy",
    ]
    return harness.table(header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--server", default="hypercorn")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    harness.need("wrk")
    harness.keep_bytecode()
    found: dict[int, dict[str, list[Spent]]] = {1: {}, options.workers: {}}
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as many:
        daemons = {1: opened(one, 1, options.server), options.workers: opened(many, options.workers, options.server)}
        try:
            for number in range(options.rounds + 1):
                for workers, daemon in daemons.items():
                    for path in ("received", "last-node"):
                        spent = measure(daemon, workers, path, options.seconds if number else 1)
                        if number:  # the first one warms up
                            found[workers].setdefault(path, []).append(spent)
        finally:
            for daemon in daemons.values():
                daemon.close()
    middles = {workers: {path: middle(each) for path, each in paths.items()} for workers, paths in found.items()}
    command = f"python bench/workers.py --seconds {options.seconds} --rounds {options.rounds} --server {options.server}"
    text, good = report(middles[1], middles[options.workers], options.workers, command)
    harness.publish(f"workers {options.server}", text, write=options.write)
    sys.exit(not good)


if __name__ == "__main__":
    main()
