"""Who changes a workflow while another daemon has its lease, and who follows the changes of others meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from jackfield.api.errors import NotFound
from jackfield.api.memos import Memos, Room
from jackfield.api.triggers import WorkflowChange
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_workflows.saved.following import Following


class Parts:
    """Stands in for the reader, the triggers and the attention: every workflow is gone."""

    def __init__(self) -> None:
        self.followed: list[str] = []

    def forget(self, workflow_id: str) -> None:
        """It keeps none."""

    async def load(self, workflow_id: str) -> object:
        raise NotFound("There is none.")

    async def follow(self, change: WorkflowChange) -> None:
        self.followed.append(change.workflow_id)


@pytest.fixture
def parts() -> Parts:
    return Parts()


@pytest.fixture
def context(tmp_path: Path, parts: Parts) -> FakeContext:
    clock = FakeClock()
    made = FakeContext(tmp_path, clock=clock)
    made.ports.update(Store=MemoryStore(clock), WorkflowReader=parts, TriggerCalls=parts, Attention=parts)
    return made


async def turn() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_changes_are_followed_while_one_waits_for_the_lease_of_a_dead_daemon(
    context: FakeContext, parts: Parts
) -> None:
    following, clock = Following(context), context.clock
    assert isinstance(clock, FakeClock)
    await context.port(Memos).put_memo("workflow-writer", "w", b"dead", 30, Room(10))
    inside = asyncio.Event()

    async def change() -> None:
        async with following.alone("w"):
            inside.set()

    changing = asyncio.create_task(change())
    await turn()
    following_up = asyncio.create_task(following.catch_up("w"))
    await turn()
    assert (parts.followed, following_up.done(), inside.is_set()) == (["w", "w"], True, False)
    for _ in range(302):
        await clock.advance(0.1)
    assert inside.is_set()
    await changing


async def test_a_change_is_not_followed_in_the_middle_of_another_one(context: FakeContext, parts: Parts) -> None:
    following = Following(context)
    async with following.alone("w"):
        following_up = asyncio.create_task(following.catch_up("w"))
        await turn()
        assert parts.followed == []
    await following_up
    assert parts.followed == ["w", "w"]
