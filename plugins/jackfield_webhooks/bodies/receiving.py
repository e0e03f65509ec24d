"""Taking a request's body off the connection: bounded in size and in time."""

from __future__ import annotations

import asyncio
import contextlib
import io

from jackfield.api.asgi import Receive
from jackfield.api.errors import InvalidInput, PayloadTooLarge, RequestTimeout, StoreUnavailable
from jackfield_webhooks.settings import WebhookSettings

DISCARD_SECONDS = 5.0
"""How long the rest of a refused body is taken off the connection, so that the caller reads the answer."""


class Disconnected(Exception):
    """The caller went away before its body was complete; nobody is left to be answered."""


class BodyMemory:
    """How many bytes of bodies are in memory at a time, by all calls together, until they are read."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.used = 0

    def take(self, size: int) -> None:
        """Raises `StoreUnavailable` when there is no room."""
        if self.used + size > self._limit:
            raise StoreUnavailable("Too many large bodies are being read; call again in a moment.")
        self.used += size

    def give(self, size: int) -> None:
        self.used -= size


class BodyReader:
    """Reads one request's body once."""

    __slots__ = ("_memory", "_receive", "_settings", "_taken", "complete")

    def __init__(self, receive: Receive, settings: WebhookSettings, memory: BodyMemory) -> None:
        self._receive = receive
        self._settings = settings
        self._memory = memory
        self._taken = 0
        self.complete = False

    def release(self) -> None:
        """The body as sent is not needed any more."""
        self._memory.give(self._taken)
        self._taken = 0

    async def read(self, announced: str | None) -> bytes:
        """The body as sent. announced: the Content-Length header. Raises `PayloadTooLarge`, `RequestTimeout`,
        `InvalidInput`, `StoreUnavailable` without room, `Disconnected`."""
        limit = self._settings.body_limit
        expected = -1 if announced is None else _length(announced, limit)
        loop = asyncio.get_running_loop()
        start = loop.time()
        whole = io.BytesIO()  # gives its bytes away without a copy, unlike a list that is joined
        size = 0
        try:
            async with asyncio.timeout_at(start + self._settings.body_timeout) as deadline:
                while not self.complete:
                    part = await self._next()
                    if not part:
                        continue
                    size += len(part)
                    if size > limit:
                        raise _too_large(limit)
                    self._memory.take(len(part))
                    self._taken = size
                    if self.complete and size == len(part):
                        return part
                    whole.write(part)
                    if size != expected:
                        allowed = self._settings.body_timeout + size / self._settings.body_min_rate
                        deadline.reschedule(start + allowed)
        except TimeoutError:
            raise RequestTimeout from None
        return whole.getvalue()

    async def left(self) -> None:
        """Returns when the caller went away. For whoever has the whole body."""
        while (await self._receive())["type"] == "http.request":
            pass

    async def discard(self) -> None:
        """Take the rest off the connection, within limits; what goes on longer is cut off."""
        left = 2 * self._settings.body_limit
        with contextlib.suppress(TimeoutError, Disconnected):
            async with asyncio.timeout(DISCARD_SECONDS):
                while left >= 0 and not self.complete:
                    left -= len(await self._next())

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] != "http.request":
            self.complete = True
            raise Disconnected
        self.complete = not message.get("more_body", False)
        part: bytes = message.get("body", b"")
        return part


def _length(announced: str, limit: int) -> int:
    if not (announced.isascii() and announced.isdigit() and len(announced) <= 20):
        raise InvalidInput("The Content-Length header is not a number.")
    if int(announced) > limit:
        raise _too_large(limit)
    return int(announced)


def _too_large(limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"The body may have at most {limit} bytes, as sent and after decoding.")
