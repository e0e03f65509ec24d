"""Sessions of databases that are used again: alone, and beside real servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.nodes import NodeError
from jackfield.testing.context import FakeContext
from jackfield_integrations.databases import SharedConnections
from jackfield_integrations.idle import IdleSessions
from jackfield_integrations.settings import IntegrationSettings


class Sessions:
    """Numbers what it opens, and notes what is closed."""

    def __init__(self, most: int = 2, seconds: float = 60, patience: float = 10) -> None:
        self.opened: list[int] = []
        self.closed: list[int] = []
        self.dead: set[int] = set()
        self.silent: set[int] = set()
        self.asked = asyncio.Event()
        self.tasks: list[asyncio.Task[None]] = []
        self.idle = IdleSessions(self.spawn, most, seconds, patience)

    def spawn(self, name: str, work: Coroutine[object, object, None]) -> object:
        self.tasks.append(asyncio.create_task(work))
        return None

    @asynccontextmanager
    async def opening(self) -> AsyncIterator[int]:
        self.opened.append(len(self.opened))
        number = self.opened[-1]
        try:
            yield number
            if number in self.silent:
                await asyncio.Event().wait()
        finally:
            self.closed.append(number)

    async def alive(self, session: int) -> bool:
        if session in self.silent:
            self.asked.set()
            await asyncio.Event().wait()
        return session not in self.dead

    def lent(self, key: str = "k") -> Any:
        return self.idle.lent(key, self.opening, self.alive)

    async def end(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def test_a_session_is_used_again_by_whoever_has_the_same_key() -> None:
    sessions = Sessions()
    for key, number in (("a", 0), ("a", 0), ("b", 1), ("a", 0)):
        async with sessions.lent(key) as session:
            assert session == number
    await sessions.end()
    assert sorted(sessions.closed) == [0, 1]


async def test_two_at_the_same_time_have_two_and_few_are_kept() -> None:
    sessions = Sessions(most=1)
    async with sessions.lent() as first, sessions.lent() as second:
        assert (first, second) == (0, 1)
    assert sessions.closed == [0]
    await sessions.end()
    assert sessions.closed == [0, 1]


async def test_what_fails_or_does_not_answer_is_not_used_again() -> None:
    sessions = Sessions()
    with pytest.raises(NodeError):
        async with sessions.lent():
            raise NodeError("no")
    assert sessions.closed == [0]
    async with sessions.lent():
        pass
    sessions.dead.add(1)
    async with sessions.lent() as session:
        assert session == 2
    assert sessions.closed == [0, 1]
    await sessions.end()


async def test_a_connection_that_is_silent_gives_way_to_a_new_one() -> None:
    """As one does that a firewall has forgotten: neither an answer nor an end ever comes."""
    sessions = Sessions(patience=0.02)
    async with sessions.lent():
        pass
    sessions.silent.add(0)
    async with asyncio.timeout(5), sessions.lent() as session:
        assert session == 1
    assert sessions.closed == [0]
    await sessions.end()


async def test_a_connection_is_closed_when_its_caller_is_cancelled_while_it_is_asked() -> None:
    sessions = Sessions()
    async with sessions.lent():
        pass
    sessions.silent.add(0)

    async def wanting() -> None:
        async with sessions.lent():
            pass

    caller = asyncio.create_task(wanting())
    await sessions.asked.wait()
    sessions.silent.clear()
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
    assert sessions.closed == [0]
    await sessions.end()


async def test_what_opening_raises_comes_through() -> None:
    @asynccontextmanager
    async def refusing() -> AsyncIterator[int]:
        raise NodeError("closed")
        yield 0

    sessions = Sessions()
    for _ in range(2):
        with pytest.raises(NodeError, match="closed"):
            async with sessions.idle.lent("k", refusing, sessions.alive):
                raise AssertionError("it is not open")


async def test_idle_sessions_are_closed_in_time() -> None:
    sessions = Sessions(seconds=0.02)
    async with sessions.lent():
        pass
    await asyncio.wait_for(asyncio.gather(*sessions.tasks), 10)
    assert sessions.closed == [0]
    async with sessions.lent() as session:
        assert session == 1
    await sessions.end()


async def test_a_cancelled_opening_leaves_nothing() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def slow() -> AsyncIterator[int]:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        yield 0

    sessions = Sessions()

    async def use() -> None:
        async with sessions.idle.lent("k", slow, sessions.alive):
            raise AssertionError("it never opens")

    using = asyncio.create_task(use())
    await begun.wait()
    using.cancel()
    with pytest.raises(asyncio.CancelledError):
        await using
    assert ended.is_set()


def connections(place: Path, **settings: Any) -> SharedConnections:
    table = IntegrationSettings(allowed_hosts=["127.0.0.1", "localhost"], connect_timeout=5, **settings)
    return SharedConnections(FakeContext(place, tables=[table]))


async def test_postgresql_keeps_a_connection_and_replaces_one_that_is_gone(
    tmp_path: Path, postgres: Mapping[str, str]
) -> None:
    shared = connections(tmp_path)

    async def backend() -> object:
        async with shared.postgres(postgres) as database:
            ((found,),) = await database.query("SELECT pg_backend_pid()")
            return found

    first = await backend()
    assert await backend() == first
    async with connections(tmp_path).postgres(postgres) as other:
        await other.query("SELECT pg_terminate_backend(%s)", [first])
    assert await backend() != first
    async with shared.postgres(postgres) as one, shared.postgres(postgres) as another:
        several = [await each.query("SELECT pg_backend_pid()") for each in (one, another)]
    assert several[0] != several[1]
    without = connections(tmp_path, idle_connections=0)
    async with without.postgres(postgres) as database:
        await database.query("SELECT 1")


async def test_redis_keeps_a_connection(tmp_path: Path, redis: Mapping[str, str]) -> None:
    shared = connections(tmp_path)
    seen = []
    for _ in range(2):
        async with shared.redis(redis) as database:
            seen.append(await database.command("CLIENT", "ID"))
    assert seen[0] == seen[1]


async def test_other_values_have_a_connection_of_their_own(tmp_path: Path, postgres: Mapping[str, str]) -> None:
    shared = connections(tmp_path)
    async with shared.postgres(postgres) as database:
        await database.query("SELECT 1")
    with pytest.raises(NodeError, match="password"):
        async with shared.postgres({**postgres, "password": "wrong"}):
            raise AssertionError("it may not sign in")
