"""Writes that wait together share a transaction; one that waits alone is committed at once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable

import pytest

from jackfield.api.storage import CallUpdate, ExecutionFilter, FinishedExecution, NewCall, NewExecution
from jackfield_store_sqlite.store import SqliteStore

NewStore = Callable[..., SqliteStore]


@pytest.fixture
async def traced(new_store: NewStore) -> tuple[SqliteStore, Counter[str]]:
    """A store, and how often its writer ran each kind of statement."""
    store = new_store(timeout=20)
    await store.open()
    seen: Counter[str] = Counter()

    def trace(connection: sqlite3.Connection) -> None:
        connection.set_trace_callback(lambda sql: seen.update([" ".join(sql.split()[:3])]))

    await store._db.write(trace)
    seen.clear()
    return store, seen


def new(number: int) -> NewExecution:
    call = NewCall(f"c{number}", "h", number, "POST", b"{}", "body")
    return NewExecution(f"e{number}", "w", 1, "webhook", "running", number, b"{}", number, call=call)


def end(number: int) -> FinishedExecution:
    return FinishedExecution(f"e{number}", "success", 9, 1, b"[]", None, CallUpdate(f"c{number}", "h", "success"))


async def test_waiting_writes_share_transactions(traced: tuple[SqliteStore, Counter[str]]) -> None:
    store, seen = traced
    await asyncio.gather(*(store.add_execution(new(number)) for number in range(300)))
    assert seen["INSERT INTO executions"] == 300
    assert seen["COMMIT"] <= 10


async def test_a_transaction_is_bounded(new_store: NewStore) -> None:
    store = new_store(batch_size=10, timeout=20)
    await store.open()
    seen: Counter[str] = Counter()
    await store._db.write(lambda connection: connection.set_trace_callback(lambda sql: seen.update([sql])))
    await asyncio.gather(*(store.count_calls("h", 1, number) for number in range(100)))
    assert seen["COMMIT"] >= 10
    assert (await store.webhook_stats("h")).total_calls == 100


async def test_start_and_end_in_one_batch_are_one_row(traced: tuple[SqliteStore, Counter[str]]) -> None:
    store, seen = traced
    blocked = asyncio.ensure_future(store._db.write(lambda _: None))
    futures = [store.add_execution(new(number)) for number in range(50)]
    futures += [store.finish_execution(end(number)) for number in range(50)]
    await asyncio.gather(blocked, *futures)
    assert seen["INSERT INTO executions"] == 50
    assert seen["INSERT INTO webhook_stats"] <= 3
    stats = await store.webhook_stats("h")
    assert (stats.total_calls, stats.success_calls) == (50, 50)


async def test_a_single_write_is_one_transaction(traced: tuple[SqliteStore, Counter[str]]) -> None:
    store, seen = traced
    await store.add_execution(new(1), end(1))
    assert (seen["BEGIN IMMEDIATE"], seen["COMMIT"]) == (1, 1)
    assert seen["UPDATE executions SET"] == seen["UPDATE calls SET"] == 0


async def test_the_event_loop_is_woken_once_per_batch(new_store: NewStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store = new_store(timeout=20)
    await store.open()
    loop, woken = asyncio.get_running_loop(), 0
    call = loop.call_soon_threadsafe

    def count(*args: object) -> object:
        nonlocal woken
        woken += 1
        return call(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(loop, "call_soon_threadsafe", count)
    await asyncio.gather(*(store.count_calls("h", 1, number) for number in range(400)))
    assert woken <= 10


async def test_those_who_waited_for_a_batch_share_the_next_one(traced: tuple[SqliteStore, Counter[str]]) -> None:
    """Also behind a shield, which takes a turn of the loop more."""
    store, seen = traced

    async def run(number: int) -> None:
        await store.add_execution(new(number))
        for chunk in range(3):
            written = store.append_steps(f"e{number}", b"[1]", chunk)
            await (asyncio.shield(written) if number % 2 else written)
        await store.finish_execution(end(number))

    await asyncio.gather(*map(run, range(64)))
    assert seen["COMMIT"] == 5


async def test_what_comes_while_a_batch_is_written_is_written_too(new_store: NewStore) -> None:
    store = new_store(timeout=20)
    await store.open()
    written: list[asyncio.Future[None]] = []
    for number in range(200):
        written.append(store.count_calls("h", 1, number))
        if number % 7 == 0:
            await asyncio.sleep(0)
        if number % 31 == 0:
            await written[-1]
    await asyncio.gather(*written)
    assert (await store.webhook_stats("h")).total_calls == 200


async def test_ends_are_counted_wherever_the_execution_was_added(new_store: NewStore) -> None:
    first = new_store()
    await first.open()
    await asyncio.gather(*(first.add_execution(new(number)) for number in range(4)))
    await first.finish_execution(end(0))
    await first.close()
    second = new_store()
    await second.open()
    await asyncio.gather(*(second.finish_execution(end(number)) for number in range(3)))
    await second.add_execution(new(9))
    await second.finish_execution(FinishedExecution("e9", "failed", 9, 1))
    assert await second.execution_stats(ExecutionFilter()) == {"success": 3, "failed": 1, "running": 1}
