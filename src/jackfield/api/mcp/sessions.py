"""Sessions of Streamable HTTP without state: a client is given a name, whose only use is to say which of its calls it
cancels. Source: MCP 2025-11-25, Transports (Session Management) and Cancellation."""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_urlsafe
from typing import Protocol

from ..asgi import Message, Scope, Send
from ..errors import InvalidInput
from ..jsontext import Json, loads

SESSION = "mcp-session-id"


class Cancellable(Protocol):
    """A part of the work that can be cancelled, such as anyio's `CancelScope`."""

    def cancel(self) -> None: ...


class CallScopes:
    """Calls under way in this process, so that their clients can cancel them by another request."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Cancellable] = {}

    def begin(self, session: str, request_id: object, scope: Cancellable) -> None:
        if session:
            self._open[session, str(request_id)] = scope

    def end(self, session: str, request_id: object) -> None:
        self._open.pop((session, str(request_id)), None)

    def cancel(self, session: str, request_id: object) -> None:
        """Does nothing for a call that is over, or of another session."""
        scope = self._open.get((session, str(request_id)))
        if scope is not None:
            scope.cancel()

    def follow(self, body: bytes, headers: Mapping[str, str], owner: str = "") -> None:
        """A client cancels a call by its own request; what else the message is, the SDK sees to.

        `headers`: names in lower case. `owner`: see `session_key`.
        """
        session = headers.get(SESSION, "")
        if b"notifications/cancelled" not in body or not session:
            return
        try:
            message = loads(body)
        except InvalidInput:
            return
        if isinstance(message, dict) and message.get("method") == "notifications/cancelled":
            self.cancel(session_key(session, owner), _request_id(message.get("params")))


def session_key(session: str, owner: str) -> str:
    """owner: who calls, so that nobody cancels the calls of another; empty where nobody is known."""
    return f"{owner} {session}" if session and owner else session


def _request_id(params: Json) -> Json:
    return params.get("requestId") if isinstance(params, dict) else None


def with_session(scope: Scope, send: Send) -> Send:
    """A client without a session gets one."""
    if any(name == SESSION.encode() for name, _ in scope["headers"]):
        return send

    async def named(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] < 300:
            pair = (SESSION.encode(), token_urlsafe(24).encode())
            message = {**message, "headers": [*message.get("headers", ()), pair]}
        await send(message)

    return named
