"""Of several daemons one at a time deletes what has had its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from jackfield.api.records import replace
from jackfield.api.sql import moments, writes
from jackfield.api.storage import FinishedExecution, NewExecution, Retention
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.history import retention
from jackfield_store_postgres.store import PostgresStore

NewStore = Callable[..., PostgresStore]
OLD = Retention(executions_before=5, executions_keep=1000, calls_before=0, calls_keep=1000, now=9, limit=50)


async def filled(new_store: NewStore) -> list[PostgresStore]:
    """Two stores, and 120 executions that are old."""
    stores = [new_store() for _ in range(2)]
    for store in stores:
        await store.open()
    for n in range(120):
        new = NewExecution(f"e{n}", None, 1, "manual", "running", 1, b"x")
        stores[0].add_execution(new, FinishedExecution(new.id, "success", 2, 1))
    await stores[0].check()
    return stores


async def left(store: PostgresStore) -> int:
    return len(await store.known_executions([f"e{n}" for n in range(120)]))


async def test_nobody_deletes_in_the_turn_of_another(
    jackfield_postgres: PostgresServer, new_store: NewStore, schema: str
) -> None:
    first, _ = await filled(new_store)
    jackfield_postgres.run(
        f"INSERT INTO {schema}.memos VALUES ('pruning', 'turn', '', 'other', clock_timestamp() + interval '1 min')"
    )
    assert await first.prune(OLD) == 0
    assert await left(first) == 120
    jackfield_postgres.run(f"UPDATE {schema}.memos SET ends_at = clock_timestamp()")
    assert await first.prune(OLD) == 50
    assert await left(first) == 70


@pytest.mark.parametrize(("now", "late"), [(9, True), (1_000_000, False)])
async def test_rows_that_are_late_do_not_rest_for_long(
    new_store: NewStore, monkeypatch: pytest.MonkeyPatch, now: int, late: bool
) -> None:
    """Somebody always writes; a small backlog rests behind its first slice."""
    monkeypatch.setattr(moments, "_LEAST", 1e-9)
    monkeypatch.setattr(writes, "_MOMENT", 3600)
    monkeypatch.setattr(retention, "_AT_ONCE", 10)
    first, _ = await filled(new_store)
    pruning = asyncio.create_task(first.prune(replace(OLD, now=now, limit=120)))
    async with asyncio.timeout(20):
        while await left(first) > (0 if late else 110):
            await asyncio.sleep(0.01)
    assert await left(first) == (0 if late else 110)
    pruning.cancel()
    await asyncio.gather(pruning, return_exceptions=True)


async def test_daemons_and_callers_of_one_daemon_share_the_work(
    jackfield_postgres: PostgresServer, new_store: NewStore, schema: str
) -> None:
    """Callers of one daemon, which has two, wait for each other: neither finds its turn taken by the other."""
    first, second = await filled(new_store)
    assert await asyncio.gather(first.prune(OLD), first.prune(OLD)) == [50, 50]
    assert sum(await asyncio.gather(first.prune(OLD), second.prune(OLD))) == 20
    assert await left(second) == 0
    assert jackfield_postgres.run(f"SELECT count(*) FROM {schema}.memos") == [(0,)]
