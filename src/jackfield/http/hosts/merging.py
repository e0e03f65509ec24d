"""Lists that are joined over hosts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from jackfield.api import jsontext
from jackfield.api.asgi import AsgiApp, Message, Receive, Scope, Send
from jackfield.api.errors import InvalidInput
from jackfield.api.hosts import Host, HostReply
from jackfield.api.jsontext import Json
from jackfield.api.records import record

MOST_BYTES = 32 * 1024 * 1024
"""Of one host's part."""


@record
class Part:
    """What one host gave: None when it did not answer."""

    host: Host
    reply: HostReply | None


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

    async def again(self, send: Send) -> None:
        """Send it as it was."""
        await send(self.head)
        await send({"type": "http.response.body", "body": bytes(self.body)})


async def captured(app: AsgiApp, scope: Scope, receive: Receive) -> Captured:
    found = Captured()
    await app(scope, receive, found.send)
    return found


async def joined(own: bytes, here: str, parts: Sequence[Part]) -> bytes | None:
    """The envelope with the rows of all. None when this host's own part has no rows to join others to."""
    return await asyncio.to_thread(_joined, own, here, parts)


def _joined(own: bytes, here: str, parts: Sequence[Part]) -> bytes | None:
    envelope = jsontext.loads(own)
    if not isinstance(envelope, dict) or not isinstance(envelope.get("data"), list):
        return None
    rows = _rows_of(here, envelope)
    warnings = list(_texts(envelope.get("warnings")))
    missing: list[str] = []
    for part in parts:
        found = part.reply.data if part.reply is not None and part.reply.status == 200 else None
        if not isinstance(found, dict) or not isinstance(found.get("data"), list):
            missing.append(part.host.name)
            warnings.append(f"The host {part.host.name} did not answer; what it has is not in this list.")
            continue
        rows += _rows_of(part.host.name, found)
        warnings += [f"{part.host.name}: {text}" for text in _texts(found.get("warnings"))]
    made: dict[str, object] = {**envelope, "data": rows}
    if warnings:
        made["warnings"] = warnings
    if missing:
        made["missing_hosts"] = missing
    return jsontext.dumps(made)


def _rows_of(host: str, envelope: Mapping[str, Json]) -> list[Json]:
    rows = envelope["data"]
    return [{**row, "host": host} if isinstance(row, dict) else row for row in rows] if isinstance(rows, list) else []


def _texts(given: Json) -> Sequence[str]:
    return [str(text) for text in given] if isinstance(given, list) else []
