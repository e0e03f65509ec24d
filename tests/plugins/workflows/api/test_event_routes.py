"""/api/v1/events: server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import orjson
import pytest

from jackfield.api.auth import Principal
from jackfield.api.events import STOPPING
from jackfield_workflows.routes.event_stream import event_stream
from jackfield_workflows.settings import WorkflowsSettings


async def stream(api: Any, **timing: float) -> AsyncIterator[bytes]:
    limits = {"heartbeat": 5.0, "lifetime": 5.0, **timing}
    frames = event_stream(api.events, frozenset({"workflows"}), **limits)
    assert (await anext(frames)).startswith(b":")
    return frames


async def test_events_come_as_frames(api: Any) -> None:
    frames = await stream(api)
    waiting = asyncio.ensure_future(anext(frames))
    await asyncio.sleep(0)
    api.events.publish("webhooks", "other.topic", {})
    api.events.publish("workflows", "workflow.saved", {"id": "1", "name": "line\nbreak"})
    kind, data, *rest = (await waiting).split(b"\n")
    assert (kind, rest) == (b"event: workflow.saved", [b"", b""])
    body = orjson.loads(data.removeprefix(b"data: "))
    assert (body["topic"], body["type"], body["data"]["name"]) == ("workflows", "workflow.saved", "line\nbreak")
    assert body["timestamp"].endswith("Z")
    await frames.aclose()  # type: ignore[attr-defined]
    assert api.events.subscriptions == []


async def test_a_slow_reader_is_told_what_it_missed(api: Any) -> None:
    frames = await stream(api)
    api.events.subscriptions[0].lost = 7
    api.events.publish("workflows", "workflow.saved", {})
    assert await anext(frames) == b'event: lagged\ndata: {"type":"lagged","missed":7}\n\n'
    assert (await anext(frames)).startswith(b"event: workflow.saved\n")
    await frames.aclose()  # type: ignore[attr-defined]


async def test_an_idle_stream_beats_and_ends(api: Any) -> None:
    frames = [frame async for frame in await stream(api, heartbeat=0.01, lifetime=0.05)]
    assert frames
    assert set(frames) == {b": alive\n\n"}
    assert api.events.subscriptions == []


async def test_a_stream_ends_when_the_daemon_stops(api: Any) -> None:
    frames = await stream(api)
    api.events.publish("system", "system.other", {})
    api.events.publish("system", STOPPING, {})
    assert [frame async for frame in frames] == []
    assert api.events.subscriptions == []


async def test_the_route_streams_and_counts_open_streams(make_api: Callable[..., Any]) -> None:
    api = make_api(WorkflowsSettings(event_streams=1))
    async with api.client.request("/api/v1/events", method="GET") as connection:
        await connection.send_complete()
        assert await connection.receive() == b": connected\n\n"
        assert connection.headers["Content-Type"] == "text/event-stream"
        await api.save({"name": "seen"})
        assert b"event: workflow.saved" in await connection.receive()
        answer = await api.call("GET", "/events")
        assert answer.status_code == 429
        await connection.disconnect()


def principal(*scopes: str) -> Principal:
    return Principal("u", "u", "member", "api_key", frozenset(scopes))


@pytest.mark.parametrize(
    ("scopes", "query", "topics"),
    [
        (("workflows:read", "executions:read", "webhooks:read"), "", {"workflows", "webhooks"}),
        (("workflows:read", "executions:read"), "", {"workflows"}),
        (("webhooks:read",), "", {"webhooks"}),
        (("workflows:read", "executions:read", "webhooks:read"), "?topics=webhooks", {"webhooks"}),
    ],
)
async def test_the_callers_scopes_choose_the_topics(api: Any, scopes: Any, query: str, topics: set[str]) -> None:
    api.context.principal = principal(*scopes)
    async with api.client.request(f"/api/v1/events{query}", method="GET") as connection:
        await connection.send_complete()
        await connection.receive()
        assert set(api.events.subscriptions[0].topics) == topics | {"system"}
        await connection.disconnect()


@pytest.mark.parametrize(
    ("scopes", "query", "status"),
    [
        (("workflows:read",), "", 403),
        (("webhooks:read",), "?topics=workflows", 403),
        (("webhooks:read",), "?topics=agents", 400),
    ],
)
async def test_other_topics_are_refused(api: Any, scopes: Any, query: str, status: int) -> None:
    api.context.principal = principal(*scopes)
    await api.refused("GET", f"/events{query}", status=status)
