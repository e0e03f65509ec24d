"""Answers that an MCP server gives without the SDK."""

from __future__ import annotations

from ..asgi import AsgiApp, Message, Receive, Scope, Send, error_body
from ..errors import JackfieldError


class WatchedSend:
    """A `Send` that knows whether the answer has begun: an error can be answered only before."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False

    async def __call__(self, message: Message) -> None:
        self.begun = True
        await self._send(message)


async def serve_answered(serve: AsgiApp, scope: Scope, receive: Receive, send: Send) -> None:
    """It answers an exception of the application as an error, unless the application's answer has begun."""
    watched = WatchedSend(send)
    try:
        await serve(scope, receive, watched)
    except JackfieldError as exc:
        if watched.begun:
            raise
        await answer_error(exc, scope, send)


def header_values(scope: Scope) -> dict[str, str]:
    """The request's headers, with names in lower case; of one that is repeated the last."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


async def answer_nothing(send: Send) -> None:
    """204, as for the end of a session of which nothing is kept."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def answer_error(error: JackfieldError, scope: Scope, send: Send) -> None:
    """The daemon's envelope of an error."""
    body = error_body(error, str(scope.get("jackfield.request_id", "")))
    given = [(name.lower().encode(), value.encode("latin-1")) for name, value in error.headers]
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *given]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
