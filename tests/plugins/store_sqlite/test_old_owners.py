"""Executions from before they had owners: what was open counts as left by a crash, and their chunks get numbers."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from jackfield.api.errors import Fenced
from jackfield.api.storage import Claimed, Incarnation
from jackfield.testing.contracts.stores.rows import new
from jackfield_store_sqlite.schema import MIGRATIONS, migrate
from jackfield_store_sqlite.store import SqliteStore

EXECUTION = "INSERT INTO executions VALUES (?, ?, NULL, 1, 'manual', ?, 1, NULL, ?, NULL, NULL, NULL, NULL, NULL, NULL)"


def old_database(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = next(number for number, step in enumerate(MIGRATIONS) if "CREATE TABLE incarnations" in step[0])
    with monkeypatch.context() as old, closing(sqlite3.connect(database, isolation_level=None)) as connection:
        old.setattr("jackfield_store_sqlite.schema.MIGRATIONS", MIGRATIONS[:before])
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection, database)
        connection.execute(EXECUTION, ("open", 1, "running", None))
        connection.execute(EXECUTION, ("over", 2, "success", 9))
        for place, (execution, chunk) in enumerate([(1, "a"), (2, "x"), (1, "b"), (1, "c"), (2, "y")], 3):
            connection.execute("INSERT INTO execution_data VALUES (?, ?, ?, NULL)", (place, execution, chunk.encode()))
        for key in (1, 2):
            connection.execute("INSERT INTO execution_data VALUES (?, ?, ?, NULL)", (key, key, b"input"))


async def test_open_executions_of_before_are_taken_over(
    new_store: Callable[..., SqliteStore], database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_database(database, monkeypatch)
    store = new_store()
    await store.open()
    await store.register(Incarnation("me", "daemon", 1000))
    assert await store.claim_executions("me", statuses=("queued", "running"), limit=9) == [
        Claimed("open", "running", 2, taken_over=True)
    ]
    found = await store.execution("open")
    assert found is not None
    assert (list(found.steps), found.next_chunk, found.owner) == ([b"a", b"b", b"c"], 3, "me")
    await store.append_steps("open", b"again", 2, "me")
    await store.append_steps("open", b"d", 3, "me")
    again = await store.execution("open")
    assert again is not None
    assert list(again.steps) == [b"a", b"b", b"c", b"d"]
    over = await store.execution("over")
    assert over is not None
    assert (list(over.steps), over.next_chunk) == ([b"x", b"y"], 2)


async def test_an_incarnation_of_an_earlier_start_is_not_alive(new_store: Callable[..., SqliteStore]) -> None:
    first = new_store()
    await first.open()
    await first.register(Incarnation("one", "daemon", 1000))
    await first.add_execution(new("e", owner="one"))
    await first.close()
    second = new_store()
    await second.open()
    for late in (second.register(Incarnation("one", "daemon", 1000)), second.append_steps("e", b"[]", 0, "one")):
        with pytest.raises(Fenced):
            await late
    await second.register(Incarnation("two", "daemon", 1000))
    assert await second.claim_executions("two", statuses=("running",), limit=9) == [
        Claimed("e", "running", 2, taken_over=True)
    ]
