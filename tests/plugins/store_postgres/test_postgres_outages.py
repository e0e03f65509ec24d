"""An outage of the database keeps everybody from renewing: nobody is taken for dead because of it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

import psycopg
import pytest

from jackfield.api.ids import new_id
from jackfield.api.storage import Claimed, Incarnation, NewExecution
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.store import PostgresStore

NewStore = Callable[..., PostgresStore]
LEASE_MS = 500
STATUSES = ("queued", "running")


def restart(server: PostgresServer) -> None:
    server.kill()
    server.start()


def crash(server: PostgresServer) -> None:
    """One process of the server dies, and it starts all others anew; its own start time stays as it was."""
    ((pid,),) = server.run("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
    server.kill_process(pid)
    while True:
        with contextlib.suppress(psycopg.Error):
            if server.run("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'") not in ([(pid,)], []):
                return


@pytest.mark.parametrize("outage", [restart, crash])
async def test_nobody_is_taken_over_at_once(
    own_server: PostgresServer, new_store: NewStore, outage: Callable[[PostgresServer], None]
) -> None:
    a, b = (new_store(dsn=own_server.dsn(), timeout=20, readers=1) for _ in range(2))
    owners = [new_id(), new_id()]
    for store, owner in zip((a, b), owners, strict=True):
        await store.open()
        await store.register(Incarnation(owner, owner, LEASE_MS))
    await a.add_execution(NewExecution("e", None, 1, "manual", "running", 1, b"", owner=owners[0]))
    await asyncio.to_thread(outage, own_server)
    back = time.monotonic()
    while not (claimed := await b.claim_executions(owners[1], statuses=STATUSES, limit=9)):  # type: ignore[arg-type]
        assert time.monotonic() - back < 30
    assert claimed == [Claimed("e", "running", 2, taken_over=True)]
    waited = own_server.run("SELECT extract(epoch FROM now() - min(backend_start)) FROM pg_stat_activity "
                            "WHERE application_name = 'jackfield'")  # fmt: skip
    assert float(waited[0][0]) >= (LEASE_MS + 1000) / 1000
    assert time.monotonic() - back >= LEASE_MS / 1000


async def test_a_claim_that_was_told_outlives_the_server(own_server: PostgresServer, new_store: NewStore) -> None:
    """Whoever claims may have an effect before it writes again. Were the claim lost, another daemon had it too."""
    store, owner = new_store(dsn=own_server.dsn(), timeout=20, readers=1), new_id()
    await store.open()
    await store.register(Incarnation(owner, owner, 60_000))
    await store.add_execution(NewExecution("e", None, 1, "manual", "queued", 1, b""))
    claimed = await store.claim_executions(owner, statuses=STATUSES, limit=9)  # type: ignore[arg-type]
    await asyncio.to_thread(restart, own_server)
    assert [one.id for one in claimed] == await store.owned_executions(owner) == ["e"]
