"""Daemons that let go of the same files, and take them, at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from jackfield.api.sql.file_references import FileWork
from jackfield_store_postgres.dialect import PostgresDialect
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.store import PostgresStore

_FILES = FileWork(PostgresDialect())
_NOW, _LATER = 1_000_000, 9_000_000
_WAITS = "SELECT 1 FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"


@pytest.fixture
def other(store: PostgresStore, schema: str) -> Iterator[Connection]:
    """Of another daemon, in the middle of a transaction."""
    with store.database.connector.connect() as connection:
        connection.execute("SELECT set_config('search_path', %s, false)", [schema])
        connection.execute("BEGIN")
        yield connection


async def waits_or_ends(store: PostgresStore, other: Connection, task: asyncio.Task[object]) -> None:
    with store.database.connector.connect() as looker:
        pid = other.info.backend_pid
        async with asyncio.timeout(10):
            while not task.done() and not looker.execute(_WAITS, [pid]).rowcount:
                await asyncio.sleep(0.01)


async def test_of_two_who_let_go_of_the_last_references_one_releases_the_file(
    store: PostgresStore, other: Connection
) -> None:
    await store.refer_to_files("e1", ["f"], _NOW)
    await store.refer_to_files("e2", ["f"], _NOW)
    _FILES.let_go(other, ["e1"], _NOW)
    task: asyncio.Task[object] = asyncio.ensure_future(store.release_files(["e2"], _NOW))
    await waits_or_ends(store, other, task)
    other.execute("COMMIT")
    await task
    assert await store.released_files(_LATER, 9) == ["f"]


async def test_a_file_that_is_taken_meanwhile_is_not_claimed(store: PostgresStore, other: Connection) -> None:
    await store.refer_to_files("e1", ["f", "g"], _NOW)
    await store.release_files(["e1"], _NOW)
    assert _FILES.refer(other, "e2", ["f"], _LATER) == []
    assert await store.claim_files(_LATER, _LATER, 9) == ["g"]
    other.execute("COMMIT")
    assert await store.claim_files(_LATER, _LATER, 9) == []


async def test_whoever_refers_waits_for_a_claim(store: PostgresStore, other: Connection) -> None:
    await store.refer_to_files("e1", ["f"], _NOW)
    await store.release_files(["e1"], _NOW)
    assert _FILES.claim(other, _LATER, _LATER, 9) == ["f"]
    task: asyncio.Task[object] = asyncio.ensure_future(store.refer_to_files("e2", ["f"], _LATER))
    await waits_or_ends(store, other, task)
    other.execute("COMMIT")
    assert await task == ["f"]
