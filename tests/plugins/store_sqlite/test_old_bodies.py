"""Bodies from before they stood once, settings of compression that change, and damage of what is compressed."""

from __future__ import annotations

import sqlite3
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from jackfield.api.errors import DataDamaged
from jackfield.api.records import replace
from jackfield.testing.contracts.stores.rows import FOREVER, call, calls, ended, new
from jackfield_store_sqlite.schema import MIGRATIONS, migrate
from jackfield_store_sqlite.store import SqliteStore

EXECUTION = """INSERT INTO executions (id, data, workflow_version, mode, status, created_at, finished_at, call_id,
    webhook_id) VALUES ('e', 1, 1, 'webhook', 'success', 1, 9, 'c', 'h')"""
CALL = "INSERT INTO calls VALUES ('h', 'c', 1, 'e', 5, 'POST', 'success', 0, 200, 1, 0, ?)"
LONG = "x" * 5000


async def test_a_call_of_before_keeps_its_body(
    new_store: Callable[..., SqliteStore], database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = next(number for number, step in enumerate(MIGRATIONS) if "CREATE TABLE call_answers" in step[-1])
    with monkeypatch.context() as old, closing(sqlite3.connect(database, isolation_level=None)) as connection:
        old.setattr("jackfield_store_sqlite.schema.MIGRATIONS", MIGRATIONS[:before])
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection, database)
        connection.execute(EXECUTION)
        connection.execute("INSERT INTO execution_data (id, execution, data) VALUES (1, 1, ?)", (LONG.encode(),))
        connection.execute(CALL, (LONG,))
        connection.execute("INSERT INTO call_data (id, headers, body) VALUES (1, x'7b7d', ?)", (LONG,))
    store = new_store()
    await store.open()
    assert [(each.body, each.response_body) for each in await calls(store)] == [(LONG, LONG)]
    found = await store.execution("e")
    assert found is not None
    assert found.input == LONG.encode()
    assert await store.delete_execution("e")
    assert [each.body for each in await calls(store)] == [LONG]


async def test_what_was_compressed_is_read_without_compression(
    new_store: Callable[..., SqliteStore], database: Path
) -> None:
    first = new_store(compress_from=1)
    await first.open()
    placed = call("c", body="", places=((0, 5000),), response_body=LONG)
    await first.add_execution(new("e", input=LONG.encode(), call=placed), ended("e", steps=LONG.encode()))
    await first.add_call(call("own", 2000, body=LONG))
    await first.close()
    with closing(sqlite3.connect(database)) as connection:
        kept = connection.execute("SELECT sum(length(data)) FROM execution_data").fetchone()[0]
        assert connection.execute("SELECT max(length(body)) FROM call_data").fetchone() == (0,)
    assert kept < 1000
    second = new_store(compress_from=0)
    await second.open()
    found = await second.execution("e")
    assert found is not None
    assert (found.input, list(found.steps)) == (LONG.encode(), [LONG.encode()])
    assert [(each.body, each.response_body) for each in await calls(second)] == [(LONG, ""), (LONG, LONG)]
    assert await second.delete_execution("e")
    assert [each.body for each in await calls(second)] == [LONG, LONG]


async def test_damage_of_what_is_compressed_is_told_and_holds_nothing_up(
    new_store: Callable[..., SqliteStore], database: Path
) -> None:
    store = new_store()
    await store.open()
    placed = call("c", body="", places=((0, 5000),), response_body=LONG)
    await store.add_execution(new("e", input=LONG.encode(), call=placed), ended("e"))
    assert await store.damage() == []
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE execution_data SET size = 4999")
    assert await store.damage() == ["The stored execution e is damaged; restore it from a backup."]
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE execution_data SET digest = NULL")
        connection.execute("UPDATE call_answers SET body = x'00'")
    with pytest.raises(DataDamaged):
        await store.execution("e")
    assert [(each.body, each.response_body) for each in await calls(store)] == [("", "")]
    assert await store.delete_execution("e")


async def test_bodies_that_are_left_to_their_calls_are_not_all_in_memory(new_store: Callable[..., SqliteStore]) -> None:
    store, body = new_store(timeout=20), Random(1).randbytes(100_000).hex()
    await store.open()
    for number in range(60):
        placed = call(f"c{number}", number, body="", places=((0, len(body)),))
        await store.add_execution(new(f"e{number}", number, input=body.encode(), call=placed), ended(f"e{number}"))
    tracemalloc.start()
    try:
        assert await store.prune(replace(FOREVER, executions_keep=0)) == 60
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 40 * len(body)
    assert {each.body for each in await calls(store)} == {body}


async def test_nothing_is_left_of_a_call(new_store: Callable[..., SqliteStore], database: Path) -> None:
    store = new_store()
    await store.open()
    await store.add_execution(new("e", call=call("c", response_body=LONG)), ended("e"))
    await store.delete_execution("e")
    await store.prune(replace(FOREVER, executions_keep=0, calls_keep=0))
    with closing(sqlite3.connect(database)) as connection:
        for table in ("calls", "call_data", "call_answers", "execution_data", "executions"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
