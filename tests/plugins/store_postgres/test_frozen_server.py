"""A server that takes connections and answers nobody, such as one that was stopped in the middle: that keeps no daemon
from stopping, and no write from being tried on another connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from postgres_links import COMMIT, Link

from jackfield.api.errors import StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.storage import Incarnation, NewExecution
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.store import PostgresStore

NewStore = Callable[..., PostgresStore]
TIMEOUT = 0.5
"""Seconds; a connection gets 2 at least."""


def new(ident: str) -> NewExecution:
    return NewExecution(ident, None, 1, "manual", "running", 1, b"x")


@pytest.mark.parametrize("words", [b"pg_backend_pid", b"set_config"])
async def test_one_that_hangs_while_a_connection_is_made_keeps_nobody_from_closing(
    jackfield_postgres: PostgresServer, new_store: NewStore, words: bytes
) -> None:
    async with Link(jackfield_postgres.port) as link:
        store = new_store(dsn=jackfield_postgres.dsn(port=link.port), timeout=TIMEOUT)
        await store.open()
        await store.check()
        link.stall_at = lambda piece: words in piece
        link.cut_all()
        for verb in (store.add_execution(new("e")), *(store.execution(f"e{n}") for n in range(4))):
            with pytest.raises(StoreUnavailable):
                await verb
        async with asyncio.timeout(20):
            await store.close()


async def test_a_transaction_that_does_not_answer_is_given_up(
    jackfield_postgres: PostgresServer, new_store: NewStore
) -> None:
    """The first of them hangs, and the server takes others."""
    async with Link(jackfield_postgres.port) as link:
        store = new_store(dsn=jackfield_postgres.dsn(port=link.port), timeout=TIMEOUT)
        await store.open()
        await store.add_execution(new("e"))
        hung = iter((True,))
        link.stall_at = lambda piece: COMMIT in piece and next(hung, False)
        first = store.append_steps("e", b"[1]", 1)
        with pytest.raises(StoreUnavailable):
            await first
        async with asyncio.timeout(20):
            while await is_refused(store):
                pass
        found = await store.execution("e")
        assert found is not None
        assert b"[2]" in found.steps


async def is_refused(store: PostgresStore) -> bool:
    try:
        await store.append_steps("e", b"[2]", 2)
    except StoreUnavailable:
        return True
    return False


async def test_a_renewal_that_does_not_answer_is_given_up_and_the_next_is_another(
    jackfield_postgres: PostgresServer, new_store: NewStore
) -> None:
    async with Link(jackfield_postgres.port) as link:
        store = new_store(dsn=jackfield_postgres.dsn(port=link.port), timeout=TIMEOUT)
        await store.open()
        me = Incarnation(new_id(), "a", 60_000)
        await store.register(me)
        renewals = store.renewals(me.id)
        await renewals.renew()
        hung = iter((True,))
        link.stall_at = lambda piece: b"cancel_wishes" in piece and next(hung, False)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(TIMEOUT):
                await renewals.renew()
        async with asyncio.timeout(20):
            for _ in range(3):
                await renewals.renew()
            await renewals.close()
            await store.close()
            await asyncio.get_running_loop().shutdown_default_executor()
