"""One process against several (`daemon.workers`): processor time per call, and who is busy.

The same two webhooks as `bench/webhooks.py`, with wrk and without pinning: load, first process and workers share the
machine's cores. So beside the rate stands what each of them took of the processor for a call, as the system counts it,
and what follows for a machine with as many cores as it has processes that are busy:

- one process: the most calls a second are one core's, divided by what the event loop's process takes for a call;
- n workers: n cores' worth of what a worker takes, as long as the first process is not busy all the time.

    python bench/workers.py [--seconds 5] [--workers 2] [--rounds 3] [--server hypercorn] [--write]
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import harness
from webhooks import last_node_workflow, received_workflow

from jackfield.testing.daemon import Daemon

TICK = os.sysconf("SC_CLK_TCK")
WANTED = 1.6
CORES = 2


@dataclass(frozen=True, slots=True)
class Spent:
    """Of one load: calls a second, and ms of the processor for a call. failures: calls that were not answered well."""

    rate: float
    first: float
    worker: float
    load: float
    failures: int

    @property
    def daemon(self) -> float:
        return self.first + self.worker


def processor(pid: int) -> float:
    """Seconds that a process has had, with all of its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


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
    before = processor(first), sum(map(processor, started)), load_time()
    load = harness.drive(f"{daemon.base_url}/webhook/{path}", seconds, core=None, connections=64)
    after = processor(first), sum(map(processor, started)), load_time()
    spent = [1000 * (end - start) / load.requests for start, end in zip(before, after, strict=True)]
    return Spent(load.rate, *spent, load.failures)


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
    names = ("rate", "first", "worker", "load")
    figures = [statistics.median(getattr(each, name) for each in found) for name in names]
    return Spent(*figures, sum(each.failures for each in found))


def most(spent: Spent, workers: int, cores: int, load: float) -> float:
    """Calls a second of so many cores. load: ms of the processor that the load takes for a call on these cores too; 0:
    it has cores of its own. The whole cannot take more than the cores have, and no process more than one of them."""
    whole = spent.daemon + load
    busiest = max(spent.first, spent.worker / workers if workers > 1 else 0.0)
    return 1000 * min(cores / whole, 1 / busiest)


def report(one: dict[str, Spent], many: dict[str, Spent], workers: int, command: str) -> tuple[str, bool]:
    rows, good = [], True
    for path, alone in one.items():
        shared = many[path]
        implied = most(shared, workers, CORES, 0.0) / most(alone, 1, CORES, 0.0)
        good &= implied >= WANTED and not (alone.failures or shared.failures)
        for name, spent in (("1 process", alone), (f"{workers} workers", shared)):
            figures = [f"{spent.first:.3f}", f"{spent.worker:.3f}", f"{spent.daemon:.3f}", f"{spent.load:.3f}"]
            rows.append([path, name, f"{spent.rate:,.0f}", *figures, str(spent.failures)])
        rows[-1].append(f"{shared.rate / alone.rate:.2f}")
        rows[-1].append(f"{implied:.2f}")
        rows[-2] += ["", ""]
    header = [
        "",
        "",
        "calls/s",
        "first process, ms",
        "workers, ms",
        "together, ms",
        "load, ms",
        "failed",
        "x",
        "x implied",
    ]
    lines = [harness.table(header, rows), "", f"`{command}` on {harness.environment('hypercorn')}."]
    return "\n".join(lines), good


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
    harness.publish("workers", text, write=options.write)
    sys.exit(not good)


if __name__ == "__main__":
    main()
