"""The settings that the connections of one port share."""

from __future__ import annotations

from typing import Protocol
from weakref import WeakSet

from hypercorn.config import Config, Sockets

from jackfield.api.admission.connections import Admission
from jackfield.api.asgi import AsgiApp


class StoppableConnection(Protocol):
    """As a stop treats it."""

    def close_if_idle(self) -> None: ...

    def cut_off_if_stalled(self) -> None: ...


class OwnConfig(Config):
    """Hypercorn's own sockets are inherited by programs that are started, for workers that we have none of. An agent
    could take our callers' requests with one, and would keep the port from a new daemon.

    connections: those that are open. admission: of the port."""

    application: AsgiApp | None = None
    """Asked without Hypercorn's queue and tasks for requests that can be read at a glance; None: none are."""
    websocket_compression = False
    send_timeout = 0.0
    websocket_send_timeout = 0.0
    """Seconds that a caller may leave unread what it was sent, and a WebSocket's. 0: as the socket has it."""

    def __init__(self, admission: Admission) -> None:
        super().__init__()
        self.admission = admission
        self.connections: WeakSet[StoppableConnection] = WeakSet()
        self._headers: list[tuple[bytes, bytes]] = []
        self._headers_at = -1.0

    def default_headers(self, now: float) -> list[tuple[bytes, bytes]]:
        """Of every answer. now: monotonic seconds."""
        if now - self._headers_at >= 1 or not self._headers:
            self._headers, self._headers_at = self.response_headers("h11"), now
        return self._headers

    def create_sockets(self) -> Sockets:
        made = super().create_sockets()
        for each in made.insecure_sockets:
            each.set_inheritable(False)
        return made
