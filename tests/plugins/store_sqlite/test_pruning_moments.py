"""What is old goes when nobody writes, and now and then while somebody always does."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from pathlib import Path

import pytest

from jackfield.api.records import replace
from jackfield.api.sql import moments, writes
from jackfield.api.storage import ExecutionFilter
from jackfield.testing.contracts.stores.rows import FOREVER, ended, new
from jackfield_store_sqlite.history import retention
from jackfield_store_sqlite.store import SqliteStore

OLD = replace(FOREVER, executions_before=2001, now=10_000_000)
"""All of them are only just too old."""
IDS = [f"e{number:03}" for number in range(250)]


class Writing:
    """One write after the other, until it is cancelled."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._count = 0
        self.task = asyncio.create_task(self._write())

    async def _write(self) -> None:
        while True:
            await self._store.check()
            self._count += 1

    async def some(self) -> None:
        enough = self._count + 30
        async with asyncio.timeout(20):
            while self._count < enough:
                await asyncio.sleep(0)

    async def end(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def test_old_rows_wait_until_nobody_writes(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "_LEAST", 1e-9)
    monkeypatch.setattr(writes, "_MOMENT", 0.5)
    await asyncio.gather(*(store.add_execution(new(ident), ended(ident)) for ident in IDS))
    writing = Writing(store)
    pruning = asyncio.create_task(store.prune(OLD))
    for _ in range(5):
        await writing.some()
        assert len(await store.known_executions(IDS)) >= len(IDS) - 100  # one slice goes at once
    await writing.end()
    monkeypatch.setattr(writes, "_MOMENT", 0.0)
    async with asyncio.timeout(20):
        assert await pruning == len(IDS)
    assert await store.known_executions(IDS) == set()


async def test_old_rows_go_while_somebody_always_writes(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writes, "_MOMENT", 0.04)
    await asyncio.gather(*(store.add_execution(new(ident), ended(ident)) for ident in IDS))
    writing = Writing(store)
    async with asyncio.timeout(20):
        assert await store.prune(OLD) == len(IDS)
    assert not writing.task.done()
    await writing.end()


async def test_rows_that_are_late_do_not_rest_for_long(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "_LEAST", 1e-9)
    monkeypatch.setattr(retention, "_AT_ONCE", 10)
    await asyncio.gather(*(store.add_execution(new(ident), ended(ident)) for ident in IDS))
    writing = Writing(store)
    async with asyncio.timeout(20):
        assert await store.prune(replace(OLD, executions_before=100_000, now=200_000)) == len(IDS)
    assert not writing.task.done()
    await writing.end()


async def test_no_counts_are_kept_of_what_is_gone(store: SqliteStore, database: Path) -> None:
    """Neither of spans, of which there is a new one every hour, nor of workflows that were deleted."""
    spans = 6
    pairs = [(new(f"e{n}", n << 22, workflow_id=f"w{n}"), ended(f"e{n}", at=n << 22)) for n in range(spans)]
    await asyncio.gather(*(store.add_execution(*pair) for pair in pairs))
    await store.prune(replace(FOREVER, now=spans << 22))
    assert _counted(database) == [spans] * 3
    await store.prune(replace(FOREVER, executions_keep=1, now=spans << 22))
    assert _counted(database) == [1] * 3
    assert await store.execution_stats(ExecutionFilter()) == {"success": 1}


def _counted(database: Path) -> list[int]:
    with contextlib.closing(sqlite3.connect(database)) as connection:
        tables = ("execution_counts", "workflow_counts", "span_counts")
        return [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
