"""One process against several (`daemon.workers`): processor time per call, and who is busy.

The same two webhooks as `bench/webhooks.py`, with wrk and without pinning: load, first process and workers share the
machine's cores. So beside the rate stands what each of them took of the processor for a call, as the scheduler counts
it, and what follows for two cores that nobody else has:

- the processes together take no more than the cores have;
- an event loop takes no more than one core.

"x one core" is n workers on two cores beside one process on one; "x two cores" is beside one process that has two,
whose writing thread then has the second, and "of at most" what that would be if workers cost nothing at all. Rounds
take turns, and ratios are medians of those of the rounds. Each round has a load of few connections as well: it commits
more often, from which follows what a commit costs, and what a write in it.

From the same figures follows what up to 16 workers would do on cores of their own (`simulated_workers.py`): they share
nothing but the first process, and so the writing of SQLite is where it ends.

With `--undisturbed` daemon and load run before all other processes of the machine, in turns of some seconds: on a busy
machine that is nearly as if it were idle. Where processes displace each other's caches and wait for each other, a
worker takes up to a third more for a call, and its daemon commits four times as often.

    python bench/workers.py [--undisturbed] [--seconds 2] [--workers 2] [--rounds 7] [--server uvicorn] [--write]
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import harness
from simulated_workers import WorkerCosts, WorkersOutcome, simulate_workers
from webhooks import last_node_workflow, received_workflow

from jackfield.testing.daemon import Daemon

WANTED = 1.6
CORES = 2
PAPER = (1, 2, 4, 8, 16)
WORK = 2.0
"""ms of the processor in the nodes of a call: a script, or some dozen items."""
WRITES = {"received": 2, "last-node": 2}
"""Changes that a call makes, by its webhook: the execution, and its end or the answer to its call."""
MANY, FEW = 64, 8
"""Connections."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Of one load: calls a second, and for a call ms of the processor, and commits. first_loop: of the first process's
    event loop, first: of its other threads, the writing one above all; worker: of all workers; loop: of the event loop
    of one process, the busiest; failures: calls that were not answered well."""

    rate: float
    first_loop: float
    first: float
    worker: float
    loop: float
    load: float
    commits: float
    failures: float

    @property
    def daemon(self) -> float:
        return self.first_loop + self.first + self.worker

    def most(self, cores: int) -> float:
        """Calls a second of so many cores that nobody else has: no more than they have for all processes together, and
        no more than one of them has for the busiest event loop. That other threads wait for its lock is left out."""
        return 1000 * min(cores / self.daemon, 1 / self.loop)


def thread_seconds(pid: int) -> dict[int, float]:
    """Of the process, by thread, as the scheduler counts it: /proc/PID/task/TID/schedstat, to the nanosecond."""
    found = {}
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            found[int(thread.name)] = int((thread / "schedstat").read_text().split()[0]) / 1e9
        except OSError:  # it has ended
            continue
    return found


def split(pid: int) -> tuple[float, float]:
    """Seconds of the event loop's thread, and of all others that are there."""
    found = thread_seconds(pid)
    loop = found.pop(pid)
    return loop, sum(found.values())


def load_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Side:
    """A running daemon with both workflows."""

    def __init__(self, folder: str, workers: int, server: str, *, undisturbed: bool) -> None:
        arguments = ["--server", server, "--set", f"daemon.workers={workers}", "--set", "executions.max_count=10000000"]
        self._daemon = Daemon(Path(folder), arguments=arguments).start(timeout=60)
        self._store = Path(folder)
        api = self._daemon.admin()
        for document in (received_workflow(), last_node_workflow()):
            self._daemon.live(document, api)
        self._first, self._workers = self._processes(workers)
        pids = [self._first, *self._workers]
        self._alone = partial(harness.undisturbed, pids) if undisturbed else nullcontext[None]

    def _processes(self, workers: int) -> tuple[int, list[int]]:
        """The first process, and its workers."""
        if workers == 1:
            return self._daemon.pid, []
        first = harness.children(self._daemon.pid)[0]
        started = [
            pid
            for pid in harness.children(first)
            if b"jackfield.cli.processes.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        if len(started) != workers:
            raise RuntimeError(f"{len(started)} workers were found in place of {workers}.")
        return first, started

    def measure(self, path: str, seconds: int, connections: int) -> Spent:
        url = f"{self._daemon.base_url}/webhook/{path}"
        with self._alone():
            before = self._figures()
            load = harness.drive(url, seconds, core=None, connections=connections)
            after = self._figures()
        first_loop, first, worker, loop, driving, commits = (
            (end - start) / (load.requests or 1) for start, end in zip(before, after, strict=True)
        )
        return Spent(
            load.rate, 1e3 * first_loop, 1e3 * first, 1e3 * worker, 1e3 * loop, 1e3 * driving, commits, load.failures
        )

    def _figures(self) -> tuple[float, ...]:
        first_loop, first = split(self._first)
        workers = [split(pid) for pid in self._workers]
        loop = sum(own for own, _ in workers) / len(workers) if workers else first_loop
        return first_loop, first, sum(map(sum, workers)), loop, load_seconds(), float(self._commits())

    def _commits(self) -> int:
        """The store counts them itself."""
        (file,) = self._store.glob("**/jackfield.db")
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT sequence FROM reach").fetchone()[0])

    def close(self) -> None:
        self._daemon.close()


def middle(found: Sequence[Spent]) -> Spent:
    """Of each figure; failures are added up."""
    columns = [[float(getattr(each, one.name)) for each in found] for one in fields(Spent)]
    medians = [statistics.median(column) for column in columns]
    return Spent(*[*medians[:-1], sum(columns[-1])])


def ratio(ones: Sequence[Spent], several: Sequence[Spent], of: Callable[[Spent, Spent], float]) -> float:
    return statistics.median(of(one, many) for one, many in zip(ones, several, strict=True))


def over_one_core(one: Spent, many: Spent) -> float:
    return many.most(CORES) / one.most(1)


def over_two_cores(one: Spent, many: Spent) -> float:
    return many.most(CORES) / one.most(CORES)


def without_costs(one: Spent, _: Spent) -> float:
    """Beside one process with two cores, if the same work were shared out evenly, and nothing came to it."""
    return CORES / one.daemon / (one.most(CORES) / 1000)


HEADER = [
    "", "", "calls/s", "first's loop, ms", "its other threads, ms", "workers, ms", "together, ms", "an event loop, ms",
    "commits a call", "load, ms", "failed", "x measured", "x one core", "x two cores", "of at most",
]  # fmt: skip
Rounds = dict[str, dict[int, list[Spent]]]
"""Path -> connections -> a load of each round."""


def report(one: Rounds, many: Rounds, workers: int, command: str) -> tuple[str, bool]:
    rows, good = [], True
    for path in one:
        ones, several = one[path][MANY], many[path][MANY]
        implied = ratio(ones, several, over_one_core)
        failures = sum(each.failures for each in (*ones, *several))
        good &= implied >= WANTED and not failures
        ratios = [
            ratio(ones, several, lambda own, other: other.rate / own.rate),
            implied,
            ratio(ones, several, over_two_cores),
            ratio(ones, several, without_costs),
        ]
        rows.append([path, "1 process", *shown(middle(ones)), "", "", "", ""])
        rows.append([path, f"{workers} workers", *shown(middle(several)), *(f"{each:.2f}" for each in ratios)])
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    lines = [f"`{command}` on {harness.environment('hypercorn', 'uvicorn')}; load average {load}.", ""]
    lines += [harness.table(HEADER, rows), "", f"x one core >= {WANTED}: {harness.verdict(good)}."]
    return "\n".join([*lines, "", paper(many)]), good


def shown(spent: Spent) -> list[str]:
    times = (spent.first_loop, spent.first, spent.worker, spent.daemon, spent.loop)
    return [
        f"{spent.rate:,.0f}", *(f"{each:.3f}" for each in times), f"{spent.commits:.3f}", f"{spent.load:.3f}",
        f"{spent.failures:.0f}",
    ]  # fmt: skip


def costs_of(path: str, few: Spent, many: Spent) -> WorkerCosts:
    """commit: by how much more the writing thread takes where it commits more often."""
    apart = few.commits - many.commits
    commit = max((few.first - many.first) / apart, 0.0) if apart > 0 else 0.0
    write = max(many.first - commit * many.commits, 0.0)
    return WorkerCosts(many.worker, WRITES[path], many.first_loop, commit, write)


def paper(shared: Rounds) -> str:
    """Calls a second with a core for each process's thread, without the load."""
    rows, told = [], []
    for path, by_connections in shared.items():
        costs = costs_of(path, middle(by_connections[FEW]), middle(by_connections[MANY]))
        told.append(f"{path} commit {costs.commit:.2f}, write {costs.write:.3f}")
        for work in (0.0, WORK):
            found = [simulate_workers(costs.with_work(work), count) for count in PAPER]
            rows.append([f"{path}, {work:g} ms of work in nodes: calls/s", *(f"{each.rate:,.0f}" for each in found)])
            rows.append(["writes in a commit", *(f"{each.batch:.0f}" for each in found)])
            rows.append(["a worker, the first process's loop, its writer busy, %", *map(busy, found)])
    header = ["on paper with SQLite", *(f"{count} workers" for count in PAPER)]
    return f"{harness.table(header, rows)}\n\nOf the writing thread, ms: {'; '.join(told)}."


def busy(found: WorkersOutcome) -> str:
    return ", ".join(f"{100 * each:.0f}" for each in (found.workers, found.first_loop, found.writer))


def measured(rounds: int, workers: int, seconds: int, server: str, undisturbed: bool) -> dict[int, Rounds]:
    """By the number of workers. Few connections are for them alone."""
    found: dict[int, Rounds] = {count: {path: {MANY: [], FEW: []} for path in WRITES} for count in (1, workers)}
    with ExitStack() as stack:
        sides = {}
        for count in found:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            sides[count] = stack.enter_context(closing(Side(folder, count, server, undisturbed=undisturbed)))
        for path in WRITES:
            for side in sides.values():
                side.measure(path, 1, MANY)  # warms up
        for number in range(rounds):
            for path in WRITES:
                for count in sorted(sides, reverse=bool(number % 2)):
                    found[count][path][MANY].append(sides[count].measure(path, seconds, MANY))
                found[workers][path][FEW].append(sides[workers].measure(path, seconds, FEW))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=2, help="of each load")
    parser.add_argument("--undisturbed", action="store_true", help="before all other processes; needs root")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--server", default="uvicorn")
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    options = parser.parse_args()
    harness.need("wrk")
    harness.keep_bytecode()
    rounds = measured(options.rounds, options.workers, options.seconds, options.server, options.undisturbed)
    alone = " --undisturbed" if options.undisturbed else ""
    times = f"--seconds {options.seconds} --rounds {options.rounds}"
    command = f"python bench/workers.py{alone} {times} --server {options.server}"
    text, good = report(rounds[1], rounds[options.workers], options.workers, command)
    harness.publish(f"workers {options.server}", text, write=options.write)
    sys.exit(not good)


if __name__ == "__main__":
    main()
