"""HTTP servers beside each other, in turn within one run: Hypercorn and uvicorn, each below the daemon and below a
server that does the least, and granian below the latter.

    python bench/servers.py [--undisturbed] [--rounds 3] [--seconds 2] [--connections 1,32,200,1000] [--write]

Every round loads each of them once with each load, so that whatever else the machine does meets all alike. The table
has medians of processor time for a call, and of the rounds' ratios; `server.name = "auto"` is decided by it. All
servers share one core, and wrk has another; those that wait for their turn take next to nothing. With `--undisturbed`
the loaded server and wrk run before all other processes of the machine. Needs wrk, taskset and granian.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import harness
from webhooks import CONNECTIONS, Measured, floor_server, jackfield

OURS = ("hypercorn", "uvicorn")
"""The daemon's own; the first is what ratios are against."""
FLOORS = (*OURS, "granian")
USUAL = harness.CONNECTIONS
Load = Callable[[], float]
"""Loads one server once; ms of the processor for a call. Raises `RuntimeError` for calls that fail."""
Alone = Callable[[Sequence[int]], contextlib.AbstractContextManager[None]]
"""Keeps all others away from these processes."""
Found = Mapping[str, Mapping[str, Sequence[float]]]
"""Name of the load -> server -> a figure of each round."""


def floor_load(url: str, pid: int, seconds: int, alone: Alone) -> Load:
    def load() -> float:
        with alone([pid, *harness.children(pid)]):
            before = harness.processor_seconds(pid)
            found = harness.drive(url, seconds)
            return spent(harness.processor_seconds(pid) - before, found.requests, found.failures)

    return load


def daemon_load(measured: Measured, path: str, seconds: int, connections: int, alone: Alone) -> Load:
    def load() -> float:
        with alone([measured.daemon.pid]):
            found, milliseconds, ran = measured.drive(path, seconds, connections)
        return spent(milliseconds * ran / 1000, ran, found.failures)

    return load


def spent(seconds: float, calls: int, failures: int) -> float:
    if failures or not calls:
        raise RuntimeError(f"{failures} calls have failed, {calls} have not.")
    return seconds / calls * 1000


@contextlib.contextmanager
def loads(seconds: int, connections: Sequence[int], alone: Alone) -> Iterator[dict[str, dict[str, Load]]]:
    """Name of the load -> server -> the load. Everything runs as long as the context is open."""
    made: dict[str, dict[str, Load]] = defaultdict(dict)
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for server in FLOORS:
            for name, database in (("bare ASGI callable", None), ("one durable row", place / f"{server}.db")):
                url, pid = stack.enter_context(floor_server(server, database))
                made[f"floor: {name}"][server] = floor_load(url, pid, seconds, alone)
        for server in OURS:
            measured = Measured(stack.enter_context(jackfield(server)))
            made[f"onReceived, {USUAL} connections"][server] = daemon_load(measured, "received", seconds, USUAL, alone)
            for number in connections:
                each = daemon_load(measured, "last-node", seconds, number, alone)
                made[f"lastNode, {number} connections"][server] = each
        yield made


def measure(rounds: int, seconds: int, connections: Sequence[int], alone: Alone) -> Found:
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with loads(seconds, connections, alone) as made:
        for number in range(rounds):
            for name, servers in made.items():
                # Whoever comes second finds the caches as the first has left them: in turn.
                order = list(servers) if number % 2 else list(reversed(servers))
                for server in order:
                    found[name][server].append(servers[server]())
    return found


def report(found: Found) -> str:
    header = ["ms of the processor for a call", *FLOORS]
    header += [f"{server} / {OURS[0]}" for server in FLOORS[1:]]
    rows = []
    for name, servers in found.items():
        medians = [f"{statistics.median(servers[each]):.3f}" if each in servers else "" for each in FLOORS]
        rows.append([name, *medians, *(ratio(servers, each) for each in FLOORS[1:])])
    return harness.table(header, rows)


def ratio(servers: Mapping[str, Sequence[float]], server: str) -> str:
    """The median of the rounds', and the least and most of them."""
    if server not in servers:
        return ""
    each = [one / other for one, other in zip(servers[server], servers[OURS[0]], strict=True)]
    return f"{statistics.median(each):.2f} ({min(each):.2f} to {max(each):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--undisturbed", action="store_true", help="before all other processes; needs root")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=2, help="of each load")
    parser.add_argument("--connections", default=",".join(map(str, CONNECTIONS)))
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    options = parser.parse_args()
    harness.need("wrk", "taskset")
    harness.keep_bytecode()
    connections = [int(number) for number in options.connections.split(",")]
    alone: Alone = harness.undisturbed if options.undisturbed else lambda _: contextlib.nullcontext()
    table = report(measure(options.rounds, options.seconds, connections, alone))
    told = " --undisturbed" if options.undisturbed else ""
    command = f"python bench/servers.py{told} --rounds {options.rounds} --seconds {options.seconds}"
    where = harness.environment("hypercorn", "uvicorn", "httptools", "uvloop", "granian")
    about = f"`{command}` — wrk, {len(harness.payload()):,} bytes, floors with {USUAL} connections. {where}."
    harness.publish("servers", f"{about}\n\n{table}", write=options.write)


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as exc:
        sys.exit(str(exc))
