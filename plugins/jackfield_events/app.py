"""The ASGI application of `/ws`: lets clients in, and counts them."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.asgi import WITHOUT_AGENTS, AsgiMount, Receive, Scope, Send
from jackfield.api.auth import AGENTS_READ, Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import AuthRequired, InvalidInput, NotFound, RateLimited
from jackfield.api.projects import ProjectAccess
from jackfield_events.client import EventClient
from jackfield_events.frames import EventFrames
from jackfield_events.settings import EventsSettings

SEGMENT = "ws"
RETRY_AFTER = 5.0
"""Seconds that a client too many is asked to wait."""


class EventSockets:
    """The path alone is its own; what else is below `/ws` belongs to others."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(EventsSettings)
        self._frames = EventFrames(context.secrets.hide)
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != f"/{SEGMENT}":
            raise NotFound("There is nothing at this address.")
        if scope["type"] != "websocket":
            raise InvalidInput("This address speaks WebSocket: ask for an upgrade.")
        caller: Principal | None = scope.get("jackfield.principal")
        if caller is None:
            raise AuthRequired
        if scope.get(WITHOUT_AGENTS):
            caller = caller.without(AGENTS_READ)
        if self._open >= self._settings.connections:
            raise RateLimited(RETRY_AFTER, "Too many clients listen to events; see events.connections.")
        self._open += 1
        try:
            public = bool(scope.get("jackfield.public_host"))
            projects = self._context.find_port(ProjectAccess)
            client = EventClient(caller, receive, send, self._frames, self._settings, public=public, projects=projects)
            await client.serve(self._context.events)
        finally:
            self._open -= 1


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    return [AsgiMount(SEGMENT, EventSockets(context), area="ui")]
