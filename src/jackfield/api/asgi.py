"""What raw ASGI applications of a plugin use: hot paths that have no need of Quart."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Literal, TypeAlias

from . import jsontext
from .errors import JackfieldError
from .records import record

Scope: TypeAlias = "MutableMapping[str, Any]"  # ASGI 3: an open dictionary by definition
Message: TypeAlias = "MutableMapping[str, Any]"  # ASGI 3
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


@record
class AsgiMount:
    """A raw ASGI application under a first path segment, such as `webhook`, or the first two, such as `ws/terminal`;
    two win over one. It gets the whole path in the scope.

    access: `public` = the application authenticates its callers itself and may be called across origins;
    `open` = at this machine's addresses and from its own pages, but by anybody: what holds nothing of anybody, such as
    a login page; `gated` = like every other path. It finds its request id at `scope["jackfield.request_id"]`, and
    answers its own errors with `error_body`.
    """

    segment: str
    app: AsgiApp
    access: Literal["public", "open", "gated"] = "gated"


def error_body(error: JackfieldError, request_id: str) -> bytes:
    """The workflow service's envelope, as raw ASGI applications send it."""
    body: dict[str, object] = {"error": error.title, "code": error.code, "message": error.message, **error.extra}
    if error.details:
        body["details"] = error.details
    body["requestId"] = request_id
    return jsontext.dumps(body)
