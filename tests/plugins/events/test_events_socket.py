"""The conversation on `/ws`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from events_lab import OWNER, Lab
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.auth import Principal
from jackfield.api.errors import AuthRequired, InvalidInput, JackfieldError, NotFound, RateLimited
from jackfield.api.events import STOPPING, TOPICS, Event
from jackfield.core.events import QUEUE
from jackfield_events.frames import EventFrames, event_frame
from jackfield_events.topics import expanded

VIEWER = Principal("1", "vic", "viewer", "jwt")
NARROW = Principal("2", "kay", "member", "api_key", frozenset({"webhooks:read"}))
MakeLab = Callable[..., Lab]


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[MakeLab]:
    yield lambda **settings: Lab(tmp_path, **settings)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def test_an_event(make: MakeLab) -> None:
    lab = make()
    client = lab.connect()
    await client.subscribe("profiles")
    lab.bus.publish("profiles", "profile.created", {"alias": "one"})
    await client.until(lambda: client.events)
    assert client.of("event") == [
        {
            "type": "event",
            "topic": "profiles",
            "event": {"type": "profile.created", "timestamp": "2026-01-01T00:00:00.000Z", "data": {"alias": "one"}},
        }
    ]


async def test_nothing_before_a_subscription(make: MakeLab) -> None:
    lab = make()
    client = lab.connect()
    await client.settled()
    for topic in TOPICS:
        lab.bus.publish(topic, "x", {})
    await client.settled()
    assert client.events == []


async def test_topics_come_and_go(make: MakeLab) -> None:
    lab = make()
    client = lab.connect()

    async def told() -> list[str]:
        for topic in TOPICS:
            lab.bus.publish(topic, topic, {})
        lab.bus.publish("system", "mark", {})
        before = len(client.messages)
        await client.settled()
        await asyncio.sleep(0)
        return [frame["event"]["type"] for frame in client.frames[before - 1 :] if frame["type"] == "event"]

    await client.subscribe("profiles", "usage")
    assert await told() == ["profiles", "usage"]
    client.say({"type": "subscribe", "topics": ["proxy"]})
    client.say({"type": "unsubscribe", "topics": ["usage", "terminal"]})
    await client.settled()
    assert await told() == ["profiles", "proxy"]
    await client.subscribe("*")
    assert await told() == [*TOPICS, "mark"]
    client.say({"type": "unsubscribe", "topics": ["*"]})
    await client.settled()
    assert await told() == []


async def test_what_waits_of_a_topic_that_was_given_up_is_not_told(make: MakeLab) -> None:
    lab = make()
    client = lab.connect()
    await client.subscribe("profiles", "usage")
    client.reading.clear()
    for name in ("first", "second", "third"):
        lab.bus.publish("profiles", name, {})
    client.say({"type": "unsubscribe", "topics": ["profiles"]})
    while not client.sent.empty():
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    client.reading.set()
    lab.bus.publish("usage", "last", {})
    await client.until(lambda: "last" in client.events)
    assert client.events in (["first", "last"], ["last"])


@pytest.mark.parametrize(
    "frame",
    [
        "{",
        "",
        "[]",
        "null",
        "[" * 2000,
        {},
        {"type": "no-such-type"},
        {"type": 7},
        {"type": ["ping"]},
        {"type": "subscribe"},
        {"type": "subscribe", "topics": "profiles"},
        {"type": "subscribe", "topics": []},
        {"type": "subscribe", "topics": [7]},
        {"type": "subscribe", "topics": ["nothing"]},
        {"type": "subscribe", "topics": ["profiles"] * 101},
        {"type": "unsubscribe", "topics": [["*"]]},
        {"type": "ping", "padding": "x" * 70_000},
    ],
    ids=str,
)
async def test_nonsense_is_an_error_and_the_connection_stays(make: MakeLab, frame: object) -> None:
    client = make().connect()
    client.say(frame)
    await client.settled()
    assert [list(found) for found in client.of("error")] == [["type", "message"]]
    assert client.closed is None


async def test_binary_is_an_error(make: MakeLab) -> None:
    client = make().connect()
    for data in (b"", b"\x00\xff", b'{"type": "ping"}'):
        client.say_bytes(data)
    await client.settled()
    assert len(client.of("error")) == 3


@given(st.text(max_size=50))
def test_any_text_is_answered(text: str) -> None:
    async def ask() -> None:
        client = Lab(Path("/nowhere")).connect()
        client.say(text)
        await client.settled()
        assert len(client.of("error")) == 1
        client.leave()
        await client.task

    asyncio.run(ask())


async def test_a_slow_client_is_told_what_it_missed_and_holds_nobody_up(make: MakeLab) -> None:
    lab = make()
    slow, fast = lab.connect(), lab.connect()
    await slow.subscribe("profiles")
    await fast.subscribe("profiles")
    slow.reading.clear()
    total = QUEUE + 500
    for number in range(total):
        lab.bus.publish("profiles", str(number), {})
        await asyncio.sleep(0)
    await fast.until(lambda: len(fast.events) == total)
    assert fast.of("lagged") == []
    slow.reading.set()
    await slow.until(lambda: str(total - 1) in slow.events)
    missed = [frame["missed"] for frame in slow.of("lagged")]
    assert len(missed) == 1
    assert missed[0] > 0
    assert missed[0] + len(slow.events) == total
    kinds = [frame["type"] for frame in slow.frames if frame["type"] != "pong"]
    assert kinds.index("lagged") == slow.events.index(str(int(slow.events[kinds.index("lagged")]))), "where the gap is"


async def test_a_client_that_takes_nothing_is_given_up(make: MakeLab) -> None:
    lab = make(send_timeout=0.05)
    client = lab.connect()
    await client.subscribe("profiles")
    client.reading.clear()
    lab.bus.publish("profiles", "x", {})
    async with asyncio.timeout(5):
        await client.task


async def test_a_client_that_leaves(make: MakeLab) -> None:
    lab = make()
    client = lab.connect()
    await client.subscribe("*")
    client.leave()
    await client.task
    assert not any(lab.bus.wanted(topic) for topic in TOPICS)
    assert client.closed is None


async def test_the_end_of_the_daemon_closes_in_order(make: MakeLab) -> None:
    lab = make()
    clients = [lab.connect() for _ in range(3)]
    await clients[0].subscribe("system")
    await clients[1].subscribe("profiles")
    await clients[2].settled()
    lab.bus.publish("system", STOPPING, {})
    await asyncio.gather(*(client.task for client in clients))
    assert [client.closed for client in clients] == [1001] * 3
    assert [client.events for client in clients] == [[STOPPING], [], []]


async def test_a_slow_client_does_not_hold_up_the_end(make: MakeLab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jackfield_events.client.GRACE", 0.01)
    lab = make()
    client = lab.connect()
    await client.subscribe("profiles")
    client.reading.clear()
    lab.bus.publish("profiles", "x", {})
    await asyncio.sleep(0)
    lab.bus.publish("system", STOPPING, {})
    async with asyncio.timeout(5):
        await client.task


# -- who may


@pytest.mark.parametrize(
    ("path", "kind", "caller", "error"),
    [
        ("/ws/other", "websocket", OWNER, NotFound),
        ("/ws/", "websocket", OWNER, NotFound),
        ("/ws", "http", OWNER, InvalidInput),
        ("/ws", "websocket", None, AuthRequired),
    ],
)
async def test_refusals(
    make: MakeLab, path: str, kind: str, caller: Principal | None, error: type[JackfieldError]
) -> None:
    with pytest.raises(error):
        await make().connect(caller, path, kind).task


async def test_clients_are_bounded(make: MakeLab) -> None:
    lab = make(connections=2)
    first, second = lab.connect(), lab.connect()
    await first.settled()
    await second.settled()
    with pytest.raises(RateLimited):
        await lab.connect().task
    first.leave()
    await first.task
    await lab.connect().settled()


@pytest.mark.parametrize(("topic", "scope"), [("workflows", "workflows:read"), ("profiles", "agents:read")])
async def test_topics_need_scopes(make: MakeLab, topic: str, scope: str) -> None:
    lab = make()
    client = lab.connect(NARROW)
    client.say({"type": "subscribe", "topics": ["webhooks", topic]})
    await client.settled()
    assert scope in client.of("error")[0]["message"]
    await client.subscribe("*")
    for topic in ("workflows", "terminal", "webhooks"):
        lab.bus.publish(topic, topic, {})
    await client.until(lambda: client.events)
    assert client.events == ["webhooks"]
    assert expanded(VIEWER, ["*"]) == frozenset(TOPICS)


# -- frames


async def test_secrets_are_hidden_in_every_text(make: MakeLab) -> None:
    lab = make()
    lab.context.secrets.redact("hunter2-hunter2", '":"')
    client = lab.connect()
    await client.subscribe("profiles")
    data: dict[str, Any] = {"a": "key hunter2-hunter2!", "b": [{"c": "hunter2-hunter2"}, 1, None, True, 1.5, '":"']}
    lab.bus.publish("profiles", "x", data)
    await client.until(lambda: client.events)
    assert client.of("event")[0]["event"]["data"] == {
        "a": "key ***!",
        "b": [{"c": "***"}, 1, None, True, 1.5, "***"],
    }


def test_what_is_no_json_is_text() -> None:
    frame = event_frame(Event("system", "x", 0, {"path": Path("/secret/a"), "set": ("b",)}), lambda text: text[::-1])
    assert '"data":{"path":"a/terces/","set":["b"]}' in frame


def test_a_frame_is_made_once_for_all_clients() -> None:
    hidden: list[str] = []

    def hide(text: str) -> str:
        hidden.append(text)
        return text

    frames = EventFrames(hide)
    events = [Event("system", "x", number, {"a": str(number)}) for number in range(100)]
    for event in events:
        assert frames.of(event) == frames.of(event)
    assert len(hidden) == 100
    frames.of(events[0])
    assert len(hidden) == 101, "no more are kept than are needed"
