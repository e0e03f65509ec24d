"""The frames that clients get: JSON texts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from jackfield.api import jsontext
from jackfield.api.clock import iso
from jackfield.api.events import Event
from jackfield.api.hiding import Hide, masked

KEPT = 64
"""Events whose frame is kept for the next client."""
PONG = '{"type":"pong"}'


def lagged(missed: int) -> str:
    return jsontext.dumps({"type": "lagged", "missed": missed}).decode()


def subscribed(topics: Iterable[str]) -> str:
    """All frames that the client gets from now on."""
    return jsontext.dumps({"type": "subscribed", "topics": sorted(topics)}).decode()


def error(message: str) -> str:
    return jsontext.dumps({"type": "error", "message": message}).decode()


class EventFrames:
    """The frame of an event, made once for all clients: hiding secrets in it costs more than sending it."""

    def __init__(self, hide: Hide) -> None:
        self._hide = hide
        self._made: OrderedDict[int, tuple[Event, str]] = OrderedDict()
        """By identity; the event is kept with it, so that its identity stays its own."""

    def of(self, event: Event) -> str:
        known = self._made.get(id(event))
        if known is not None:
            return known[1]
        frame = event_frame(event, self._hide)
        self._made[id(event)] = (event, frame)
        if len(self._made) > KEPT:
            self._made.popitem(last=False)
        return frame


def event_frame(event: Event, hide: Hide) -> str:
    """One event, with every text in its data freed of secrets."""
    told = {"type": event.type, "timestamp": iso(event.time), "data": masked(event.data, hide)}
    return jsontext.dumps({"type": "event", "topic": event.topic, "event": told}).decode()
