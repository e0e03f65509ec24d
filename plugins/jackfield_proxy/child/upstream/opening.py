"""The beginning of a stream, until there is content.

Overloaded providers accept a request, begin a stream and then say in it what they should have said by a status. As long
as nothing has reached the client, that is a refusal like any other.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping

from jackfield.api import dialects
from jackfield.api.dialects import errors
from jackfield.api.dialects.model import DialectError, DialectName, Event, Failed, MessageStart, Ping, UsageUpdate
from jackfield_proxy.child.incoming import addressing
from jackfield_proxy.child.incoming.draining import drained
from jackfield_proxy.child.upstream import failures
from jackfield_proxy.child.upstream.failures import UpstreamFailure
from jackfield_proxy.child.upstream.replies import ProviderReply, ReplyContent
from jackfield_proxy.child.upstream.unpacking import PLAIN

LARGEST = 64 * 1024
"""Bytes that are held back."""
LONGEST_MARK = 32
"""Bytes of what a pattern for content matches, at most."""
STREAM = "text/event-stream"
_CONTENT: Mapping[DialectName, Callable[[bytes, int], object]] = {
    "anthropic": re.compile(rb'"type":\s?"content_block_').search,
    "chat": re.compile(rb'"(?:content|reasoning_content|reasoning|arguments)":\s?"[^"]').search,
    "responses": re.compile(rb'"type":\s?"response\.output_').search,
    "gemini": re.compile(rb'"(?:text":\s?"[^"]|functionCall":\s?\{)').search,
}
"""The bytes that show at a glance that there is content; the readers of the dialects look for it in the rest."""
_NO_CONTENT = (MessageStart, Ping, UsageUpdate)


class Opening:
    """Feed it a stream until it says that there is no more to wait for.

    `buffered`: the bytes that it has got. `error`: why the stream has failed. `event`: the data of the event that said
    so.
    """

    def __init__(self, dialect: DialectName) -> None:
        self.buffered = b""
        self.error: DialectError | None = None
        self.event = b""
        self._content = _CONTENT[dialect]
        self._reader = dialects.of(dialect).reader()
        self._place = 0

    def feed(self, data: bytes) -> bool:
        """Whether all that is held is to go on, or the stream has failed."""
        known = max(0, len(self.buffered) - LONGEST_MARK)
        self.buffered += data
        if self._content(self.buffered, known):  # nothing follows an error, so that there was none
            return True
        while (end := self.buffered.find(b"\n", self._place)) >= 0:
            line = self.buffered[self._place : end + 1]
            self._place = end + 1
            if line.startswith(b"data:"):
                self.event = line[5:].strip()
            if self._decided(self._reader.feed(line)):
                return True
        return len(self.buffered) >= LARGEST

    def close(self) -> bool:
        """The stream has ended. As `feed`."""
        self.event = b""
        return self._decided([*self._reader.feed(self.buffered[self._place :]), *self._reader.close()])

    def _decided(self, events: list[Event]) -> bool:
        for event in events:
            if isinstance(event, Failed):
                self.error = event.error
                return True
            if not isinstance(event, _NO_CONTENT):
                return True
        return False


def is_stream(reply: ProviderReply) -> bool:
    return reply.headers.get("Content-Type", "").startswith(STREAM)


async def opened(reply: ProviderReply, dialect: DialectName, seconds: float) -> bytes:
    """The part of the stream that was read to know that it has content; nothing for another answer.

    After that many seconds, the part that is there: models think for minutes between the first event and the next.
    Raises `UpstreamFailure`, and the errors of the connection.
    """
    encoding = reply.headers.get("Content-Encoding", "").strip().lower()
    if not seconds or not is_stream(reply) or encoding not in PLAIN:
        return b""
    found = Opening(dialect)
    try:
        if not found.feed(drained(reply.content)):
            async with asyncio.timeout(seconds):
                await _until_decided(found, reply.content)
    except TimeoutError:
        return found.buffered
    if found.error is not None:
        raise _refused(found, found.error, reply, dialect)
    return found.buffered


async def _until_decided(found: Opening, content: ReplyContent) -> None:
    while chunk := await content.readany():
        if found.feed(chunk):
            return
    found.close()


def _refused(found: Opening, error: DialectError, reply: ProviderReply, dialect: DialectName) -> UpstreamFailure:
    """Its answer: what the provider has said, with the status that it should have had. SDKs try again, and raise what
    fits, by a status alone. Codex does so by the event: for it the stream stays one."""
    pairs = addressing.returned_headers(reply.headers.items())
    headers = {key.lower(): value for key, value in pairs}
    error.retry_after = errors.seconds(headers.get("retry-after"))
    refused = failures.refused(error, error.status, headers, found.event, pairs)
    if not found.event.startswith(b"{"):
        refused.answer = None
    elif dialect == "responses":
        refused.answer = reply.status, pairs, found.buffered
    else:
        kept = [(key, value) for key, value in pairs if key.lower() != "content-type"]
        status = dialects.of(dialect).error_body(error)[0]
        refused.answer = status, [*kept, ("Content-Type", "application/json")], found.event
    return refused
