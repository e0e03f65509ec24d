"""Caps that the writer holds with what it adds: never passed by more than a hundredth, and never anything too many."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from pathlib import Path

import pytest

from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield.api.storage import ExecutionFilter, ExecutionStatus
from jackfield.testing.contracts.stores.rows import FOREVER, call, ended, new
from jackfield_store_sqlite.store import SqliteStore
from jackfield_store_sqlite.writing import caps


async def add(store: SqliteStore, first: int, count: int) -> None:
    """Executions and their calls, each group in whatever transactions come of it."""
    numbers = range(first, first + count)
    await asyncio.gather(
        *(
            store.add_execution(new(f"e{n:04}", n, call=call(f"c{n:04}", n)), ended(f"e{n:04}", at=n + 1))
            for n in numbers
        )
    )


async def calls(store: SqliteStore) -> int:
    return (await store.calls("h", status=None, offset=0, limit=1)).total


async def executions(store: SqliteStore) -> int:
    return (await store.executions(ExecutionFilter(), offset=0, limit=1)).total


async def test_no_transaction_leaves_more_than_a_hundredth_too_many(store: SqliteStore) -> None:
    store.hold_caps(executions=600, calls=500)
    for step, first in enumerate(range(0, 1500, 50)):
        await add(store, first, 50)
        for count, cap in ((await executions(store), 600), (await calls(store), 500)):
            made = (step + 1) * 50
            assert min(made, cap) <= count <= cap * 1.01, (made, count)


async def test_one_end_after_the_other_passes_no_cap(store: SqliteStore) -> None:
    store.hold_caps(executions=5)
    for number in range(12):
        status: ExecutionStatus = "running"
        await store.add_execution(new(f"e{number:02}", number, status=status))
    for number in range(12):
        await store.finish_execution(ended(f"e{number:02}"))
        found = await store.execution_stats(ExecutionFilter())
        assert found.get("success", 0) == min(number + 1, 5)
    kept = [f"e{number:02}" for number in range(7, 12)]
    assert await store.known_executions([f"e{number:02}" for number in range(12)]) == set(kept)


@pytest.mark.parametrize("other", [False, True])
async def test_what_went_otherwise_is_not_deleted_once_more(store: SqliteStore, database: Path, other: bool) -> None:
    store.hold_caps(calls=10)
    await add(store, 0, 20)
    assert await calls(store) == 10
    if other:
        with sqlite3.connect(database) as connection:
            connection.execute("DELETE FROM calls WHERE time < 15")
    else:
        assert await store.prune(replace(FOREVER, calls_before=15)) == 5
    await add(store, 20, 3)
    assert await calls(store) == 8
    await add(store, 23, 4)
    assert await calls(store) == 10


async def test_a_batch_that_was_spoilt_and_done_again_counts_once(store: SqliteStore) -> None:
    store.hold_caps(calls=10)
    await add(store, 0, 10)
    given = [call("c0003", 3), call("d0", 100), call("d1", 101)]
    told = await asyncio.gather(*map(store.add_call, given), return_exceptions=True)
    assert [isinstance(one, Conflict) for one in told] == [True, False, False]
    await add(store, 200, 5)
    assert await calls(store) == 10


async def test_a_lowered_cap_is_reached_with_what_comes(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caps, "_MOST", 20)
    await add(store, 0, 200)
    store.hold_caps(executions=30, calls=40)
    for first in range(200, 215):
        await add(store, first, 1)
    assert (await executions(store), await calls(store)) == (30, 40)


async def test_others_write_while_nothing_can_be_deleted(
    store: SqliteStore, database: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caps, "_PAUSE", 0.0)
    store.hold_caps(executions=5)
    await add(store, 0, 5)
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TRIGGER kept BEFORE DELETE ON executions BEGIN SELECT RAISE(ABORT, 'no'); END")
    with caplog.at_level(logging.WARNING):
        await add(store, 5, 5)
    assert "beyond the caps cannot be deleted" in caplog.text
    assert await executions(store) == 10
    with sqlite3.connect(database) as connection:
        connection.execute("DROP TRIGGER kept")
    await add(store, 10, 1)
    assert await executions(store) == 5
