"""Lists that are joined over hosts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from jackfield.api import jsontext
from jackfield.api.asgi import AsgiApp, Message, Receive, Scope, Send
from jackfield.api.clock import iso
from jackfield.api.errors import InvalidInput
from jackfield.api.hosts import Host, HostReply, StandIn
from jackfield.api.jsontext import Json
from jackfield.api.records import record

JoinParts: TypeAlias = Callable[[Sequence[Json]], Json]
MOST_BYTES = 32 * 1024 * 1024
"""Of one host's part."""


@record
class Part:
    """One host's data: None when it did not answer."""

    host: Host
    reply: HostReply | None

    def rows(self, kind: type) -> Mapping[str, Json] | None:
        """The envelope of its answer. kind: of the data; None: it gave none of these."""
        found = self.reply.data if self.reply is not None and self.reply.status == 200 else None
        return found if isinstance(found, dict) and type(found.get("data")) is kind else None


@record
class UnansweredHosts:
    """The knowledge of hosts that did not answer. `trouble`: why there is none."""

    found: Sequence[StandIn] = ()
    trouble: str = ""

    def __bool__(self) -> bool:
        return bool(self.found or self.trouble)


class Captured:
    """An answer of this host that is kept, instead of being sent."""

    def __init__(self) -> None:
        self.head: Message = {}
        self.body = bytearray()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.head = message
            return
        self.body += message.get("body", b"")
        if len(self.body) > MOST_BYTES:
            raise InvalidInput(f"The list has more than {MOST_BYTES} bytes; ask for less.")

    @property
    def status(self) -> int:
        return int(self.head.get("status", 500))

    def replace_body(self, body: bytes) -> None:
        kept = [pair for pair in self.head["headers"] if pair[0].lower() != b"content-length"]
        self.head["headers"] = [*kept, (b"content-length", str(len(body)).encode())]
        self.body = bytearray(body)

    async def again(self, send: Send) -> None:
        """Send it as it was."""
        await send(self.head)
        await send({"type": "http.response.body", "body": bytes(self.body)})


async def captured(app: AsgiApp, scope: Scope, receive: Receive) -> Captured:
    found = Captured()
    await app(scope, receive, found.send)
    return found


async def joined(
    own: bytes, here: str, parts: Sequence[Part], join: JoinParts | None, standing: UnansweredHosts
) -> bytes | None:
    """The envelope with what all have. join: of the data; None: they are rows, one behind the other. None when this
    host's own part has no rows to which others could be joined."""
    return await asyncio.to_thread(_joined, own, here, parts, join, standing)


def _joined(
    own: bytes, here: str, parts: Sequence[Part], join: JoinParts | None, standing: UnansweredHosts
) -> bytes | None:
    envelope = jsontext.loads(own)
    if not isinstance(envelope, dict) or (join is None and not isinstance(envelope.get("data"), list)):
        return None
    answers: dict[str, Mapping[str, Json]] = {here: envelope}
    missing: list[str] = []
    for part in parts:
        found = part.rows(type(envelope.get("data")))
        if found is not None:
            answers[part.host.name] = found
        else:
            missing.append(part.host.name)
    warnings = [text for name, found in answers.items() for text in _warnings(found, "" if name == here else name)]
    absent = [each for each in standing.found if each.data is not None or each.trouble or each.host in missing]
    known = {each.host for each in absent}
    warnings += [
        f"The host {name} did not answer; what it has is not in here." for name in missing if name not in known
    ]
    warnings += [_told(each) for each in absent]
    if standing.trouble:
        warnings.append(f"What is known of hosts that do not answer is not in here: {standing.trouble}")
    missing += [name for name in sorted(known) if name not in missing and name not in answers]
    if join is None:
        data: Json = [row for name, found in answers.items() for row in _rows_of(name, found)]
    else:
        data = join(
            [
                *(found["data"] for found in answers.values()),
                *(each.data for each in absent if each.data is not None),
            ]
        )
    made: dict[str, object] = {**envelope, "data": data}
    if warnings:
        made["warnings"] = warnings
    if missing:
        made["missing_hosts"] = missing
    return jsontext.dumps(made)


def _told(stand_in: StandIn) -> str:
    if stand_in.trouble:
        return f"The host {stand_in.host} did not answer, and {stand_in.trouble}."
    return f"The host {stand_in.host} did not answer; what it has is in here as of {iso(stand_in.as_of)}."


def done(own: bytes, parts: Sequence[Part]) -> bytes:
    """The envelope of what every host was to do, and which of them have not."""
    missing = [part for part in parts if part.reply is None or part.reply.status != 200]
    envelope = jsontext.loads(own)
    if not missing or not isinstance(envelope, dict):
        return own
    warnings = [_undone(part) for part in missing]
    names = [part.host.name for part in missing]
    return jsontext.dumps({**envelope, "warnings": [*_warnings(envelope, ""), *warnings], "missing_hosts": names})


def _undone(part: Part) -> str:
    """Work that has begun there goes on, though nobody waits for it any more."""
    if part.reply is None:
        return f"The host {part.host.name} has not answered in time; it may still do it."
    return f"The host {part.host.name} did not do it; ask it again."


def _warnings(envelope: Mapping[str, Json], host: str) -> Sequence[str]:
    given = envelope.get("warnings")
    texts = [str(text) for text in given] if isinstance(given, list) else []
    return [f"{host}: {text}" for text in texts] if host else texts


def _rows_of(host: str, envelope: Mapping[str, Json]) -> list[Json]:
    rows = envelope["data"]
    return [{**row, "host": host} if isinstance(row, dict) else row for row in rows] if isinstance(rows, list) else []
