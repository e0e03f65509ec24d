"""SIGKILL to the server while it writes: nothing that was answered with success is lost, and nothing counts twice."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import FinishedExecution, NewCall, NewExecution
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.store import PostgresStore

NewStore = Callable[..., PostgresStore]
_KILLS = 3


async def test_what_was_answered_is_there_once(own_server: PostgresServer, new_store: NewStore) -> None:
    stores = [new_store(dsn=own_server.dsn(), timeout=20) for _ in range(2)]
    for store in stores:
        await store.open()
    numbers = itertools.count()
    done: list[str] = []
    unsure: list[str] = []
    stopped = asyncio.Event()

    async def client(store: PostgresStore) -> None:
        while not stopped.is_set():
            n = next(numbers)
            ident = f"e{n:06}"
            call = NewCall(f"c{n}", "h", n, "POST", b"{}", "body")
            try:
                await store.add_execution(NewExecution(ident, None, 1, "webhook", "running", n, b"input", call=call))
                await store.append_steps(ident, b"[0]", 0)
                await store.finish_execution(FinishedExecution(ident, "success", 9, 1, b"[1]", number=1))
            except StoreUnavailable:
                unsure.append(ident)
            else:
                done.append(ident)

    clients = [asyncio.create_task(client(store)) for store in stores for _ in range(16)]
    for _ in range(_KILLS):
        goal = len(done) + 300
        while len(done) < goal:
            await asyncio.wait(clients, timeout=0.01)
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)
    goal = len(done) + 100
    while len(done) < goal:
        await asyncio.wait(clients, timeout=0.01)
    stopped.set()
    await asyncio.gather(*clients)
    for ident in done:
        found = await stores[0].execution(ident)
        assert found is not None, ident
        assert (found.row.status, list(found.steps)) == ("success", [b"[0]", b"[1]"]), ident
    counted = (await stores[0].webhook_stats("h")).total_calls
    listed = (await stores[1].calls("h", status=None, offset=0, limit=1)).total
    assert counted == listed
    assert len(done) <= listed <= len(done) + len(unsure)
