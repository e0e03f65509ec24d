"""Events of other daemons: told over the bus while somebody listens, found in the store without it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from jackfield.api.events import Event, Subscription
from jackfield.api.storage import ExecutionRow
from jackfield.core.bus import MemoryBus, MemoryHub
from jackfield.core.event_relay import EventRelay
from jackfield.core.events import Bus
from jackfield.core.seen_executions import SeenExecutions
from jackfield.testing.clock import FakeClock
from jackfield.testing.contracts.rows import ended, new
from jackfield.testing.store import MemoryStore


class Place:
    """One daemon's events."""

    def __init__(self, store: MemoryStore, clock: FakeClock, hub: MemoryHub) -> None:
        self.events = Bus(clock)
        self.bus = MemoryBus(clock, hub)
        self.relay = EventRelay(self.events, self.bus, store, clock)


class World:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.store = MemoryStore(self.clock)
        hub = MemoryHub()
        self.here, self.there = (Place(self.store, self.clock, hub) for _ in range(2))

    async def settle(self) -> None:
        for _ in range(50):
            await asyncio.sleep(0)

    def taken(self, subscription: Subscription) -> list[tuple[str, object]]:
        """What is in its queue."""
        queue: list[Event] = list(subscription._things)  # type: ignore[attr-defined]
        subscription._things.clear()  # type: ignore[attr-defined]
        return [(event.type, event.data.get("id")) for event in queue]


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    tasks = []
    for place in (made.here, made.there):
        await place.bus.open()
        tasks.append(asyncio.create_task(place.relay.run()))
    await made.settle()
    yield made
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for place in (made.here, made.there):
        await place.bus.close()


async def test_nothing_is_told_while_nobody_listens_elsewhere(world: World) -> None:
    assert not world.there.events.wanted("workflows")
    with world.there.events.subscribe("workflows") as own, world.here.bus.subscribe("events.told") as told:
        await world.settle()
        assert world.here.events.wanted("workflows")
        world.there.events.publish("workflows", "execution.started", {"id": "e"})
        await world.settle()
        assert world.taken(own) == [("execution.started", "e")]
        assert list(told._things) == []  # type: ignore[attr-defined]
    await world.settle()
    assert not world.here.events.wanted("workflows")


async def test_what_happens_elsewhere_is_heard_by_its_ids(world: World) -> None:
    with world.here.events.subscribe("workflows", "webhooks", "terminal") as heard:
        await world.settle()
        assert world.there.events.wanted("workflows")
        assert not world.there.events.wanted("terminal")
        data = {"id": "e", "workflowId": "w", "workflowName": "Secret plans", "mode": "manual", "status": "success"}
        world.there.events.publish("workflows", "execution.finished", data)
        world.there.events.publish("workflows", "execution.nodes", {"id": "f", "nodes": [{"node": "Set"}]})
        world.there.events.publish("workflows", "workflow.saved", {"id": "w"})
        world.there.events.publish("webhooks", "webhook.called", {"webhookId": "h", "path": "secret"})
        await world.settle()
        events = list(heard._things)  # type: ignore[attr-defined]
    assert [(event.type, dict(event.data)) for event in events] == [
        ("execution.finished", {"id": "e", "workflowId": "w", "mode": "manual", "status": "success"}),
        ("execution.nodes", {"id": "f", "nodes": [], "running": None, "skipped": 0}),
        ("webhook.called", {"webhookId": "h"}),
    ]


async def test_without_a_bus_executions_are_found_in_the_store_once(world: World) -> None:
    await world.here.bus.close()
    await world.store.add_execution(new("before"))
    with world.here.events.subscribe("workflows") as heard:
        await world.clock.advance(1)
        assert world.taken(heard) == []
        await world.store.add_execution(new("e", created_at=world.clock.now_ms()))
        await world.clock.advance(1)
        assert world.taken(heard) == [("execution.started", "e")]
        await world.store.finish_execution(ended("e"))
        await world.store.finish_execution(ended("before"))
        await world.clock.advance(1)
        assert sorted(world.taken(heard)) == [("execution.finished", "before"), ("execution.finished", "e")]
        await world.clock.advance(5)
        assert world.taken(heard) == []


async def test_what_happens_before_the_first_look_is_found(world: World) -> None:
    await world.here.bus.close()
    await world.clock.advance(0.5)
    await world.store.add_execution(new("before", world.clock.now_ms()))
    await world.clock.advance(0.1)
    with world.here.events.subscribe("workflows") as heard:
        at = world.clock.now_ms()
        await world.store.add_execution(new("e", at))
        for ident in ("before", "e"):
            await world.store.finish_execution(ended(ident, at=at))
        await world.clock.advance(1)
        found = [("execution.finished", "before"), ("execution.finished", "e"), ("execution.started", "e")]
        assert sorted(world.taken(heard)) == found


async def test_what_was_told_is_not_told_again(world: World) -> None:
    with world.here.events.subscribe("workflows") as heard:
        await world.clock.advance(1)
        await world.store.add_execution(new("e", created_at=world.clock.now_ms()))
        world.there.events.publish("workflows", "execution.started", {"id": "e"})
        await world.clock.advance(3)
        assert world.taken(heard) == [("execution.started", "e")]


async def test_a_flood_is_left_to_the_look(world: World) -> None:
    with world.here.events.subscribe("webhooks") as heard:
        await world.settle()
        for n in range(500):
            world.there.events.publish("webhooks", "webhook.called", {"webhookId": str(n)})
            if n % 100 == 0:
                await world.settle()
        for _ in range(20):
            await world.settle()
        assert len(world.taken(heard)) == 200


async def test_garbage_on_the_bus_is_no_event(world: World) -> None:
    stopping = {"topic": "system", "type": "system.stopping", "data": {}}
    with world.here.events.subscribe("workflows", "system") as heard:
        await world.settle()
        for payload in ({}, {"topic": "workflows"}, {"topic": [], "type": "x", "data": {}}, stopping):
            world.there.bus.publish("events.told", payload)  # type: ignore[arg-type]
            world.there.bus.publish("events.heard", payload)  # type: ignore[arg-type]
        await world.settle()
        assert world.taken(heard) == []


async def test_long_ones_among_many_are_found_in_turn_with_one_read_for_all(world: World) -> None:
    """More than a look takes, and more that are over than are remembered."""
    await world.here.bus.close()
    reads: list[int] = []
    rows = world.store.execution_rows

    async def counted(ids: Sequence[str]) -> list[ExecutionRow]:
        reads.append(len(ids))
        return await rows(ids)

    world.store.execution_rows = counted  # type: ignore[method-assign]
    with world.here.events.subscribe("workflows") as heard:
        for part in range(3):
            for n in range(150):
                await world.store.add_execution(new(f"long-{part}-{n}", created_at=world.clock.now_ms()))
            await world.clock.advance(1)
        for n in range(2100):
            world.here.relay._note("execution.finished", {"id": f"short-{n}"})
        await world.clock.advance(20)
        world.taken(heard)
        reads.clear()
        last = ["long-0-0", "long-1-149", "long-2-149"]
        for ident in last:
            await world.store.finish_execution(ended(ident, at=world.clock.now_ms()))
        for _ in range(3):
            await world.clock.advance(1)
        assert sorted(world.taken(heard)) == [("execution.finished", ident) for ident in last]
        assert reads == [200, 200, 200]


def test_those_that_wait_are_looked_at_when_there_is_room_or_their_time_has_come() -> None:
    seen = SeenExecutions()
    for n in range(6):
        seen.opened(f"waits-{n}", 1000)
    for n in range(6):
        seen.opened(f"runs-{n}")
    assert seen.next(0, 4, set()) == ["runs-0", "runs-1", "runs-2", "waits-0"]
    assert seen.next(0, 4, {"runs-3", "runs-4", "runs-5", "runs-0"}) == ["runs-1", "runs-2", "waits-1", "waits-2"]
    assert seen.next(1000, 4, {f"runs-{n}" for n in range(6)}) == [f"waits-{n}" for n in (3, 4, 5, 0)]


def test_what_is_over_displaces_nothing_that_is_open() -> None:
    seen = SeenExecutions()
    seen.opened("long")
    for n in range(5000):
        seen.ended(f"e{n}")
    seen.opened("e4999")
    assert "long" in seen
    assert seen.next(0, 10, set()) == ["long"]
    assert "e0" not in seen
