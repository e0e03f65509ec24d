"""Answers that are no JSON: bodies that go on with a later request, and streams of events."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import AsyncIterator, Callable
from urllib.parse import unquote, urlsplit

from jackfield.api.binary import DEFAULT_TYPE
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import HttpReply
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import BinaryData

MOST_EVENT = 2**20
"""Bytes of one event."""


def content_row(reply: HttpReply) -> Json:
    """The body, as templates see a file of the item: `name`, `type` and `content` in base64.

    The name is the service's, or else the address'.
    """
    kind = reply.header("content-type").partition(";")[0].strip() or DEFAULT_TYPE
    told = re.search(r'filename="([^"]+)"', reply.header("content-disposition"))
    name = told[1] if told else unquote(urlsplit(reply.url).path).rpartition("/")[2]
    return {"name": name, "type": kind, "content": base64.b64encode(reply.body).decode()}


def from_base64(text: str) -> bytes:
    """A data URL counts too. Raises `NodeError`."""
    try:
        return base64.b64decode(text.partition(",")[2] if text.startswith("data:") else text, validate=True)
    except (binascii.Error, ValueError):
        raise NodeError("The file's content is not in base64.") from None


class FirstEvent:
    """Reads server-sent events (WHATWG HTML, 9.2) up to the first whose JSON is the one that is waited for, which is
    `found`; a `BodyKeeper`."""

    def __init__(self, title: str, holds: Callable[[Json], bool]) -> None:
        """title: of the service."""
        self.found: Json = None
        self._title = title
        self._holds = holds

    def wants(self, head: HttpReply) -> bool:
        return True

    async def keep(self, head: HttpReply, chunks: AsyncIterator[bytes]) -> BinaryData:
        """Nothing of it becomes a file. Raises `NodeError` when the events end before."""
        waiting = b""
        async for chunk in chunks:
            waiting = (waiting + chunk).replace(b"\r\n", b"\n")
            *whole, waiting = waiting.split(b"\n\n")
            for event in whole:
                if self._is_it(event):
                    return {"data": "", "mimeType": "text/event-stream"}
            if len(waiting) > MOST_EVENT:
                raise NodeError(f"{self._title} sent an event of more than {MOST_EVENT} bytes.")
        raise NodeError(f"{self._title} ended its events before the one that is waited for.")

    def _is_it(self, event: bytes) -> bool:
        lines = [line[5:].lstrip() for line in event.split(b"\n") if line.startswith(b"data:")]
        try:
            found = loads(b"\n".join(lines), max_depth=200) if lines else None
        except InvalidInput:
            return False
        if found is None or not self._holds(found):
            return False
        self.found = found
        return True
