"""How many calls a webhook has is noted where all daemons read it, and holds as long as nobody deletes otherwise."""

from __future__ import annotations

import asyncio
import time

from conftest import NewStore
from jackfield.api.records import replace
from jackfield.testing.contracts.stores.rows import FOREVER, call
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.store import PostgresStore


async def _add(store: PostgresStore, first: int, count: int) -> None:
    for number in range(first, first + count):
        await store.add_call(call(f"c{number:04}", 10_000 + number))


async def _settled(store: PostgresStore, number: int) -> None:
    deadline = time.monotonic() + 10
    while (found := (await store.calls("h", status=None, offset=0, limit=1)).total) != number:
        assert time.monotonic() < deadline, found
        await asyncio.sleep(0.005)


async def test_what_others_delete_and_add_is_counted(
    jackfield_postgres: PostgresServer, new_store: NewStore, schema: str
) -> None:
    first, second = new_store(), new_store()
    for store in (first, second):
        await store.open()
        store.hold_caps(calls=20)
    await _add(first, 0, 30)
    await _settled(first, 20)
    jackfield_postgres.run(f"DELETE FROM {schema}.calls WHERE time < 10015")
    await _add(second, 30, 3)
    await _settled(second, 18)
    await _add(first, 33, 5)
    await _settled(first, 20)
    assert await second.prune(replace(FOREVER, calls_before=10_023)) == 5
    await _add(second, 38, 4)
    await _settled(second, 19)
    await _add(first, 42, 1500)
    await _settled(first, 20)
    page = await first.calls("h", status=None, offset=0, limit=20)
    assert [one.id for one in page.rows] == [f"c{number:04}" for number in range(1541, 1521, -1)]


async def test_calls_that_were_counted_are_not_counted_again(
    jackfield_postgres: PostgresServer, store: PostgresStore, new_store: NewStore, schema: str
) -> None:
    """A note that says too much is believed: nobody has looked."""
    store.hold_caps(calls=20)
    await _add(store, 0, 25)
    await _settled(store, 20)
    await store.close()  # by then it is noted
    notes, one = f"{schema}.memos", "WHERE kind = 'kept calls' AND key = 'h'"
    noted = jackfield_postgres.run(f"SELECT convert_from(data, 'UTF8') FROM {notes} {one}")
    assert noted == [('[0, 9724, 10005, "c0005"]',)]
    jackfield_postgres.run(f"UPDATE {notes} SET data = '[4, 9724, 10005, \"c0005\"]' {one}")
    again = new_store()
    await again.open()
    again.hold_caps(calls=20)
    await _add(again, 25, 1)
    await _settled(again, 16)
    jackfield_postgres.run(f"UPDATE {notes} SET ends_at = clock_timestamp() {one}")
    await _add(again, 26, 5)
    await _settled(again, 20)
