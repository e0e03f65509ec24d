"""The body of a request, read whole before the SDK sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from jackfield.api.asgi import Message, Receive
from jackfield.api.errors import InvalidInput, PayloadTooLarge, RequestTimeout


async def read_body(receive: Receive, headers: Mapping[str, str], limit: int, timeout: float) -> bytes:
    """limit: bytes; timeout: seconds. Raises `PayloadTooLarge`, `RequestTimeout`, and `InvalidInput` when the client
    leaves before its end."""
    size = headers.get("content-length", "")
    if size.isdecimal() and int(size) > limit:
        raise PayloadTooLarge(f"A request may have at most {limit} bytes (ai.mcp_body_limit).")
    try:
        return await asyncio.wait_for(_read(receive, limit), timeout)
    except TimeoutError:
        raise RequestTimeout("The request took too long to arrive (ai.mcp_body_timeout).") from None


async def _read(receive: Receive, limit: int) -> bytes:
    found = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise InvalidInput("The client left before the end of its request.")
        found += message.get("body", b"")
        if len(found) > limit:
            raise PayloadTooLarge(f"A request may have at most {limit} bytes (ai.mcp_body_limit).")
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
