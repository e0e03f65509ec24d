"""Months of history: pages and counts at 1,000,000 executions, what a cap that is reached and ages cost, for the store
in SQLite and the one in PostgreSQL.

    python bench/growth.py [--store sqlite] [--part cap] [--executions 1000000] [--workflows 10] [--cap 40000] [--write]

Each store is filled through its port with short executions of 13 days. Then lists are read, and beside each of them the
rows that it counts and skips are counted and skipped one by one, as it was done before. For the cap, two more stores
are filled up to it with executions and calls of 7 KB. Then both get more of them in turn: one deletes what is beyond
its caps as the daemon does, the other keeps everything. The processor's time is that of this process and the server.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import logging
import statistics
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import harness
import psycopg
import store as store_bench
from scale_cluster import durable_postgres, postmaster, seconds_of

from jackfield.api.pruning import prune_forever
from jackfield.api.storage import KEEP_ALL, ExecutionFilter, FinishedExecution, NewExecution, Retention
from jackfield.testing.context import FakeContext
from jackfield.testing.postgres import PostgresServer
from jackfield_engine.retention import retention_at
from jackfield_engine.settings import ExecutionsSettings
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.store import PostgresStore
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore
from jackfield_webhooks.retention import prune_forever as prune_calls
from jackfield_webhooks.settings import HistorySettings, WebhookSettings

DAY = 86_400_000
DAYS = 13
AT_ONCE = 2000
TIMES = 9
PAIRS = 5
SWEPT = 180
"""Seconds to wait for autovacuum."""
CALLS = 4
"""Executions for each call that is kept."""
_LOG = logging.getLogger("bench")
Step = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of store. server: of PostgreSQL; None: SQLite."""

    name: str
    directory: Path
    server: PostgresServer | None = None

    @contextlib.asynccontextmanager
    async def opened(self, part: str) -> AsyncIterator[SqliteStore | PostgresStore]:
        """One of its stores, made when it is not there."""
        made: SqliteStore | PostgresStore
        if self.server is None:
            folder = self.directory / part
            folder.mkdir(exist_ok=True)
            made = SqliteStore(folder, SqliteSettings(timeout=60), _LOG)
        else:
            made = PostgresStore(PostgresSettings(dsn=self.server.dsn(), schema_name=part, timeout=60), _LOG)
        await made.open()
        try:
            yield made
        finally:
            await made.close()

    def size(self, part: str) -> int:
        """Bytes of one of its stores on the disk."""
        if self.server is None:
            return sum(file.stat().st_size for file in (self.directory / part).glob("jackfield.db*"))
        total = """SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
            WHERE relkind = 'r' AND relnamespace = %s::regnamespace"""
        with psycopg.connect(self.server.dsn()) as connection:
            found = connection.execute(total, [part]).fetchone()
        return int(found[0]) if found else 0

    async def looked_at(self, part: str) -> None:
        """What autovacuum does within a minute or two: the planner has figures, and what is dead is swept out."""
        if self.server is None:
            return
        waiting = """SELECT 1 FROM pg_stat_user_tables WHERE schemaname = %s AND (n_dead_tup > 0.1 * n_live_tup + 1000
            OR (n_mod_since_analyze > 0.2 * n_live_tup + 1000 AND n_live_tup > 1000))"""
        deadline = time.monotonic() + SWEPT
        with psycopg.connect(self.server.dsn(), autocommit=True) as connection:
            while connection.execute(waiting, [part]).fetchone() and time.monotonic() < deadline:
                await asyncio.sleep(1)

    def seconds(self) -> float:
        """Of the processor, so far."""
        own = time.process_time()
        return own if self.server is None else own + seconds_of(postmaster(self.server))


# ------------------------------------------------------------------------------------------------------------- lists


def executions(count: int, workflows: int) -> Iterator[tuple[NewExecution, FinishedExecution]]:
    """Evenly over the days, the oldest first."""
    first = time.time_ns() // 1_000_000 - DAYS * DAY
    for number in range(count):
        at = first + number * DAYS * DAY // count
        ident = str(uuid.UUID(int=(at << 80) | (7 << 76) | (2 << 62) | number))
        status = "failed" if number % 50 == 0 else "success"
        new = NewExecution(ident, f"w{number % workflows}", 1, "webhook", "running", at, b'{"items":[]}', at)
        yield new, FinishedExecution(ident, status, at + 5, at, b'{"runs":[]}')  # type: ignore[arg-type]  # one of two


async def fill(store: SqliteStore | PostgresStore, count: int, workflows: int) -> float:
    """Executions per second."""
    start = time.perf_counter()
    waiting: list[asyncio.Future[None]] = []
    for new, end in executions(count, workflows):
        waiting.append(store.add_execution(new, end))
        if len(waiting) >= AT_ONCE:
            await asyncio.gather(*waiting)
            waiting.clear()
    await asyncio.gather(*waiting)
    return count / (time.perf_counter() - start)


async def took(step: Step, times: int = TIMES) -> list[float]:
    """Milliseconds of each time."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        await step()
        found.append((time.perf_counter() - start) * 1000)
    return found


def one_by_one(store: SqliteStore | PostgresStore, where: str, offset: int | None) -> Step:
    """What lists did before: count the rows, and skip some of them; None: count by status."""
    counted = f"SELECT status, count(*) FROM executions{where} GROUP BY status"
    listed = f"SELECT id, status FROM executions{where} ORDER BY created_at DESC, id DESC LIMIT 50 OFFSET {offset}"

    def work(connection: Any) -> None:  # Any: of either database
        if offset is None:
            connection.execute(counted).fetchall()
        else:
            connection.execute(f"SELECT count(*) FROM executions{where}").fetchall()
            connection.execute(listed).fetchall()

    return lambda: store._db.read(work)


async def lists(kind: Kind, count: int, workflows: int) -> list[list[str]]:
    rows = []
    async with kind.opened("many") as store:
        rate = await fill(store, count, workflows)
        now = time.time_ns() // 1_000_000
        await store.prune(Retention(0, KEEP_ALL, 0, KEEP_ALL, now))  # sums up what was counted, as daemons do
    await kind.looked_at("many")
    async with kind.opened("many") as store:
        (first,) = await took(functools.partial(store.execution_stats, ExecutionFilter()), 1)
        now = time.time_ns() // 1_000_000
        day = ExecutionFilter(since=now - DAY)
        for name, where, offset, sql in (
            ("first page", ExecutionFilter(), 0, ""),
            ("first page of a workflow", ExecutionFilter("w1"), 0, " WHERE workflow_id = 'w1'"),
            ("first page of those that failed", ExecutionFilter(status="failed"), 0, " WHERE status = 'failed'"),
            ("page behind half of them", ExecutionFilter(), count // 2, ""),
            ("last page", ExecutionFilter(), count - 50, ""),
            ("counts by status", ExecutionFilter(), None, ""),
            ("counts of the last 24 hours", day, None, f" WHERE created_at >= {day.since}"),
        ):
            step: Step = functools.partial(store.execution_stats, where)
            if offset is not None:
                step = functools.partial(store.executions, where, offset=offset, limit=50)
            ours, before = await took(step), await took(one_by_one(store, sql, offset), 3)
            rows.append([kind.name, name, *(f"{value:.1f}" for value in (statistics.median(ours), max(ours)))])
            rows[-1].append(f"{statistics.median(before):.0f}")
            print(rows[-1], flush=True)
    rows.append([kind.name, "counts by status, the first after a start", f"{first:.1f}", f"{first:.1f}", ""])
    print(f"{kind.name}: filled with {rate:,.0f} executions/s, {kind.size('many') / 1e6:,.0f} MB", flush=True)
    return rows


# --------------------------------------------------------------------------------------------------------------- cap


class Load:
    """More executions with their calls, by as many tasks as `bench/store.py` has. most: kept at any look."""

    def __init__(self, kind: Kind, store: SqliteStore | PostgresStore) -> None:
        self._kind = kind
        self._store = store
        self.most = 0

    async def add(self, count: int) -> None:
        for _ in range(0, count, store_bench.TASKS):
            waiting = (store_bench.joined(cast("SqliteStore", self._store)) for _ in range(store_bench.TASKS))
            await asyncio.gather(*waiting)

    async def measured(self, seconds: float) -> tuple[float, float]:
        """Executions per second, and ms of the processor for each."""
        done = 0
        end = time.perf_counter() + seconds

        async def task() -> None:
            nonlocal done
            while time.perf_counter() < end:
                await store_bench.joined(cast("SqliteStore", self._store))
                done += 1

        start, used = time.perf_counter(), self._kind.seconds()
        looking = asyncio.ensure_future(self._look())
        await asyncio.gather(*(task() for _ in range(store_bench.TASKS)))
        looking.cancel()
        return done / (time.perf_counter() - start), (self._kind.seconds() - used) / done * 1000

    async def _look(self) -> None:
        while True:
            counts = await self._store.execution_stats(ExecutionFilter())
            self.most = max(self.most, counts.get("success", 0))
            await asyncio.sleep(0.1)


@contextlib.asynccontextmanager
async def pruned(store: SqliteStore | PostgresStore, cap: int, place: Path) -> AsyncIterator[None]:
    """As the daemon does it, with both caps."""
    limits = ExecutionsSettings(max_count=cap)
    history = WebhookSettings(history=HistorySettings(max_calls=cap // CALLS))
    context = FakeContext(place, ports={"Store": store}, tables=[history])
    store.hold_caps(executions=cap)
    pruning = prune_forever(context, limits.prune_interval, functools.partial(retention_at, limits), "It failed.")
    tasks = [asyncio.ensure_future(pruning), asyncio.ensure_future(prune_calls(context))]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def capped(kind: Kind, cap: int, seconds: float) -> list[str]:
    async with kind.opened("free") as free, kind.opened("capped") as bounded:
        without, within = Load(kind, free), Load(kind, bounded)
        await without.add(cap)
        async with pruned(bounded, cap, kind.directory):
            await within.add(cap * 2)
            await kind.looked_at("free")
            await kind.looked_at("capped")
            await within.measured(seconds)
            before = kind.size("capped")
            within.most = 0
            pairs = []
            for _ in range(PAIRS):
                pairs.append((await without.measured(seconds), await within.measured(seconds)))
                print(pairs[-1], flush=True)
            after = kind.size("capped")
    rate = statistics.median(mine[0] / other[0] for other, mine in pairs)
    used = statistics.median(mine[1] / other[1] for other, mine in pairs)
    rates = [f"{statistics.median(pair[place][0] for pair in pairs):,.0f}" for place in (0, 1)]
    over = (within.most - cap) / cap
    sizes = [f"{size / 1e6:,.0f}" for size in (before, after)]
    return [kind.name, *rates, f"{rate:.2f}", f"{used:.2f}", f"{over:.2%}", *sizes]


# --------------------------------------------------------------------------------------------------------------- age


async def old(store: SqliteStore | PostgresStore, count: int) -> None:
    """Executions that ended 15 days ago, with bodies of 7 KB."""
    at = time.time_ns() // 1_000_000 - 15 * DAY
    for _ in range(0, count, AT_ONCE):
        idents = [str(uuid.uuid4()) for _ in range(AT_ONCE)]
        made = (NewExecution(ident, "w", 1, "webhook", "running", at, store_bench.BODY, at) for ident in idents)
        ends = (FinishedExecution(ident, "success", at + 5, at, store_bench.BODY) for ident in idents)
        await asyncio.gather(*(store.add_execution(*both) for both in zip(made, ends, strict=True)))


async def prune_always(store: SqliteStore | PostgresStore) -> None:
    """What is old, without the pause between two looks."""
    while True:
        now = time.time_ns() // 1_000_000
        if await store.prune(Retention(now - 14 * DAY, KEEP_ALL, 0, KEEP_ALL, now)) == 0:
            await asyncio.sleep(0.1)


async def aged(kind: Kind, count: int, seconds: float) -> list[str]:
    async with kind.opened("aged") as store:
        await old(store, count)
        load = Load(kind, store)
        await load.measured(seconds)
        pairs, gone = [], 0
        for _ in range(PAIRS):
            without = await load.measured(seconds)
            left = await ended_before(store)
            task = asyncio.ensure_future(prune_always(store))
            within = await load.measured(seconds)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            gone += left - await ended_before(store)
            pairs.append((without, within))
            print(pairs[-1], gone, flush=True)
        start = time.perf_counter()
        left = await ended_before(store)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(prune_always(store), seconds)
        idle = (left - await ended_before(store)) / (time.perf_counter() - start)
    rate = statistics.median(mine[0] / other[0] for other, mine in pairs)
    used = statistics.median(mine[1] / other[1] for other, mine in pairs)
    rates = [f"{statistics.median(pair[place][0] for pair in pairs):,.0f}" for place in (0, 1)]
    return [kind.name, *rates, f"{rate:.2f}", f"{used:.2f}", f"{gone / PAIRS / seconds:,.0f}", f"{idle:,.0f}"]


async def ended_before(store: SqliteStore | PostgresStore) -> int:
    until = time.time_ns() // 1_000_000 - 14 * DAY
    return sum((await store.execution_stats(ExecutionFilter(until=until))).values())


# ------------------------------------------------------------------------------------------------------------ report


def report(
    options: argparse.Namespace,
    rows: Sequence[Sequence[str]],
    caps: Sequence[Sequence[str]],
    ages: Sequence[Sequence[str]],
) -> str:
    listed = harness.table(["store", "read", "ms", "ms at most", "ms by counting and skipping rows"], rows)
    bounded = harness.table(
        ["store", "executions/s without a cap", "at the cap", "ratio", "processor, ratio", "over the cap at most",
         "MB before", "MB after"],
        caps,
    )  # fmt: skip
    past = harness.table(
        ["store", "executions/s", "while old ones go", "ratio", "processor, ratio", "deleted/s", "deleted/s when idle"],
        ages,
    )
    given = ("executions", "workflows", "cap", "old", "seconds")
    command = " ".join(["python bench/growth.py", *(f"--{name} {getattr(options, name)}" for name in given)])
    return f"""`{command}` — {harness.environment("psycopg")}.

{options.executions:,} executions over {DAYS} days, of {options.workflows} workflows:

{listed}

At a cap of {options.cap:,} executions and {options.cap // CALLS:,} calls of a webhook, each of 7 KB; medians of
{PAIRS} pairs:

{bounded}

{options.old:,} executions that are past their age, deleted while others come, and while nobody writes:

{past}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=("sqlite", "postgres"), help="by default both")
    parser.add_argument("--executions", type=int, default=1_000_000)
    parser.add_argument("--workflows", type=int, default=10)
    parser.add_argument("--part", choices=("lists", "cap", "age"), help="by default all")
    parser.add_argument("--cap", type=int, default=40_000)
    parser.add_argument("--old", type=int, default=40_000)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--directory", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows: list[list[str]] = []
    caps: list[list[str]] = []
    ages: list[list[str]] = []
    with contextlib.ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.directory)))
        kinds = []
        if options.store != "postgres":
            kinds.append(Kind("SQLite", directory))
        if options.store != "sqlite":
            kinds.append(Kind("PostgreSQL", directory, stack.enter_context(durable_postgres())))
        for kind in kinds:
            if options.part in (None, "lists"):
                rows += asyncio.run(lists(kind, options.executions, options.workflows))
            if options.part in (None, "cap"):
                caps.append(asyncio.run(capped(kind, options.cap, options.seconds)))
            if options.part in (None, "age"):
                ages.append(asyncio.run(aged(kind, options.old, options.seconds)))
    harness.publish("growth", report(options, rows, caps, ages), write=options.write)


if __name__ == "__main__":
    main()
