"""The body of a request, read whole before the SDK sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from ..asgi import Message, Receive
from ..errors import InvalidInput, PayloadTooLarge, RequestTimeout
from ..records import record


@record
class BodyLimits:
    """size: bytes; timeout: seconds; settings: how the names of both settings begin, such as `ai.mcp_`."""

    size: int
    timeout: float
    settings: str

    def too_large(self) -> PayloadTooLarge:
        return PayloadTooLarge(f"A request may have at most {self.size} bytes ({self.settings}body_limit).")


async def read_body(receive: Receive, headers: Mapping[str, str], limits: BodyLimits) -> bytes:
    """headers: names in lower case. Raises `PayloadTooLarge`, `RequestTimeout`, and `InvalidInput` when the client
    leaves before its end."""
    size = headers.get("content-length", "")
    if size.isdecimal() and int(size) > limits.size:
        raise limits.too_large()
    try:
        return await asyncio.wait_for(_read(receive, limits), limits.timeout)
    except TimeoutError:
        raise RequestTimeout(f"The request took too long to arrive ({limits.settings}body_timeout).") from None


async def _read(receive: Receive, limits: BodyLimits) -> bytes:
    found = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise InvalidInput("The client left before the end of its request.")
        found += message.get("body", b"")
        if len(found) > limits.size:
            raise limits.too_large()
        if not message.get("more_body"):
            return bytes(found)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Gives the body once more, and then what comes after it: that the client has left."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
