"""The latest events of this host, for other hosts that ask for them: whole, freed of secrets, bounded by topic.

Another host says which topics somebody listens to there, and how far it is in each. So it gets what has happened since
then, in its order, and hears how much it has missed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import cast

from jackfield.api import jsontext
from jackfield.api.clock import Clock
from jackfield.api.errors import InvalidInput
from jackfield.api.events import HOST_TOPICS, Event
from jackfield.api.hiding import Hide, masked
from jackfield.api.ids import new_id
from jackfield.api.json_values import Json
from jackfield.api.records import record

TOPICS = HOST_TOPICS | {"workflows"}
"""Those of which hosts ask each other; of `workflows` what happens to executions."""
EXECUTION = "execution."
"""Begins these types of events."""
_KEPT = 1000
"""Events of one topic."""
_KEPT_BYTES = 1024 * 1024
"""The same in bytes; one that is larger is missed."""
_ANSWERED = 256
"""Events of one answer."""
_A_SECOND = 200
"""Events of executions that are kept in a second; of more, others learn from the store."""


@record
class _Kept:
    """number: of all events, from 1 on; ordinal: of those of this topic; at: seconds, monotonic; text: JSON."""

    number: int
    ordinal: int
    at: float
    text: bytes


class _Topic:
    """The latest of one topic."""

    def __init__(self) -> None:
        self.count = 0
        """That many there were."""
        self._kept: deque[_Kept] = deque()
        self._size = 0

    def keep(self, number: int, at: float, text: bytes) -> None:
        self.count += 1
        if len(text) > _KEPT_BYTES:
            return
        self._kept.append(_Kept(number, self.count, at, text))
        self._size += len(text)
        while len(self._kept) > _KEPT or self._size > _KEPT_BYTES:
            self._size -= len(self._kept.popleft().text)

    def since(self, ordinal: int) -> Sequence[_Kept]:
        return [kept for kept in self._kept if kept.ordinal > ordinal]

    def at(self, moment: float) -> int:
        """The ordinal of the last event before that (seconds, monotonic)."""
        return next((kept.ordinal - 1 for kept in self._kept if kept.at >= moment), self.count)


class HostNews:
    """For one event loop."""

    def __init__(self, clock: Clock, hide: Hide, *, inside: bool) -> None:
        """inside: whether this host serves nobody who comes by a public host."""
        self._clock = clock
        self._hide = hide
        self._inside = inside
        self._epoch = new_id()
        self._number = 0
        self._topics = {topic: _Topic() for topic in TOPICS}
        self._executions: deque[float] = deque(maxlen=_A_SECOND)

    def keep(self, event: Event) -> bool:
        """Whether it is one of those that hosts ask each other for."""
        if event.topic not in TOPICS or (event.topic == "workflows" and not self._is_of_execution(event)):
            return False
        self._number += 1
        told = {"topic": event.topic, "type": event.type, "time": event.time, "data": masked(event.data, self._hide)}
        self._topics[event.topic].keep(self._number, self._clock.monotonic(), jsontext.dumps(told))
        return True

    def _is_of_execution(self, event: Event) -> bool:
        now = self._clock.monotonic()
        if not event.type.startswith(EXECUTION):
            return False
        if len(self._executions) == _A_SECOND and now - self._executions[0] < 1:
            return False
        self._executions.append(now)
        return True

    def answer(self, question: Mapping[str, str]) -> bytes:
        """JSON.

        `topics` of the question: `profiles:12` for those behind the 12th, `profiles:-300` for those of the last 300 ms.
        `epoch`: that of the last answer. `gap`: ms since then, which a host uses that has begun anew. Raises
        `InvalidInput`.
        """
        asked = places(question.get("topics", ""))
        gap = _number(question.get("gap", "0"))
        known = question.get("epoch") == self._epoch
        starts = {topic: self._start(topic, place, known, gap) for topic, place in asked.items()}
        found = sorted(
            ((topic, kept) for topic, start in starts.items() for kept in self._topics[topic].since(start)),
            key=lambda pair: pair[1].number,
        )
        taken = found[:_ANSWERED]
        cursors, missed = dict(starts), dict.fromkeys(starts, 0)
        for topic, kept in taken:
            missed[topic] += kept.ordinal - cursors[topic] - 1
            cursors[topic] = kept.ordinal
        if len(found) == len(taken):
            for topic, cursor in cursors.items():  # too large to be kept, behind the last one
                missed[topic] += self._topics[topic].count - cursor
                cursors[topic] = self._topics[topic].count
        now = self._clock.monotonic()
        about = {
            "epoch": self._epoch,
            "inside": self._inside,
            "cursors": cursors,
            "missed": missed,
            "more": len(found) > len(taken),
            "ages": [max(0, round((now - kept.at) * 1000)) for _, kept in taken],
        }
        events = b",".join(kept.text for _, kept in taken)
        return b'{"success":true,"data":{"about":' + jsontext.dumps(about) + b',"events":[' + events + b"]}}"

    def _start(self, topic: str, place: int, known: bool, gap: int) -> int:
        """The ordinal behind which it is asked for."""
        if known and place >= 0:
            return min(place, self._topics[topic].count)
        return self._topics[topic].at(self._clock.monotonic() - (gap if place >= 0 else -place) / 1000)


def places(text: str) -> Mapping[str, int]:
    """Of each topic that hosts ask for; others are left out. Raises `InvalidInput`."""
    pairs = (part.partition(":") for part in text.split(",") if part)
    return {topic: _number(place) for topic, _, place in pairs if topic in TOPICS}


def _number(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 16):
        raise InvalidInput("A place among events is a whole number.")
    return int(text)


@record
class NewsAnswer:
    """An answer, as another host has read it. events: each with its age in ms, when the answer was given."""

    epoch: str
    inside: bool
    cursors: Mapping[str, int]
    missed: Mapping[str, int]
    more: bool
    events: Sequence[tuple[Event, int]]


def read(data: Json, host: str) -> NewsAnswer | None:
    """host: who has answered. None: it is no answer of this kind, as of a host of an older version."""
    found = data.get("data") if isinstance(data, dict) else None
    about = found.get("about") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(about, dict) or not isinstance(about.get("epoch"), str):
        return None
    inside = about.get("inside") is not False
    given, ages = found.get("events"), about.get("ages")
    pairs = zip(given, ages, strict=False) if isinstance(given, list) and isinstance(ages, list) else ()
    events = [
        (_event(told, host, inside), age) for told, age in pairs if isinstance(told, dict) and isinstance(age, int)
    ]
    return NewsAnswer(
        str(about["epoch"]),
        inside,
        _counts(about.get("cursors")),
        _counts(about.get("missed")),
        about.get("more") is True,
        [(event, age) for event, age in events if event is not None],
    )


def _counts(value: Json) -> Mapping[str, int]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {topic: count for topic, count in pairs if topic in TOPICS and isinstance(count, int) and count >= 0}


def _event(told: Mapping[str, Json], host: str, inside: bool) -> Event | None:
    topic, kind, time, data = (told.get(key) for key in ("topic", "type", "time", "data"))
    if not (isinstance(topic, str) and topic in TOPICS and isinstance(kind, str)):
        return None
    if not (isinstance(time, int) and isinstance(data, dict)):
        return None
    whole = {**data, "host": host} if topic in HOST_TOPICS else data
    return Event(topic, kind, time, cast("Mapping[str, object]", whole), inside and topic in HOST_TOPICS)
