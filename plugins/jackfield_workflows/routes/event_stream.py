"""Events as a server-sent stream (WHATWG HTML, 'Server-sent events')."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from jackfield.api import jsontext
from jackfield.api.clock import iso
from jackfield.api.event_reach import heard_event
from jackfield.api.events import STOPPING, Event, EventBus, Subscription
from jackfield.api.projects import ProjectAccess

HEARTBEAT = b": alive\n\n"


async def event_stream(
    bus: EventBus,
    topics: frozenset[str],
    *,
    heartbeat: float,
    lifetime: float,
    projects: ProjectAccess | None = None,
) -> AsyncIterator[bytes]:
    """Frames until the lifetime (seconds) is over or the daemon stops.

    A slow reader gets `lagged` for the events that it missed.
    """
    with bus.subscribe(*sorted(topics), "system") as subscription:
        yield b": connected\n\n"
        events = aiter(subscription)
        deadline = asyncio.get_running_loop().time() + lifetime
        pending: asyncio.Future[Event] | None = None
        try:
            while (left := deadline - asyncio.get_running_loop().time()) > 0:
                pending = pending or asyncio.ensure_future(anext(events))
                await asyncio.wait({pending}, timeout=min(heartbeat, left))
                for frame in _lag(subscription):
                    yield frame
                if not pending.done():
                    yield HEARTBEAT
                    continue
                event, pending = pending.result(), None
                if event.type == STOPPING:
                    return
                if event.topic in topics and (heard := await heard_event(projects, event)) is not None:
                    yield frame_of(heard)
        finally:
            if pending is not None:
                pending.cancel()
                with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
                    await pending


def frame_of(event: Event) -> bytes:
    """One event; its data has the form of the frames on `/ws`."""
    body = {"topic": event.topic, "type": event.type, "timestamp": iso(event.time), "data": dict(event.data)}
    return b"event: " + event.type.encode() + b"\ndata: " + jsontext.dumps(body) + b"\n\n"


def _lag(subscription: Subscription) -> list[bytes]:
    missed = subscription.missed()
    return [b"event: lagged\ndata: " + jsontext.dumps({"type": "lagged", "missed": missed}) + b"\n\n"] if missed else []
