"""An answer that is given before the request's body has been read.

A server can only close such a connection, and closing with data unread may lose the answer on its way (RFC 9112 section
9.6). So the rest of a small body is read and thrown away before the answer's end is sent.
"""

from __future__ import annotations

import asyncio

from jackfield.api.asgi import Message, Receive, Send

DISCARD_BYTES = 1024 * 1024
DISCARD_SECONDS = 5.0


class DrainingExchange:
    """`receive` and `send` of one request that know of each other."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._read = False
        self._left = DISCARD_BYTES
        self._enough: asyncio.Future[None] | None = None

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            self._read = True
        if self._enough is not None:
            self._left -= len(message.get("body", b""))
            if (self._read or self._left <= 0) and not self._enough.done():
                self._enough.set_result(None)
        return message

    async def send(self, message: Message) -> None:
        ends = message["type"] == "http.response.body" and not message.get("more_body", False)
        if ends and not self._read:
            await self._send({**message, "more_body": True})
            await self._discard()
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)

    async def _discard(self) -> None:
        """The application may still wait for a message as well, and it may be the one that gets the end."""
        self._enough = asyncio.get_running_loop().create_future()
        reading = asyncio.create_task(self._read_rest())
        try:
            await asyncio.wait((reading, self._enough), timeout=DISCARD_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            reading.cancel()

    async def _read_rest(self) -> None:
        while not self._read and self._left > 0:
            await self.receive()
