"""Several daemons over one PostgreSQL, on paper: a simulation of events that predicts calls a second.

    python bench/simulate.py [--measured docs/benchmarks.md] [--write] [--call MS] [--execution MS] ...

A daemon is one process that does one thing at a time: it takes calls, runs the nodes of executions in its slots, and
hands what they write to its connection, whose next batch takes whatever has gathered meanwhile. PostgreSQL has a
backend for each daemon, and one disk whose flush serves all that wait for it. Processes share the cores of their
machine, first come, first served. Every cost is milliseconds of the processor, given by an option; the defaults are
those of docs/benchmarks.md. With `--measured FILE`, the tables of `bench/scale.py` in that file, costs are fitted to
what one daemon has taken, and the rates of one and two are predicted and compared. Four daemons want four cores: where
there are two they cannot be measured, so that this prediction stands alone. Memory, the network's width, vacuum,
checkpoints and locks are not in it.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import harness
from harness import table, verdict
from simulated_cluster import Costs, Outcome, Setting, simulate

TOLERANCE = 0.15
MEASURED = re.compile(r"^\| (\d) daemons?, 0\.9 ms of work \|(.+)\|$", re.MULTILINE)
BENCH = Setting(cores=2, in_flight=64)
"""As bench/scale.py measures: two cores for everything, calls that follow each other."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Of an execution: ms of work in its nodes, and writes that it waits for."""

    work: float
    writes: int

    def of(self, costs: Costs) -> Costs:
        return replace(costs, work=self.work, writes=self.writes)


EFFECTS = Kind(0.9, 4)
"""Of bench/scale.py: three nodes with an effect, a checkpoint before each but the first, and acceptance and end."""
PLAIN = Kind(0.0, 1)
"""Three nodes without an effect: stored once, with the end."""
WANTED = 10_000
RESERVE = 0.2
SHARE = 2_000
"""Calls of each daemon."""
HEADER = ["", "calls/s", "p50 ms", "p99 ms", "daemons, ms each", "PostgreSQL", "load", "writes in a batch"]


@dataclass(frozen=True, slots=True)
class Measured:
    """A row of bench/scale.py; ms of the processor for an execution."""

    rate: float
    daemons: float
    postgres: float
    client: float


def measured(text: str) -> dict[int, Measured]:
    """By the number of daemons. Empty where the tables are not there."""
    found = {}
    for row in MEASURED.finditer(text):
        cells = [float(cell.replace(",", "")) for cell in row[2].split("|")]
        found[int(row[1])] = Measured(cells[0], *cells[2:5])
    return found


def fitted(costs: Costs, one: Measured) -> Costs:
    """Costs with which one simulated daemon takes what the measured one did."""
    for _ in range(4):
        found = simulate(costs, replace(BENCH, daemons=1))
        server = one.postgres / found.postgres
        costs = replace(
            costs,
            execution=max(costs.execution + one.daemons - found.daemons, 0.0),
            server_batch=costs.server_batch * server,
            server_write=costs.server_write * server,
            load=max(costs.load + one.client - found.load, 0.0),
        )
    return costs


def row(name: str, found: Outcome) -> list[str]:
    spent = [f"{each:.2f}" for each in (found.daemons, found.postgres, found.load)]
    return [name, f"{found.rate:,.0f}", f"{found.p50:.1f}", f"{found.p99:.1f}", *spent, f"{found.batch:.1f}"]


def predictions(costs: Costs) -> tuple[list[list[str]], float]:
    """Rows, and the rate of two daemons beside that of one, where all share two cores."""
    shared = [simulate(costs, replace(BENCH, daemons=n)) for n in (1, 2)]
    rows = [row(f"{n} on 2 cores, with load and database", found) for n, found in enumerate(shared, 1)]
    apart = {n: simulate(costs, Setting(daemons=n, in_flight=64 * n)) for n in (1, 2, 4)}
    rows += [row(f"{n} with a core each", found) for n, found in apart.items()]
    return rows, shared[1].rate / shared[0].rate


def compared(costs: Costs, real: dict[int, Measured]) -> list[list[str]]:
    rows = []
    for count, one in sorted(real.items()):
        rate = simulate(costs, replace(BENCH, daemons=count)).rate
        off = rate / one.rate - 1
        name = f"{count} daemon{'s' if count > 1 else ''}"
        rows.append([name, f"{rate:,.0f}", f"{one.rate:,.0f}", f"{off:+.1%}", verdict(abs(off) <= TOLERANCE)])
    return rows


def fleet(costs: Costs, wanted: float) -> tuple[int, Outcome]:
    """Daemons, a core each, that take so many calls a second with `RESERVE` of what they could take left."""
    at_most = simulate(costs, Setting()).rate
    count = math.ceil(wanted / (at_most * (1 - RESERVE)))
    return count, simulate(costs, Setting(daemons=count, arrivals=wanted, calls=SHARE * count))


def large(costs: Costs, history_kb: float) -> list[list[str]]:
    rows = []
    for name, kind in (("three plain nodes", PLAIN), ("three effects, 0.9 ms of work", EFFECTS)):
        count, found = fleet(kind.of(costs), WANTED)
        cores = found.rate * found.daemons / 1000
        megabytes = found.rate * history_kb / 1000
        rows.append(
            [name, str(count), f"{cores:.1f}", f"{found.rate * found.postgres / 1000:.1f}", f"{megabytes:.0f}",
             f"{found.p50:.1f}", f"{found.p99:.1f}"]
        )  # fmt: skip
    return rows


LARGE = ["", "daemons, a core each", "of these busy", "PostgreSQL, cores", "history, MB/s", "p50 ms", "p99 ms"]


def text(costs: Costs, real: dict[int, Measured], history_kb: float) -> tuple[str, bool]:
    """The tables, and whether every measured rate is within the tolerance."""
    effects, good = EFFECTS.of(costs), True
    parts: list[str] = []
    if 1 in real:
        effects = fitted(effects, real[1])
        rows = compared(effects, real)
        good = not any("fail" in each[-1] for each in rows)
        parts.append(table(["measured", "predicted calls/s", "measured", "off", "within 15 %"], rows))
    rows, ratio = predictions(effects)
    parts[:0] = [table(HEADER, rows), f"2 daemons on 2 cores beside 1: {ratio:.2f} x the calls a second."]
    parts.append(f"{WANTED:,} calls a second, with a fifth of what the daemons could take left:")
    parts.append(table(LARGE, large(costs, history_kb)))
    shown = ", ".join(f"{each.name} {getattr(effects, each.name):g}" for each in fields(Costs))
    parts.append(f"Costs of the first table, ms of the processor: `{shown}`.")
    return "\n\n".join(parts), good


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for each in fields(Costs):
        parser.add_argument(
            f"--{each.name.replace('_', '-')}",
            type=int if each.name == "writes" else float,
            default=each.default,
            help="default %(default)s",
        )
    parser.add_argument("--history-kb", type=float, default=10.0, help="of an execution with its call")
    parser.add_argument("--measured", type=Path, metavar="FILE", help="with the tables of bench/scale.py")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    given = parser.parse_args(arguments)
    costs = Costs(**{each.name: getattr(given, each.name) for each in fields(Costs)})
    real = measured(given.measured.read_text()) if given.measured else {}
    if given.measured and not real:
        print(f"{given.measured} has no rows of bench/scale.py: nothing is compared.", file=sys.stderr)
    found, good = text(costs, real, given.history_kb)
    harness.publish("simulate", f"`python bench/simulate.py` — events drawn from a seed.\n\n{found}", write=given.write)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
