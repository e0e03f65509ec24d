"""Sending an answer."""

from __future__ import annotations

import asyncio
import contextlib

from jackfield.api.asgi import Receive, Send
from jackfield.api.binary import Content, Streamed, size_of, stream_of
from jackfield_webhooks.answers.making import Answer
from jackfield_webhooks.calls.call import IncomingCall

_BODILESS = (204, 304)


async def deliver(call: IncomingCall, answer: Answer, send: Send) -> None:
    """Answer. A caller that is still sending its body gets the answer at once, and what it sends goes nowhere. Closing
    on it instead could lose the answer. Raises `BinaryError` when a file ends before its length."""
    body: Content = b"" if answer.status in _BODILESS else answer.body
    headers = [
        (name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in answer.headers
    ]
    headers += call.permission
    if answer.status not in _BODILESS:
        headers.append((b"content-length", str(len(body) if isinstance(body, bytes) else size_of(body)).encode()))
    if call.method == "HEAD":
        body = b""
    with contextlib.suppress(ConnectionError):
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        if call.reader.complete and isinstance(body, bytes):
            await send({"type": "http.response.body", "body": body})
            return
        if isinstance(body, bytes):
            await send({"type": "http.response.body", "body": body, "more_body": True})
        else:
            await _send(call, body, send)
        if not call.reader.complete:
            await call.reader.discard()
        await send({"type": "http.response.body", "body": b""})


async def _send(call: IncomingCall, body: Streamed, send: Send) -> None:
    """A file, but for its end. It is not read on for a caller who left: servers take what is sent to nobody."""
    left = asyncio.ensure_future(call.reader.left()) if call.reader.complete else None
    try:
        async with contextlib.aclosing(stream_of(body)) as chunks:
            async for chunk in chunks:
                if left is not None and left.done():
                    return
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
    finally:
        if left is not None:
            left.cancel()


async def close_websocket(receive: Receive, send: Send) -> None:
    """Webhooks are called over HTTP only: the upgrade is refused."""
    message = await receive()
    if message["type"] == "websocket.connect":
        await send({"type": "websocket.close", "code": 1008})
