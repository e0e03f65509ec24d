"""What a node run opens once and closes at its end, in the engine and in the fake."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio
import pytest

from jackfield.api.nodes import (
    KeptBroken,
    NodeDescription,
    NodeError,
    NodeParameters,
    NodeResult,
    NodeRun,
    NoParameters,
)
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.keeping import KeptThings
from jackfield.api.workflows import Node
from jackfield.testing.node_runs import FakeNodeRun, items


class Door:
    """Notes who opens and closes it, and in which task."""

    def __init__(self) -> None:
        self.noted: list[str] = []
        self.tasks: list[object] = []
        self.breaks = asyncio.Event()

    @asynccontextmanager
    async def opened(self, name: str) -> AsyncIterator[str]:
        self.noted.append(f"open {name}")
        self.tasks.append(asyncio.current_task())
        try:
            yield name
        finally:
            self.tasks.append(asyncio.current_task())
            self.noted.append(f"close {name}")

    @asynccontextmanager
    async def breaking(self) -> AsyncIterator[str]:
        """Ends by itself, as a session does whose server has left."""
        async with self.opened("fragile"), anyio.create_task_group() as group:

            async def leave() -> None:
                await self.breaks.wait()
                raise OSError("gone")

            group.start_soon(leave)
            yield "fragile"


class Opening:
    """A node that uses one thing for all of its items, from tasks of its own."""

    kind = "opening"
    versions: Sequence[float] = (1,)
    effect = False
    description = NodeDescription("Opening", "Opens a thing.", "transform")

    def __init__(self, opening: Callable[[], AbstractAsyncContextManager[str]], fails: bool = False) -> None:
        self._opening = opening
        self._fails = fails

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return NoParameters

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        async def one(index: int) -> str:
            async with run.kept_open("door", self._opening) as thing:
                return thing

        found = await asyncio.gather(*(one(index) for index in range(len(run.items))))
        if self._fails:
            raise NodeError("no")
        return [[new_item({"thing": thing}, index) for index, thing in enumerate(found)]]


async def test_a_thing_is_opened_once_and_closed_at_the_end_in_its_own_task() -> None:
    door = Door()
    run = FakeNodeRun(Opening(lambda: door.opened("a")), {}, items({}, {}, {}))
    assert (await run.outcome()).json() == [[{"thing": "a"}] * 3]
    assert door.noted == ["open a", "close a"]
    assert door.tasks[0] is door.tasks[1]
    assert door.tasks[0] is not asyncio.current_task()


async def test_it_is_closed_when_the_node_fails() -> None:
    door = Door()
    with pytest.raises(NodeError):
        await FakeNodeRun(Opening(lambda: door.opened("a"), fails=True)).outcome()
    assert door.noted == ["open a", "close a"]


async def test_what_opening_raises_comes_to_everybody_and_the_next_opens_anew() -> None:
    tries = 0

    @asynccontextmanager
    async def refusing() -> AsyncIterator[str]:
        nonlocal tries
        tries += 1
        raise NodeError("closed today")
        yield ""

    kept = KeptThings(logging.getLogger("t"))
    for _ in range(2):
        with pytest.raises(NodeError, match="closed today"):
            async with kept.lent("x", refusing):
                raise AssertionError("it is not open")
    assert tries == 2
    await kept.close()


async def test_a_thing_that_has_ended_is_opened_anew() -> None:
    door, kept = Door(), KeptThings(logging.getLogger("t"))
    async with kept.lent("x", door.breaking):
        door.breaks.set()
        while len(door.noted) < 2:
            await asyncio.sleep(0)
    async with kept.lent("x", lambda: door.opened("again")) as thing:
        assert thing == "again"
    await kept.close()
    assert door.noted == ["open fragile", "close fragile", "open again", "close again"]


async def test_of_many_idle_things_the_oldest_are_closed() -> None:
    door, kept = Door(), KeptThings(logging.getLogger("t"), most_idle=2)
    async with kept.lent("used", lambda: door.opened("used")):
        for name in ("a", "b", "c"):
            async with kept.lent(name, lambda name=name: door.opened(name)):  # type: ignore[misc]
                pass
        assert door.noted[-1] == "close a"
    await kept.close()
    assert sorted(door.noted) == sorted(f"{word} {name}" for word in ("open", "close") for name in ("used", *"abc"))


async def test_a_thing_that_does_not_close_is_cancelled() -> None:
    cancelled = False

    @asynccontextmanager
    async def stubborn() -> AsyncIterator[None]:
        nonlocal cancelled
        yield
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled = True
            raise

    kept = KeptThings(logging.getLogger("t"), seconds=0.01)
    async with kept.lent("x", stubborn):
        pass
    await asyncio.wait_for(kept.close(), 5)
    assert cancelled


async def test_a_caller_that_gives_up_leaves_the_thing_to_others() -> None:
    ready, door = asyncio.Event(), Door()

    @asynccontextmanager
    async def slow() -> AsyncIterator[str]:
        await ready.wait()
        async with door.opened("slow") as thing:
            yield thing

    async def use() -> str:
        async with kept.lent("x", slow) as thing:
            return thing

    kept = KeptThings(logging.getLogger("t"))
    first, second = asyncio.create_task(use()), asyncio.create_task(use())
    await asyncio.sleep(0)
    first.cancel()
    ready.set()
    assert await second == "slow"
    await kept.close()
    assert door.noted == ["open slow", "close slow"]
    with pytest.raises(NodeError, match="over"):
        await use()


async def test_closing_while_it_opens_ends_the_opening() -> None:
    @asynccontextmanager
    async def never() -> AsyncIterator[str]:
        await asyncio.Event().wait()
        yield ""

    async def use() -> None:
        async with kept.lent("x", never):
            raise AssertionError("it never opens")

    kept = KeptThings(logging.getLogger("t"))
    using = asyncio.create_task(use())
    await asyncio.sleep(0)
    await asyncio.wait_for(kept.close(), 5)
    with pytest.raises(NodeError, match="ended before"):
        await using


async def test_who_still_has_a_broken_thing_may_end_with_it() -> None:
    """One refused message breaks a session for those that come, and not for the answers that are on their way."""
    door, left = Door(), asyncio.Event()
    things = KeptThings(logging.getLogger("test"))
    has = asyncio.Event()

    async def slow() -> str:
        async with things.lent("a", lambda: door.opened("a")) as found:
            has.set()
            await left.wait()
            assert "close a" not in door.noted
            return found

    other = asyncio.create_task(slow())
    await has.wait()
    with pytest.raises(KeptBroken):
        async with things.lent("a", lambda: door.opened("a")):
            raise KeptBroken("it is broken")
    assert door.noted == ["open a"]
    async with things.lent("a", lambda: door.opened("b")) as found:
        assert found == "b"
    left.set()
    assert await other == "a"
    assert door.noted == ["open a", "open b", "close a"]
    await things.close()
    assert door.noted[3:] == ["close b"]


async def test_a_broken_thing_that_somebody_has_is_closed_with_the_run() -> None:
    door, has = Door(), asyncio.Event()
    things = KeptThings(logging.getLogger("test"))

    async def slow() -> None:
        async with things.lent("a", lambda: door.opened("a")):
            has.set()
            await asyncio.Event().wait()

    other = asyncio.create_task(slow())
    await has.wait()
    with pytest.raises(KeptBroken):
        async with things.lent("a", lambda: door.opened("a")):
            raise KeptBroken("it is broken")
    await things.close()
    assert door.noted == ["open a", "close a"]
    other.cancel()
    await asyncio.gather(other, return_exceptions=True)


async def test_nothing_is_opened_behind_the_end_of_the_run() -> None:
    door = Door()
    things = KeptThings(logging.getLogger("test"))
    async with things.lent("a", door.breaking):
        door.breaks.set()
    thing = things._things["a"]
    await asyncio.wait({thing._task})

    async def late() -> None:
        async with things.lent("a", lambda: door.opened("late")):
            pass

    asking = asyncio.create_task(late())
    await asyncio.sleep(0)  # it closes what has ended
    await things.close()
    with pytest.raises(NodeError, match="run is over"):
        await asking
    assert "open late" not in door.noted
