"""The cost of the store's statements through psycopg, as `jackfield_store_postgres` uses it, and asyncpg: batches
of the writer (as many executions that begin as that end, 7 KB each), one execution that is read, and a page of a list.
The drivers take turns; each figure is the median of five.

    pip install --target LIBRARIES asyncpg
    PYTHONPATH=LIBRARIES chrt -f 20 python bench/postgres_drivers.py [--seconds 0.3] [--write]

psycopg works on a thread, as in the daemon, asyncpg on the event loop. Not in asyncpg's figures: texts with U+0000,
which PostgreSQL does not take and the store escapes. A PostgreSQL server is started, with fsync off.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import re
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import harness

from jackfield.api.ids import new_id
from jackfield.testing.postgres import PostgresServer, postgres_server
from jackfield_store_postgres.history import executions
from jackfield_store_postgres.rows import execute
from jackfield_store_postgres.server import transactions
from jackfield_store_postgres.server.connections import Connection, Connector
from jackfield_store_postgres.server.transactions import Statement
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.store import PostgresStore
from jackfield_store_postgres.writing import statements
from jackfield_store_postgres.writing.batch import run

SCHEMA, ROUNDS, WARM, PAGE = "jackfield", 5, 8, 50
BODY = harness.payload()
HEADERS = b'{"x-header": "some value"}' * 20
PLACE = re.compile(r"%[bs]")
LIST = f"SELECT {executions._ROWS.columns} FROM executions ORDER BY {executions._ROWS.order} LIMIT {PAGE}"
Work = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of each piece of work: on the clock, of the client's processor, of that on the event loop's thread,
    of the server's process."""

    clock: float
    client: float
    loop: float
    server: float


class Batches:
    """Rows of the writer's transactions: those that begin in one end in the next."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._open: list[str] = []
        self.writer, self.number = new_id(), 0

    def next(self) -> list[Statement]:
        now = time.time_ns() // 1_000_000
        ids, ended = [new_id() for _ in range(self._size)], self._open
        self._open = ids
        self.number += 1
        text = BODY.decode()
        sent = [
            transactions.mark(self.writer, self.number, []),
            _many(statements.ADD_EXECUTIONS, [
                [each, "workflow", 1, "webhook", "running", now, now, None, None, None, None, each, "hook", None, BODY,
                 None] for each in ids
            ]),
            _many(statements.ADD_CALLS, [
                ["hook", each, each, now, "POST", HEADERS, text, "{}", "push", "pending", False, None, None, False, ""]
                for each in ids
            ]),
        ]  # fmt: skip
        if ended:
            sent += [
                _many(statements.APPEND_STEPS, [[each, 0, BODY, None] for each in ended]),
                _many(statements.CHANGE_EXECUTIONS,
                      [[each, "success", None, now, None, None, None, None] for each in ended]),
                _many(statements.CHANGE_CALLS,
                      [[1, "hook", each, "success", 200, "ok", False, 5] for each in ended]),
            ]  # fmt: skip
        return [*sent, _many(statements.COUNT, [["hook", 1, self._size, 0, 0, now]])]


def _many(sql: str, rows: Sequence[Sequence[Any]]) -> Statement:
    return sql, [list(column) for column in zip(*rows, strict=True)]


def numbered(sql: str) -> str:
    """As asyncpg has placeholders."""
    count = iter(range(1, 99))
    return PLACE.sub(lambda _: f"${next(count)}", sql)


class Psycopg:
    name = "psycopg"

    def __init__(self, server: PostgresServer, known: str) -> None:
        settings = PostgresSettings(dsn=server.dsn(), schema_name=SCHEMA)
        self._limits = transactions.writing(settings)
        self._connection = self._limits.connect(Connector(settings))
        self._pool = ThreadPoolExecutor(1)
        self._known = known

    async def open(self) -> int:
        return int(self._connection.info.backend_pid)

    async def write(self, batches: Batches) -> None:
        await asyncio.get_running_loop().run_in_executor(self._pool, self._write, batches.next())

    def _write(self, sent: Sequence[Statement]) -> None:
        for cursor in run(self._connection, [*self._limits.begin(self._connection), *sent])[1:]:
            if cursor.description:
                cursor.fetchall()
        self._connection.execute("COMMIT")

    async def one(self) -> None:
        await self._read(self._one)

    async def page(self) -> None:
        await self._read(lambda connection: execute(connection, LIST).fetchall())

    async def _read(self, work: Callable[[Connection], object]) -> None:
        def reading() -> None:
            self._limits.begin_reading(self._connection)
            work(self._connection)
            self._connection.execute("COMMIT")

        await asyncio.get_running_loop().run_in_executor(self._pool, reading)

    def _one(self, connection: Connection) -> None:
        execute(connection, executions._ONE, [self._known]).fetchall()

    async def close(self) -> None:
        self._connection.close()
        self._pool.shutdown()


class Asyncpg:
    name = "asyncpg"
    _connection: asyncpg.Connection

    def __init__(self, server: PostgresServer, known: str) -> None:
        self._dsn = server.dsn()
        self._known = known
        self._texts: dict[str, str] = {}

    async def open(self) -> int:
        self._connection = await asyncpg.connect(self._dsn, server_settings={"search_path": SCHEMA})
        return int(self._connection.get_server_pid())

    async def write(self, batches: Batches) -> None:
        await self._connection.execute("BEGIN")
        for sql, values in batches.next():
            await self._connection.fetch(self._text(sql), *values)
        await self._connection.execute("COMMIT")

    async def one(self) -> None:
        await self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        await self._connection.fetch(self._text(executions._ONE), self._known)
        await self._connection.execute("COMMIT")

    async def page(self) -> None:
        await self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        await self._connection.fetch(LIST)
        await self._connection.execute("COMMIT")

    def _text(self, sql: str) -> str:
        if (known := self._texts.get(sql)) is None:
            known = self._texts[sql] = numbered(sql)
        return known

    async def close(self) -> None:
        await self._connection.close()


Driver = Psycopg | Asyncpg


async def measured(work: Work, pid: int, seconds: float) -> Cost:
    end = time.perf_counter() + seconds
    began, client, loop, server = time.perf_counter(), time.process_time(), time.thread_time(), used(pid)
    count = 0
    while time.perf_counter() < end:
        await work()
        count += 1
    parts = (time.perf_counter() - began, time.process_time() - client, time.thread_time() - loop, used(pid) - server)
    return Cost(*(part * 1000 / count for part in parts))


def used(pid: int) -> float:
    """Seconds of the processor."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


async def known_execution(server: PostgresServer) -> str:
    """Makes the tables."""
    store = PostgresStore(PostgresSettings(dsn=server.dsn(), schema_name=SCHEMA), logging.getLogger("bench"))
    await store.open()
    await store.close()
    driver, batches = Psycopg(server, ""), Batches(PAGE)
    server.run(f"INSERT INTO {SCHEMA}.writers VALUES ('{batches.writer}', 0, now())")
    for _ in range(10):
        await driver.write(batches)
    await driver.close()
    (row,) = server.run(f"SELECT id FROM {SCHEMA}.executions WHERE finished_at IS NOT NULL LIMIT 1")
    server.run("ANALYZE")
    return str(row[0])


async def compared(server: PostgresServer, seconds: float) -> list[tuple[str, str, Cost]]:
    known = await known_execution(server)
    drivers: list[Driver] = [Psycopg(server, known), Asyncpg(server, known)]
    pids = [await driver.open() for driver in drivers]
    found: list[tuple[str, str, Cost]] = []
    for title, chosen in works(server).items():
        costs: list[list[Cost]] = [[] for _ in drivers]
        for round_ in range(ROUNDS + 1):
            for driver, pid, own in zip(drivers, pids, costs, strict=True):
                cost = await measured(chosen(driver), pid, seconds if round_ else seconds / 3)
                if round_:  # the first one warms up
                    own.append(cost)
        found += [(title, driver.name, middle(own)) for driver, own in zip(drivers, costs, strict=True)]
    for driver in drivers:
        await driver.close()
    return found


def works(server: PostgresServer) -> dict[str, Callable[[Driver], Work]]:
    def batch(size: int) -> Callable[[Driver], Work]:
        gathered = Batches(size)
        server.run(f"INSERT INTO {SCHEMA}.writers VALUES ('{gathered.writer}', 0, now())")
        return lambda driver: lambda: driver.write(gathered)

    return {
        "batch of 1": batch(1),
        "batch of 10": batch(10),
        "batch of 50": batch(50),
        "one execution read": lambda driver: driver.one,
        f"page of {PAGE}": lambda driver: driver.page,
    }


def middle(costs: Sequence[Cost]) -> Cost:
    rows = [(each.clock, each.client, each.loop, each.server) for each in costs]
    return Cost(*(statistics.median(column) for column in zip(*rows, strict=True)))


def table(found: Sequence[tuple[str, str, Cost]]) -> str:
    rows = [
        [title, name, f"{1000 / cost.clock:,.0f}", *(f"{each:.2f}" for each in (cost.client, cost.loop, cost.server))]
        for title, name, cost in found
    ]
    return harness.table(["", "driver", "per second", "ms client", "of that, event loop", "ms server"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.3, help="that a driver works at a time")
    parser.add_argument("--write", action="store_true", help="renew docs/benchmarks.md")
    options = parser.parse_args()
    with postgres_server() as server:
        found = asyncio.run(compared(server, options.seconds))
    command = f"chrt -f 20 python bench/postgres_drivers.py --seconds {options.seconds:g}"
    told = f"`{command}` — {harness.environment('psycopg', 'asyncpg')}."
    harness.publish("postgres-drivers", f"{told}\n\n{table(found)}", write=options.write)


if __name__ == "__main__":
    main()
