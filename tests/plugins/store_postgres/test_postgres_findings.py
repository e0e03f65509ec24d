"""What `jackfield doctor` says of the server."""

from __future__ import annotations

from collections.abc import Callable

from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.store import PostgresStore
from jackfield_store_postgres.telling import findings


async def test_a_server_that_may_lose_what_was_answered_is_told(store: PostgresStore) -> None:
    """That of the tests runs so, to be fast."""
    assert [(each.good, each.message.split(" = ")[0]) for each in await findings(store)] == [
        (False, "The server runs with fsync")
    ]


async def test_a_sound_server_is_named(own_server: PostgresServer, new_store: Callable[..., PostgresStore]) -> None:
    own_server.stop()
    own_server.start("fsync=on")
    store = new_store(dsn=own_server.dsn())
    await store.open()
    (found,) = await findings(store)
    assert found.good
    assert found.message.startswith("PostgreSQL 1")
    assert found.message.endswith("without checksums of pages")
