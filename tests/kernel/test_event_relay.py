"""Events of other daemons: told over the bus while somebody listens, found in the store without it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import cast
from urllib.parse import parse_qsl

import pytest

from jackfield.api import jsontext
from jackfield.api.auth import Principal
from jackfield.api.errors import JackfieldError
from jackfield.api.events import Event, Subscription
from jackfield.api.hosts import Host, HostCalls, HostReply, Hosts, HostUnavailable
from jackfield.api.json_values import Json
from jackfield.api.storage import ExecutionRow
from jackfield.core.bus import MemoryBus, MemoryHub
from jackfield.core.events import LossyEventBus
from jackfield.core.hosts.event_relay import EventRelay
from jackfield.core.hosts.news import HostNews, read
from jackfield.core.hosts.seen_executions import SeenExecutions
from jackfield.testing.clock import FakeClock
from jackfield.testing.contracts.stores.rows import ended, new
from jackfield.testing.store import MemoryStore


class Place:
    """One daemon's events. It is `Hosts` and `HostCalls` of itself, too."""

    def __init__(self, name: str, store: MemoryStore, clock: FakeClock, hub: MemoryHub) -> None:
        self.store, self.clock = store, clock
        self.events = LossyEventBus(clock)
        self.bus = MemoryBus(clock, hub)
        self.here = Host(name, f"http://{name}", ())
        self.beside: list[Place] = []
        self.asked = 0
        self.is_silent = False
        self.renew(inside=False)

    def renew(self, *, inside: bool) -> None:
        """As after a restart."""
        news = HostNews(self.clock, lambda text: text.replace("hunter2", "***"), inside=inside)
        self.relay = EventRelay(
            self.events, self.bus, self.store, self.clock, news, cast("Hosts", self), lambda: cast("HostCalls", self)
        )

    @property
    def others(self) -> Sequence[Host]:
        return [place.here for place in self.beside]

    async def call(self, host: Host, method: str, path: str, caller: Principal, *, body: Json = None) -> HostReply:
        place = next(place for place in self.beside if place.here == host)
        if place.is_silent:
            raise HostUnavailable("silent")
        place.asked += 1
        return HostReply(200, jsontext.loads(place.relay.answer(dict(parse_qsl(path.partition("?")[2])))))


class World:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.store = MemoryStore(self.clock)
        hub = MemoryHub()
        self.here, self.there = (Place(name, self.store, self.clock, hub) for name in ("here", "there"))
        self.here.beside, self.there.beside = [self.there], [self.here]

    async def settle(self) -> None:
        for _ in range(50):
            await asyncio.sleep(0)

    def taken(self, subscription: Subscription) -> list[tuple[str, object]]:
        return [(event.type, event.data.get("id")) for event in events_of(subscription)]


def events_of(subscription: Subscription) -> list[Event]:
    """What is in its queue."""
    queue: list[Event] = list(subscription._things)  # type: ignore[attr-defined]
    subscription._things.clear()  # type: ignore[attr-defined]
    return queue


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
    with world.here.events.subscribe("workflows", "webhooks") as heard:
        await world.clock.advance(0)
        assert world.there.events.wanted("webhooks")
        assert not world.there.events.wanted("agent_sessions")
        world.there.events.publish("workflows", "workflow.saved", {"id": "w"})
        world.there.events.publish("workflows", "folders.changed", {"folderId": "f", "name": "Secret plans"})
        world.there.events.publish("webhooks", "webhook.called", {"webhookId": "h", "path": "secret"})
        await world.settle()
        assert [(event.type, dict(event.data)) for event in events_of(heard)] == [
            ("folders.changed", {"folderId": "f"}),
            ("webhook.called", {"webhookId": "h"}),
        ]


async def test_what_happens_to_executions_elsewhere_is_told_whole_and_in_order(world: World) -> None:
    nodes = {"id": "e", "nodes": [{"node": "Set", "status": "success"}], "running": "Wait", "skipped": 0}
    with world.here.events.subscribe("workflows") as heard, world.there.bus.subscribe("events.news", own=True) as news:
        await world.clock.advance(0)
        publish = world.there.events.publish
        publish("workflows", "execution.started", {"id": "e", "workflowName": "Plans"})
        publish("workflows", "execution.nodes", nodes)
        publish("workflows", "execution.finished", {"id": "e", "status": "success"})
        await world.clock.advance(0.1)
        assert [(event.type, dict(event.data)) for event in events_of(heard)] == [
            ("execution.started", {"id": "e", "workflowName": "Plans"}),
            ("execution.nodes", nodes),
            ("execution.finished", {"id": "e", "status": "success"}),
        ]
        told = [message.payload for message in news._things]  # type: ignore[attr-defined]
        assert told
        assert all(payload == {"host": "there"} for payload in told)
        await world.clock.advance(3)
        assert events_of(heard) == []


async def test_a_process_that_no_host_asks_tells_of_executions_by_their_ids(world: World) -> None:
    with world.here.events.subscribe("workflows") as heard:
        data: dict[str, Json] = {"id": "e", "mode": "manual"}
        for told in ({"type": "execution.started"}, {"type": "execution.nodes"}, {"type": "execution.started"}):
            world.there.bus.publish("events.told", {"topic": "workflows", "data": data, **told})
        await world.settle()
        nodes = {**data, "nodes": [], "running": None, "skipped": 0}
        assert [(event.type, dict(event.data)) for event in events_of(heard)] == [
            ("execution.started", data),
            ("execution.nodes", nodes),
        ]


async def test_what_stays_with_a_host_is_told_to_readers_and_to_nobody_who_acts_on_it(world: World) -> None:
    with (
        world.here.events.subscribe("profiles") as acting,
        world.here.events.subscribe_everywhere("profiles", "agent_sessions") as reading,
    ):
        await world.clock.advance(0)
        assert world.there.events.wanted("agent_sessions")
        world.there.events.publish("profiles", "profile_deleted", {"alias": "work"})
        world.there.events.publish("agent_sessions", "message_delta", {"id": "m", "text": "the key is hunter2"})
        world.there.events.publish("proxy", "proxy_started", {"profile": "work"})
        await world.clock.advance(0.1)
        assert events_of(acting) == []
        assert [(event.type, dict(event.data)) for event in events_of(reading)] == [
            ("profile_deleted", {"alias": "work", "host": "there"}),
            ("message_delta", {"id": "m", "text": "the key is ***", "host": "there"}),
        ]


async def test_without_a_bus_hosts_are_asked_each_second_and_only_while_somebody_listens(world: World) -> None:
    await world.here.bus.close()
    await world.clock.advance(5)
    assert world.there.asked == 0
    with world.here.events.subscribe_everywhere("terminal") as heard:
        await world.clock.advance(0.5)
        world.there.events.publish("terminal", "session_created", {"session_id": "s"})
        await world.clock.advance(0.1)
        assert events_of(heard) == []
        await world.clock.advance(1)
        assert [event.data["session_id"] for event in events_of(heard)] == ["s"]
        world.there.is_silent = True
        world.there.events.publish("terminal", "session_ended", {"session_id": "s"})
        await world.clock.advance(10)
        world.there.is_silent = False
        await world.clock.advance(2)
        assert [event.type for event in events_of(heard)] == ["session_ended"]
    await world.clock.advance(2)
    asked = world.there.asked
    await world.clock.advance(5)
    assert world.there.asked == asked


async def test_what_happens_while_the_first_question_is_under_way_is_heard_and_nothing_from_before(
    world: World,
) -> None:
    await world.here.bus.close()
    world.there.events.publish("terminal", "session_created", {"session_id": "before"})
    await world.clock.advance(0.5)
    world.there.is_silent = True
    with world.here.events.subscribe_everywhere("terminal") as heard:
        await world.clock.advance(0.5)
        world.there.events.publish("terminal", "session_created", {"session_id": "meanwhile"})
        await world.clock.advance(4)
        world.there.is_silent = False
        await world.clock.advance(2)
        assert [event.data["session_id"] for event in events_of(heard)] == ["meanwhile"]


async def test_more_than_is_kept_is_counted(world: World) -> None:
    await world.here.bus.close()
    with world.here.events.subscribe_everywhere("terminal", "profiles") as heard:
        await world.clock.advance(0.1)
        for n in range(1500):
            world.there.events.publish("terminal", "session_created", {"session_id": str(n)})
            if n % 100 == 0:
                await world.settle()
        world.there.events.publish("profiles", "profile_created", {"alias": "a" * 2_000_000})
        await world.clock.advance(2)
        assert [event.data["session_id"] for event in events_of(heard)] == [str(n) for n in range(500, 1500)]
        assert heard.missed() == 501


async def test_what_a_host_keeps_from_public_callers_says_so() -> None:
    clock = FakeClock()
    for inside in (True, False):
        news = HostNews(clock, str, inside=inside)
        news.keep(Event("terminal", "session_created", 1, {"session_id": "s"}))
        news.keep(Event("workflows", "execution.started", 1, {"id": "e"}))
        told = read(jsontext.loads(news.answer({"topics": "terminal:-1000,workflows:-1000,system:-1"})), "there")
        assert told is not None
        assert [event.inside for event, _ in told.events] == [inside, False]


async def test_a_host_that_has_begun_anew_is_read_on_from_the_last_answer() -> None:
    clock = FakeClock()
    news = HostNews(clock, str, inside=False)
    for n in range(3):
        news.keep(Event("terminal", "session_created", n, {"n": n}))
        await clock.advance(1)
    question = {"topics": "terminal:7,profiles:0", "epoch": "of an earlier life", "gap": "1500"}
    told = read(jsontext.loads(news.answer(question)), "there")
    assert told is not None
    assert [(event.time, age) for event, age in told.events] == [(2, 1000)]
    assert (told.cursors, told.missed) == ({"terminal": 3, "profiles": 0}, {"terminal": 0, "profiles": 0})
    with pytest.raises(JackfieldError):
        news.answer({"topics": "terminal:many"})


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
        for payload in ({}, {"host": 7}, {"topic": "workflows"}, {"topic": [], "type": "x", "data": {}}, stopping):
            world.there.bus.publish("events.told", payload)  # type: ignore[arg-type]
            world.there.bus.publish("events.heard", payload)  # type: ignore[arg-type]
            world.there.bus.publish("events.news", payload)  # type: ignore[arg-type]
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
