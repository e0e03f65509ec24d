"""Connections that break while a transaction is on its way: every batch counts once, and whoever waits is told so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from postgres_links import COMMIT, Link

from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import FinishedExecution, Incarnation, NewCall, NewExecution, WebhookStats
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.store import PostgresStore

NewStore = Callable[..., PostgresStore]


def new(number: int) -> NewExecution:
    call = NewCall(f"c{number}", "h", number, "POST", b"{}", "body")
    return NewExecution(f"e{number}", "w", 1, "webhook", "running", number, b"{}", number, call=call)


def first(wanted: bytes) -> Callable[[bytes], bool]:
    """True for the first piece that has these bytes."""
    left = [True]

    def found(piece: bytes) -> bool:
        if left and wanted in piece:
            left.clear()
            return True
        return False

    return found


@pytest.mark.parametrize("way", ["cut_at", "swallow_at"])
@pytest.mark.parametrize("piece", [COMMIT, b"INSERT INTO executions"], ids=["commit", "batch"])
async def test_a_batch_whose_answer_does_not_come_counts_once(
    jackfield_postgres: PostgresServer, new_store: NewStore, way: str, piece: bytes
) -> None:
    async with Link(jackfield_postgres.port) as link:
        store = new_store(dsn=jackfield_postgres.dsn(port=link.port), timeout=20)
        await store.open()
        await store.count_calls("h", 1, 1)
        setattr(link, way, first(piece))
        results = await asyncio.gather(
            *(store.add_execution(new(n)) for n in range(20)),
            *(store.append_steps(f"e{n}", b"[%d]" % n, 0) for n in range(20)),
            store.count_calls("h", 5, 99),
            store.revoke_token("t", 10**15),
            return_exceptions=True,
        )
        assert link.cuts == 1
        assert [each for each in results if isinstance(each, BaseException)] == []
        assert results[-1] is True
        assert await store.webhook_stats("h") == WebhookStats(26, 0, 0, 0, 99)
        found = await store.execution("e7")
        assert found is not None
        assert list(found.steps) == [b"[7]"]
        assert (await store.calls("h", status=None, offset=0, limit=50)).total == 20


async def test_an_end_of_a_wait_is_told_as_it_was_when_its_answer_was_cut(
    jackfield_postgres: PostgresServer, new_store: NewStore
) -> None:
    async with Link(jackfield_postgres.port) as link:
        store = new_store(dsn=jackfield_postgres.dsn(port=link.port), timeout=20)
        await store.open()
        await store.add_execution(new(1))
        await store.set_waiting("e1", None, b"[0]", 0)
        link.cut_at = first(COMMIT)
        assert await store.end_wait("e1", b"[1]", 1) is True
        assert link.cuts == 1
        assert await store.end_wait("e1", b"[2]", 2) is False


async def test_reads_get_another_connection(jackfield_postgres: PostgresServer, new_store: NewStore) -> None:
    async with Link(jackfield_postgres.port) as link:
        store = new_store(dsn=jackfield_postgres.dsn(port=link.port))
        await store.open()
        await store.add_execution(new(1))
        for _ in range(3):
            assert await store.execution("e1") is not None
            link.cut_all()


async def test_cuts_at_every_moment_lose_and_double_nothing(
    jackfield_postgres: PostgresServer, new_store: NewStore
) -> None:
    """Each commit after the third piece is cut, forwarded or not, while executions come and end."""
    async with Link(jackfield_postgres.port) as link:
        store = new_store(dsn=jackfield_postgres.dsn(port=link.port), timeout=30)
        await store.open()
        seen = [0]

        def third(piece: bytes) -> bool:
            seen[0] += 1
            return seen[0] % 7 == 3 and link.cuts < 8

        def fifth(_: bytes) -> bool:
            return seen[0] % 7 == 5 and link.cuts < 8

        link.cut_at, link.swallow_at = third, fifth

        async def life(n: int) -> None:
            await store.add_execution(new(n))
            for number in range(3):
                await store.append_steps(f"e{n}", b"[%d]" % number, number)
            await store.finish_execution(FinishedExecution(f"e{n}", "success", 9, 1, b"[3]", number=3))
            await store.count_calls("counted", 1, n)

        await asyncio.gather(*(life(n) for n in range(40)))
        assert link.cuts >= 3
        for n in range(40):
            found = await store.execution(f"e{n}")
            assert found is not None
            assert (found.row.status, list(found.steps)) == ("success", [b"[0]", b"[1]", b"[2]", b"[3]"])
        assert (await store.webhook_stats("counted")).total_calls == 40
        assert (await store.webhook_stats("h")).total_calls == 40


async def test_a_server_that_answers_nobody_is_told_in_time(own_server: PostgresServer, new_store: NewStore) -> None:
    """Writing and reading threads are free again afterwards, and the store closes while the server is still frozen."""
    store = new_store(dsn=own_server.dsn(), timeout=0.5)
    await store.open()
    await store.add_execution(new(1))
    own_server.freeze()
    try:
        for verb in (store.add_execution(new(2)), *(store.execution("e1") for _ in range(4)), store.check()):
            with pytest.raises(StoreUnavailable):
                await asyncio.wait_for(verb, 5)
        await asyncio.wait_for(store.close(), 20)
    finally:
        own_server.thaw()


@pytest.mark.parametrize("way", ["cut_at", "swallow_at"])
async def test_a_claim_whose_answer_does_not_come_is_not_repeated(
    jackfield_postgres: PostgresServer, new_store: NewStore, way: str
) -> None:
    """Whoever asked looks what is his: a second claim would give him others, and forget these."""
    async with Link(jackfield_postgres.port) as link:
        store = new_store(dsn=jackfield_postgres.dsn(port=link.port), timeout=20)
        await store.open()
        await store.register(Incarnation("me", "d", 60_000))
        for n in range(4):
            await store.add_execution(NewExecution(f"e{n}", "w", 1, "webhook", "queued", n, b"{}"))
        setattr(link, way, first(COMMIT))
        with pytest.raises(StoreUnavailable):
            await store.claim_executions("me", statuses=("queued",), limit=2)
        assert link.cuts == 1
        done = ["e0", "e1"] if way == "cut_at" else []
        for _ in range(100):  # the server ends what it has received
            if (mine := await store.owned_executions("me")) == done:
                break
            await asyncio.sleep(0.02)
        assert mine == done
        rest = await store.claim_executions("me", statuses=("queued",), limit=9)
        assert [one.id for one in rest] == [f"e{n}" for n in range(len(done), 4)]
