"""The parts that raw ASGI applications of a plugin use: hot paths that have no need of Quart."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Literal, Protocol, TypeAlias, cast, get_args

from . import jsontext
from .errors import JackfieldError
from .object_references import load
from .records import record
from .roles import Role

Scope: TypeAlias = "MutableMapping[str, Any]"  # ASGI 3: an open dictionary by definition
Message: TypeAlias = "MutableMapping[str, Any]"  # ASGI 3
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Take: TypeAlias = Callable[[bytes], bytes]

SHORTCUT = "jackfield.direct"
"""Key of a `ShortcutSocket` among the scope's extensions. Servers other than our own have none."""


class ShortcutSocket(Protocol):
    """A short cut beside `receive` and `send`, for messages that must not wait for a task. It may be shut at any time;
    then everything goes the usual way, and the order is kept in any case."""

    def send(self, data: bytes) -> bool:
        """Send a binary message now. False: it cannot be sent without waiting, or not at all, and has to be given to
        `send`."""
        ...

    def listen(self, take: Take) -> None:
        """Have small binary messages given to `take` as they come, while `receive` is waited for. It gives back what it
        has not taken of one, for `receive`; it must be quick and raise nothing."""
        ...

    def close(self) -> None:
        """Take this way no more."""
        ...


def shortcut_of(scope: Scope) -> ShortcutSocket | None:
    """The WebSocket's short cut, where the server has one."""
    found: ShortcutSocket | None = scope.get("extensions", {}).get(SHORTCUT)
    return found


Area = Literal["webhooks", "api", "ui", "agents"]
"""Parts of the daemon that a public host reaches or not, by `[server.areas]`."""
AREAS: tuple[Area, ...] = get_args(Area)
WITHOUT_AGENTS = "jackfield.without_agents"
"""Set in the scope of a caller who has come by a public host that does not reach agents."""
_AREA_OF: Mapping[str, Area] = {"public": "webhooks", "open": "ui", "gated": "agents", "scoped": "api"}


@record
class AsgiMount:
    """A raw ASGI application under a first path segment, such as `webhook`, or the first two, such as `ws/terminal`;
    two win over one. With a slash at the end, such as `mcp/`, it has the path alone, and nothing below. It gets the
    whole path in the scope.

    `access`: `public` = the application authenticates its callers itself and may be called across origins. `open` =
    anybody may call it, at this machine's addresses and from its own pages. It is for things that belong to nobody,
    such as a login page. `gated` = like every other path. `scoped` = the caller is known as at a gated path, also one
    who comes by a public host. The application asks for the scope of each thing that it does. It finds its request id
    at `scope["jackfield.request_id"]`, and answers its own errors with `error_body`. `role`: without which of a
    daemon's roles it is not served; None: always. `challenge`: WWW-Authenticate of the gate's 401 for a request (RFC
    9110 section 11.6.1); None: the daemon's own. `area`: of `[server.areas]`; None: by access, `public`: webhooks,
    `open`: ui, `gated`: agents, `scoped`: api.
    """

    segment: str
    app: AsgiApp
    access: Literal["public", "open", "gated", "scoped"] = "gated"
    role: Role | None = None
    challenge: Callable[[Scope], str] | None = None
    area: Area | None = None

    @property
    def reached_as(self) -> Area:
        """The area that it belongs to."""
        return self.area or _AREA_OF[self.access]


def error_body(error: JackfieldError, request_id: str) -> bytes:
    """The workflow service's envelope, as raw ASGI applications send it."""
    body: dict[str, object] = {"error": error.title, "code": error.code, "message": error.message, **error.extra}
    if error.details:
        body["details"] = error.details
    body["requestId"] = request_id
    return jsontext.dumps(body)


class LaterApp:
    """An application for HTTP that is built with its first request. WebSockets are refused."""

    def __init__(self, build: Callable[[], AsgiApp]) -> None:
        self._build = build
        self._app: AsgiApp | None = None

    @classmethod
    def at(cls, reference: str, *arguments: object) -> LaterApp:
        """reference: of what builds it from these arguments; imported with the first request."""
        return cls(lambda: cast("Callable[..., AsgiApp]", load(reference))(*arguments))

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] != "http":
            return _refuse(receive, send)
        if self._app is None:
            self._app = self._build()
        return self._app(scope, receive, send)


async def _refuse(receive: Receive, send: Send) -> None:
    message = await receive()
    if message["type"] == "websocket.connect":
        await send({"type": "websocket.close", "code": 1008})
