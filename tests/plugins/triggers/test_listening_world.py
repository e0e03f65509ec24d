"""Connections over hours of a simulated clock: outages, restarts, several daemons, and what becomes of each event."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from trigger_world import World, parse

from jackfield.api.engine import Outcome
from jackfield.api.errors import StoreUnavailable
from jackfield.api.nodes import NodeError
from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.api.workflows import Problem
from jackfield_triggers.leadership import Leadership
from jackfield_triggers.listening.listeners import Listeners
from jackfield_triggers.management.standings import standings
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.triggers import ListenTrigger

MINUTE, HOUR = 60, 3600


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    made = World(tmp_path, TriggerSettings(subscribe_wait=0, listen_close=0.2))
    made.daemon()
    yield made
    await made.kill()


async def test_events_are_settled_once_their_execution_is_stored(world: World) -> None:
    world.broker.send(1, 2)
    await world.live("hearing")
    await world.clock.advance(1)
    world.broker.send(3)
    await world.clock.advance(1)
    assert world.engine.started == [1, 2, 3]
    assert world.broker.settled == [(1, "stored"), (2, "stored"), (3, "stored")]
    assert world.broker.opened == 1


async def test_what_cannot_be_stored_waits_and_is_not_settled(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.live("hearing")
    submit = world.engine.submit

    def down(request: object) -> None:
        raise StoreUnavailable

    monkeypatch.setattr(world.engine, "submit", down)
    world.broker.send(1)
    await world.clock.advance(MINUTE)
    assert world.broker.settled == []
    monkeypatch.setattr(world.engine, "submit", submit)
    await world.clock.advance(2)
    assert world.broker.settled == [(1, "stored")]
    assert world.engine.started == [1]


async def test_a_lost_connection_is_opened_again_soon_and_a_refused_one_later_and_later(world: World) -> None:
    workflow = await world.live("hearing")
    await world.clock.advance(MINUTE)
    world.broker.drop()
    await world.clock.advance(3)
    assert (world.broker.opened, world.broker.open) == (2, 1)
    world.broker.refuses = ServiceRefusal("The broker is down.", status=503)
    world.broker.drop()
    await world.clock.advance(1)
    (row,) = await _standings(world, workflow)
    assert (row["state"], row["connected"]) == ("failing", None)
    await world.clock.advance(10 * MINUTE)
    (row,) = await _standings(world, workflow)
    assert row["lastError"]["message"] == "The broker is down."
    (problem,) = await _attention(world, workflow)
    assert problem.message == "hearing is not connected: The broker is down."
    assert row["next"]
    world.broker.refuses = None
    world.broker.send(7)
    await world.clock.advance(19 * MINUTE)
    assert world.engine.started == [7]
    (row,) = await _standings(world, workflow)
    assert (row["state"], row["lastError"], row["events"]) == ("connected", None, 1)
    assert row["connected"]
    assert row["lastEvent"]


async def test_retry_after_is_waited_for(world: World) -> None:
    world.broker.refuses = ServiceRefusal("Later.", status=429, retry_after=3000)
    await world.live("hearing")
    world.broker.refuses = None
    await world.clock.advance(49 * MINUTE)
    assert world.broker.opened == 0
    await world.clock.advance(12 * MINUTE)
    assert world.broker.opened == 1


@pytest.mark.parametrize("how", ["state", "key"])
async def test_an_event_that_comes_again_after_a_crash_starts_nothing_twice(world: World, how: str) -> None:
    await world.live("hearing", how=how)
    world.broker.send(1, 2)
    await world.clock.advance(1)
    await world.kill()
    world.broker.send(1, 2, 3)  # as if nobody had settled the first two
    world.daemon()
    await world.clock.advance(MINUTE)
    assert world.engine.started == [1, 2, 3]
    assert not world.broker.kept or how == "state"


async def test_with_the_end_of_its_execution_an_event_is_settled_by_how_it_ended(world: World) -> None:
    await world.live("hearing", how="end")
    world.broker.send(1, 2, 3)
    await world.clock.advance(1)
    assert world.engine.started == [1, 2, 3]
    assert world.broker.settled == []
    world.engine.executions[0].finished.set_result(Outcome("success"))
    world.engine.executions[1].finished.set_result(Outcome("failed"))
    await world.clock.advance(1)
    assert world.broker.settled == [(1, "success"), (2, "failed")]
    await world.end(world.contexts[0].port(Listeners).run)
    assert world.broker.settled[2:] == [(3, "left")]


async def test_no_more_events_are_under_way_than_the_setting_says(tmp_path: Path) -> None:
    world = World(tmp_path, TriggerSettings(subscribe_wait=0, listen_close=0.2, listen_prefetch=2))
    world.daemon()
    await world.live("hearing", how="end")
    world.broker.send(*range(5))
    await world.clock.advance(1)
    assert world.engine.started == [0, 1]
    world.engine.executions[0].finished.set_result(Outcome("success"))
    await world.clock.advance(1)
    assert world.engine.started == [0, 1, 2]
    await world.kill()


async def test_a_deactivated_workflow_closes_its_connection_and_leaves(world: World) -> None:
    workflow = await world.live("hearing", how="key")
    assert world.broker.open == 1
    await world.store.set_active(workflow, False, [], now=world.clock.now_ms())
    await world.follow(workflow, "deactivated")
    await world.clock.advance(1)
    assert (world.broker.open, world.broker.left) == (0, ["key"])
    assert world.contexts[0].port(Listeners).standings(workflow) == []


async def test_what_cannot_be_left_is_tried_again(world: World) -> None:
    workflow = await world.live("hearing")
    world.broker.refuses = NodeError("The broker is down.")
    await world.store.set_active(workflow, False, [], now=world.clock.now_ms())
    await world.follow(workflow, "deactivated")
    await world.clock.advance(5 * MINUTE)
    assert world.broker.left == []
    world.broker.refuses = None
    await world.clock.advance(10 * MINUTE)
    assert world.broker.left == [None]
    assert world.broker.open == 0


async def test_other_parameters_want_another_connection_and_the_same_ones_keep_theirs(world: World) -> None:
    await world.live("hearing", how="key")
    await world.live("hearing", how="key")
    await world.clock.advance(1)
    assert (world.broker.opened, world.broker.left) == (1, [])
    await world.live("hearing", how="state")
    await world.clock.advance(1)
    assert (world.broker.opened, world.broker.open, world.broker.left) == (2, 1, ["key"])


async def test_a_stop_closes_the_connection_and_leaves_nothing_behind_it(world: World) -> None:
    await world.live("hearing")
    await world.kill()
    assert (world.broker.open, world.broker.left) == (0, [])


async def _attention(world: World, workflow_id: str) -> Sequence[Problem]:
    stored = await world.store.workflow(workflow_id)
    assert stored is not None
    return await ListenTrigger(world.contexts[0]).attention(parse(stored))


async def _standings(world: World, workflow_id: str) -> list[dict[str, Any]]:
    stored = await world.store.workflow(workflow_id)
    assert stored is not None
    found = await standings(world.contexts[0], parse(stored))
    return [dict(row) for row in found if isinstance(row, dict)]


async def test_a_daemon_that_was_stopped_longer_than_its_lease_starts_nothing_with_what_came_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGSTOP: events wait in the connection, and the next daemon has heard them as well."""
    monkeypatch.setattr(type(world.store), "exclusive", False)
    leadership = world.contexts[0].port(Leadership)
    leading = asyncio.ensure_future(leadership.run(asyncio.Event().wait))
    await world.live("hearing")
    world.broker.send(1)
    await world.clock.advance(1)
    assert (world.engine.started, leadership.lapsed) == ([1], False)
    monkeypatch.setattr(leadership, "_renewed", asyncio.Event().wait)  # it stands still
    await world.clock.advance(16)
    world.broker.send(2)
    await asyncio.sleep(0)
    await world.clock.advance(0)
    assert leadership.lapsed
    assert world.engine.started == [1]
    assert (2, "left") in world.broker.settled
    leading.cancel()
    await asyncio.gather(leading, return_exceptions=True)


async def test_a_connection_that_takes_its_time_to_close_keeps_no_other_workflow_waiting(tmp_path: Path) -> None:
    world = World(tmp_path, TriggerSettings(subscribe_wait=0, listen_close=60))
    world.daemon()
    workflow = await world.live("hearing", how="end")
    world.broker.send(1)
    await world.clock.advance(1)
    await world.store.set_active(workflow, False, [], now=world.clock.now_ms())
    (connection,) = [task for task in asyncio.all_tasks() if task.get_name().startswith("listener ")]
    closing = asyncio.ensure_future(world.follow(workflow, "deactivated"))
    while not connection.cancelling():
        await asyncio.sleep(0)
    async with asyncio.timeout(10):
        await world.live("hearing", "other")
    await world.clock.advance(1)
    assert (world.broker.opened, closing.done()) == (2, False)
    world.engine.executions[0].finished.set_result(Outcome("success"))
    await closing
    assert (1, "success") in world.broker.settled
    await world.kill()
