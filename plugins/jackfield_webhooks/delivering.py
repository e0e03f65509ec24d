"""Sending an answer."""

from __future__ import annotations

import contextlib

from jackfield.api.asgi import Receive, Send
from jackfield.api.storage import StoredAnswer
from jackfield_webhooks.calls import Call

_BODILESS = (204, 304)


async def deliver(call: Call, answer: StoredAnswer, send: Send) -> None:
    """Answer. A caller that is still sending its body gets the answer at once, and what it sends goes nowhere; closing
    on it instead could lose the answer."""
    body = b"" if answer.status in _BODILESS else answer.body
    headers = [
        (name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in answer.headers
    ]
    headers += call.permission
    if answer.status not in _BODILESS:
        headers.append((b"content-length", str(len(body)).encode()))
    if call.method == "HEAD":
        body = b""
    with contextlib.suppress(ConnectionError):
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        if not call.reader.complete:
            await send({"type": "http.response.body", "body": body, "more_body": True})
            await call.reader.discard()
            body = b""
        await send({"type": "http.response.body", "body": body})


async def close_websocket(receive: Receive, send: Send) -> None:
    """Webhooks are called over HTTP only: the upgrade is refused."""
    message = await receive()
    if message["type"] == "websocket.connect":
        await send({"type": "websocket.close", "code": 1008})
