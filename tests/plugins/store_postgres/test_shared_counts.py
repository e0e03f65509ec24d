"""What strangers make daemons count holds up nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from jackfield.api.shared_counts import Counted
from jackfield.api.storage import NewExecution
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.shared.counts import add
from jackfield_store_postgres.store import PostgresStore

_WINDOW = 86_400.0


@pytest.fixture
def other(store: PostgresStore, schema: str) -> Iterator[Connection]:
    """Of another daemon, in the middle of a transaction that counts."""
    with store.database.connector.connect() as connection:
        connection.execute(
            "SELECT set_config('search_path', %s, false), set_config('lock_timeout', '500', false)", [schema]
        )
        connection.execute("BEGIN")
        yield connection


async def test_counts_of_two_daemons_neither_lock_each_other_nor_hold_up_commits(
    store: PostgresStore, other: Connection
) -> None:
    add(other, "calls", {"c1": 1}, _WINDOW)
    counting = asyncio.ensure_future(store.add_counts("calls", {"c2": 1, "c1": 1}, _WINDOW, 100))
    with store.database.connector.connect() as looker:
        pid = other.info.backend_pid
        async with asyncio.timeout(10):
            while not looker.execute(
                "SELECT 1 FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))", [pid]
            ).rowcount:
                await asyncio.sleep(0.01)
    await store.add_execution(NewExecution("e", None, 1, "manual", "queued", 1, b""))
    assert not counting.done()
    add(other, "calls", {"c2": 1}, _WINDOW)  # it waits for nobody
    other.execute("COMMIT")
    assert (await counting).counts == {"c1": Counted(2, 0), "c2": Counted(2, 0)}
