"""Polls and subscriptions over hours of a simulated clock: outages, restarts, several daemons at once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from trigger_world import World

from jackfield_triggers.polling.polls import Polls
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.subscribing.subscriptions import Subscriptions

MINUTE, HOUR = 60, 3600


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    made = World(tmp_path, TriggerSettings(subscribe_wait=0))
    made.daemon()
    yield made
    await made.kill()


async def test_an_hour_of_outage_loses_nothing(world: World) -> None:
    world.service.add(3)
    await world.live("asking")
    await world.clock.advance(5 * MINUTE)
    assert world.engine.started == []
    world.service.down = 0
    asked = len(world.service.asked)
    for _ in range(60):
        world.service.add()
        await world.clock.advance(MINUTE)
    # 30 s, 60 s, 120 s ... 900 s apart
    assert 5 <= len(world.service.asked) - asked <= 12
    world.service.down = None
    await world.clock.advance(16 * MINUTE)
    assert world.engine.started == list(range(3, 63))


@pytest.mark.parametrize("kind", ["asking", "ringing"])
async def test_the_error_workflow_hears_once_of_an_outage(world: World, kind: str) -> None:
    """Over a restart too, and of the next outage again; two failures are none."""
    world.service.lifetime = 10 * MINUTE * 1000
    await world.live(kind)
    await world.clock.advance(2 * MINUTE)
    for outages in (1, 2):
        world.service.down = 0
        await world.clock.advance(30 * MINUTE)
        await world.kill()
        world.daemon()
        await world.clock.advance(HOUR)
        assert world.errors.told == [(kind, "The service is down.")] * outages
        world.service.down = None
        await world.clock.advance(HOUR)
    world.service.down = 0
    failed = world.service.asked if kind == "asking" else world.service.calls
    before = len(failed)
    while len(failed) < before + 2:
        await world.clock.advance(10)
    world.service.down = None
    await world.clock.advance(HOUR)
    assert len(world.errors.told) == 2


async def test_retry_after_is_waited_for(world: World) -> None:
    await world.live("asking")
    await world.clock.advance(2 * MINUTE)
    world.service.down = 1800
    await world.clock.advance(2 * MINUTE)
    asked = len(world.service.asked)
    world.service.down = None
    await world.clock.advance(25 * MINUTE)
    assert len(world.service.asked) == asked
    await world.clock.advance(6 * MINUTE)
    assert len(world.service.asked) > asked


async def test_a_restart_asks_once_for_what_was_missed(world: World) -> None:
    await world.live("asking")
    await world.clock.advance(2 * MINUTE)
    await world.kill()
    world.service.add(5)
    await world.clock.advance(3 * HOUR)
    asked = len(world.service.asked)
    world.daemon()
    await world.clock.advance(MINUTE)
    assert world.engine.started == [0, 1, 2, 3, 4]
    assert 1 <= len(world.service.asked) - asked <= 2


async def test_daemons_that_ask_at_the_same_moment_start_nothing_twice(world: World) -> None:
    """Without the lease that keeps them from it."""
    world.daemon()
    world.daemon()
    await world.live("asking")
    chance = random.Random(3)
    for _ in range(40):
        world.service.add(chance.choice((0, 1, 3)))
        await world.clock.advance(chance.choice((20, 60, 61)))
    await world.clock.advance(3 * MINUTE)
    assert len(set(world.service.asked)) < len(world.service.asked)
    assert world.engine.started == [row["id"] for row in world.service.rows]


@pytest.mark.parametrize("seed", range(6))
async def test_nothing_is_lost_and_nothing_starts_twice_whatever_happens(tmp_path: Path, seed: int) -> None:
    """Processes that end at any moment, outages of an hour, bursts beyond one execution's items, two daemons."""
    chance = random.Random(seed)
    world = World(tmp_path, TriggerSettings(poll_items=5))
    world.daemon()
    await world.live("asking")
    await world.clock.advance(2 * MINUTE)
    for _ in range(60):
        world.service.add(chance.choice((0, 0, 1, 2, 13)))
        event = chance.random()
        if event < 0.1:
            world.service.down = 0
            await world.clock.advance(HOUR)
            world.service.down = None
        elif event < 0.4:
            await world.clock.advance(chance.choice((0, 1, 30, 59, 60)))
            for _ in range(chance.randrange(40)):
                await asyncio.sleep(0)  # somewhere between the question and what is stored of its answer
            await world.kill()
            await world.clock.advance(chance.choice((0, MINUTE, 3 * HOUR)))
            world.daemon()
        elif event < 0.5 and len(world.contexts) < 2:
            world.daemon()
        await world.clock.advance(chance.choice((5, 60, 90)))
    await world.clock.advance(HOUR)
    assert sorted(world.engine.started) == [row["id"] for row in world.service.rows]
    await world.kill()


async def test_many_triggers_do_not_ask_at_once(world: World) -> None:
    for number in range(300):
        await world.live("asking", f"n{number}")
    await world.clock.advance(2 * MINUTE)
    world.service.asked.clear()
    start = world.clock.now_ms()
    await world.clock.advance(2 * MINUTE)
    seconds = [0] * 120
    for moment in world.service.asked:
        seconds[min(119, (moment - start) // 1000)] += 1
    assert 570 <= sum(seconds) <= 630
    assert max(seconds) < 20


async def test_items_beyond_the_limit_come_with_the_next_poll(tmp_path: Path) -> None:
    world = World(tmp_path, TriggerSettings(poll_items=4))
    world.daemon()
    await world.live("asking")
    await world.clock.advance(MINUTE)
    world.service.add(10)
    await world.clock.advance(2 * MINUTE)
    assert sorted(world.engine.started) == list(range(10))
    await world.kill()


async def test_a_deactivated_trigger_asks_no_more(world: World) -> None:
    ident = await world.live("asking")
    await world.clock.advance(2 * MINUTE)
    await world.store.set_active(ident, False, [], now=world.clock.now_ms())
    await world.follow(ident, "deactivated")
    asked = len(world.service.asked)
    await world.clock.advance(HOUR)
    assert len(world.service.asked) == asked
    assert world.contexts[0].port(Polls).standings(ident) == []


async def test_a_subscription_is_renewed_before_its_end(world: World) -> None:
    world.service.lifetime = 10 * HOUR * 1000
    await world.live("ringing")
    await world.clock.advance(MINUTE)
    assert world.service.calls == ["subscribe"]
    await world.clock.advance(48 * HOUR)
    assert world.service.calls.count("subscribe") == 1
    assert 4 <= world.service.calls.count("renew") <= 7


async def test_a_lost_subscription_is_mended_by_the_next_look(world: World) -> None:
    ident = await world.live("ringing")
    await world.clock.advance(MINUTE)
    world.service.hooks.clear()
    await world.clock.advance(8 * HOUR)
    assert len(world.service.hooks) == 1
    (standing,) = world.contexts[0].port(Subscriptions).standings(ident)
    assert (standing.phase, standing.error) == ("live", "")


async def test_other_parameters_make_another_subscription(world: World) -> None:
    await world.live("ringing", topic="a")
    await world.clock.advance(MINUTE)
    (before,) = world.service.hooks.values()
    await world.live("ringing", topic="b")
    await world.clock.advance(MINUTE)
    (after,) = world.service.hooks.values()
    assert (before["topic"], after["topic"]) == ("a", "b")
    assert before["secret"] != after["secret"]
    assert world.service.calls == ["subscribe", "unsubscribe", "subscribe"]


async def test_the_end_is_asked_for_until_it_is_given_up(world: World) -> None:
    ident = await world.live("ringing")
    await world.clock.advance(MINUTE)
    world.service.down = 0
    await world.store.delete_workflow(ident)
    await world.follow(ident, "deleted")
    await world.clock.advance(2 * HOUR)
    assert world.service.calls.count("unsubscribe") > 5
    assert len(await world.records()) == 1
    world.service.down = None
    await world.clock.advance(16 * MINUTE)
    assert world.service.hooks == {}
    assert await world.records() == []


async def test_a_service_that_never_answers_is_given_up_after_a_week(world: World) -> None:
    ident = await world.live("ringing")
    await world.clock.advance(MINUTE)
    world.service.down = 0
    await world.store.delete_workflow(ident)
    await world.follow(ident, "deleted")
    await world.clock.advance(8 * 24 * HOUR)
    assert await world.records() == []
    calls = len(world.service.calls)
    await world.clock.advance(HOUR)
    assert len(world.service.calls) == calls


async def test_a_daemon_that_leads_again_ends_what_it_was_ending(world: World) -> None:
    """As when the store did not answer for a while."""
    ident = await world.live("ringing")
    await world.clock.advance(MINUTE)
    world.service.down = 0
    await world.store.delete_workflow(ident)
    await world.follow(ident, "deleted")
    world.service.hangs = True
    await world.clock.advance(10 * MINUTE)
    subscriptions = world.contexts[0].port(Subscriptions)
    await world.end(subscriptions.run)
    world.service.down, world.service.hangs = None, False
    world.tasks.append(asyncio.ensure_future(subscriptions.run()))
    await world.clock.advance(30 * MINUTE)
    assert (world.service.hooks, await world.records()) == ({}, [])


async def test_a_crash_between_answer_and_storage_leaves_one_subscription(world: World) -> None:
    """The record says that something was begun; the service says what."""
    await world.live("ringing")
    await world.clock.advance(MINUTE)
    await world.kill()
    (hook,) = world.service.hooks.values()
    world.daemon()
    await world.clock.advance(2 * MINUTE)
    assert world.service.calls == ["subscribe", "check"]
    assert list(world.service.hooks.values()) == [hook]
