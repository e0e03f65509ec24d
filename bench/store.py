"""What the SQLite store costs: 32 tasks that store an execution with its call (a 7 KB body) and then its end, against a
bare floor, one row of 7 KB per operation, group-committed by one thread. Prints operations per second, CPU
microseconds per operation, and the ratio.

    python bench/store.py [--seconds 5] [--directory DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import logging
import queue
import sqlite3
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import orjson

from jackfield.api.ids import new_id
from jackfield.api.storage import CallUpdate, FinishedExecution, NewCall, NewExecution
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

TASKS = 32
LABELS = [{"id": number, "name": f"label-{number}"} for number in range(232)]
BODY = orjson.dumps({"action": "opened", "text": "x" * 200, "labels": LABELS})
HEADERS = orjson.dumps({f"x-header-{n}": "some value" for n in range(15)})
Operation = Callable[[], Awaitable[None]]


class Floor:
    """One insert per operation, as little as possible around it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.queue: queue.SimpleQueue[asyncio.Future[None] | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self.work)
        self.loop = asyncio.get_running_loop()
        self.thread.start()

    def work(self) -> None:
        connection = sqlite3.connect(self.file, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE rows (id TEXT PRIMARY KEY, data BLOB)")
        while (future := self.queue.get()) is not None:
            futures = [future]
            with contextlib.suppress(queue.Empty):
                while (more := self.queue.get_nowait()) is not None:
                    futures.append(more)
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO rows VALUES (?, ?)", [(new_id(), BODY) for _ in futures])
            connection.execute("COMMIT")
            self.loop.call_soon_threadsafe(self.resolve, futures)
        connection.close()

    @staticmethod
    def resolve(futures: list[asyncio.Future[None]]) -> None:
        for future in futures:
            future.set_result(None)

    async def insert(self) -> None:
        future: asyncio.Future[None] = self.loop.create_future()
        self.queue.put(future)
        await future

    def close(self) -> None:
        self.queue.put(None)
        self.thread.join()


def _execution(execution_id: str, call_id: str) -> NewExecution:
    now = time.time_ns() // 1_000_000
    call = NewCall(call_id, "hook", now, "POST", HEADERS, BODY.decode())
    return NewExecution(execution_id, "workflow", 1, "webhook", "running", now, BODY, now, call=call)


def _end(execution_id: str, call_id: str) -> FinishedExecution:
    now = time.time_ns() // 1_000_000
    update = CallUpdate(call_id, "hook", "success", 200, '{"message":"Workflow triggered"}', False, 12)
    return FinishedExecution(execution_id, "success", now, now, BODY, None, update)


async def apart(store: SqliteStore) -> None:
    """Accepted durably, then finished durably: two operations."""
    execution_id, call_id = new_id(), new_id()
    await store.add_execution(_execution(execution_id, call_id))
    await store.finish_execution(_end(execution_id, call_id))


async def overlapped(store: SqliteStore) -> None:
    """The run goes on while its acceptance is stored: two operations that may share a batch."""
    execution_id, call_id = new_id(), new_id()
    accepted = store.add_execution(_execution(execution_id, call_id))
    await store.finish_execution(_end(execution_id, call_id))
    await accepted


async def joined(store: SqliteStore) -> None:
    """Accepted and finished in one operation."""
    execution_id, call_id = new_id(), new_id()
    await store.add_execution(_execution(execution_id, call_id), _end(execution_id, call_id))


VARIANTS: Sequence[tuple[str, Callable[[SqliteStore], Awaitable[None]], int]] = (
    ("accept, then finish", apart, 2),
    ("overlapped", overlapped, 2),
    ("joined", joined, 1),
)


async def measure(name: str, operation: Operation, count: int, seconds: float) -> float:
    """count: store operations per call."""
    done = 0
    end = time.perf_counter() + seconds

    async def task() -> None:
        nonlocal done
        while time.perf_counter() < end:
            await operation()
            done += count

    start, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(task() for _ in range(TASKS)))
    elapsed, used = time.perf_counter() - start, time.process_time() - cpu
    print(f"{name:<34} {done / elapsed:>9,.0f} operations/s {used / done * 1e6:>7.1f} us CPU each")
    return done / elapsed


async def run(directory: Path, seconds: float) -> None:
    floor = Floor(directory / "floor.db")
    base = await measure("floor: one 7 KB row", floor.insert, 1, seconds)
    floor.close()
    for name, operation, count in VARIANTS:
        folder = directory / name
        folder.mkdir()
        store = SqliteStore(folder, SqliteSettings(), logging.getLogger("bench"))
        await store.open()
        rate = await measure(name, functools.partial(operation, store), count, seconds)
        print(f"{'':<34} {rate / base:.2f} of the floor; executions {rate / count / base:.2f}")
        await store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--directory", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        asyncio.run(run(Path(directory), options.seconds))


if __name__ == "__main__":
    main()
