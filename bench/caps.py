"""A whole daemon whose caps are reached, beside one without: the webhook of three nodes that `scale.py` has, in turn.

    python bench/caps.py [--store postgres] [--cap 8000] [--pairs 10] [--seconds 4] [--write]

Both daemons run all the time, over one server of PostgreSQL or two files of SQLite. One keeps everything, the other as
many executions and calls as the cap says, and is filled up to it before. The processor's time is that of the daemon and
of the server, what autovacuum takes included.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
from collections.abc import Iterator

import harness
from scale_cluster import Cluster, Found, answered, cluster, driven, durable_postgres, effects

from jackfield.testing.daemon import Daemon
from jackfield.testing.postgres import PostgresServer

PATH = "steady"
CONNECTIONS = 32


@contextlib.contextmanager
def running(server: PostgresServer | None, cap: int | None) -> Iterator[tuple[Cluster, Daemon]]:
    """A daemon with the workflow. cap: None: it keeps everything."""
    with cluster(server) as made:
        if cap is not None:
            given = {"JACKFIELD_EXECUTIONS_MAX_COUNT": str(cap), "JACKFIELD_WEBHOOKS_HISTORY_MAX_CALLS": str(cap)}
            made.env = {**made.env, **given}
        else:
            made.env = {**made.env, "JACKFIELD_WEBHOOKS_HISTORY_MAX_CALLS": str(10_000_000)}
        daemon = made.daemon()
        daemon.live(effects(PATH, "lastNode"))
        yield made, daemon


def fill(daemon: Daemon, count: int) -> None:
    done = 0
    while done < count:
        done += sum(load.requests for load in driven([daemon], PATH, CONNECTIONS, 3))


def pairs(server: PostgresServer | None, cap: int, count: int, seconds: int) -> list[tuple[Found, Found]]:
    """Without the cap, and at it."""
    found = []
    with running(server, None) as (free, one), running(server, cap) as (capped, other):
        fill(other, cap * 3 // 2)
        fill(one, cap)
        if server is not None:
            server.run("ANALYZE")  # as autovacuum does within a minute
        for number in range(count):
            turns = [(free, one), (capped, other)]
            both = [
                answered(made, [daemon], PATH, CONNECTIONS, seconds) for made, daemon in turns[:: 1 - number % 2 * 2]
            ]
            found.append((both[number % 2], both[1 - number % 2]))
            print(
                *(f"{each.rate:,.0f}/s {each.daemons:.2f} + {each.postgres:.2f} ms" for each in found[-1]), flush=True
            )
    return found


def row(name: str, found: list[tuple[Found, Found]]) -> list[str]:
    rates = [statistics.median(pair[place].rate for pair in found) for place in (0, 1)]
    times = [statistics.median(pair[place].processor for pair in found) for place in (0, 1)]
    rate = statistics.median(mine.rate / other.rate for other, mine in found)
    used = statistics.median(mine.processor / other.processor for other, mine in found)
    return [name, *(f"{each:,.0f}" for each in rates), f"{rate:.2f}", *(f"{each:.2f}" for each in times), f"{used:.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=("sqlite", "postgres"), help="by default both")
    parser.add_argument("--cap", type=int, default=8000)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = []
    if options.store != "postgres":
        rows.append(row("SQLite", pairs(None, options.cap, options.pairs, options.seconds)))
    if options.store != "sqlite":
        with durable_postgres() as server:
            rows.append(row("PostgreSQL", pairs(server, options.cap, options.pairs, options.seconds)))
    table = harness.table(
        ["store", "executions/s without a cap", "at the cap", "ratio", "ms of the processor without", "at the cap",
         "ratio"],
        rows,
    )  # fmt: skip
    given = f"--cap {options.cap} --pairs {options.pairs} --seconds {options.seconds}"
    harness.publish(
        "caps", f"`python bench/caps.py {given}` — {harness.environment('psycopg')}.\n\n{table}", write=options.write
    )


if __name__ == "__main__":
    main()
