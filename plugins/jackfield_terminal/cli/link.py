"""A blocking WebSocket handshake, then a connection that never blocks: the key that leaves works whatever the daemon
and the agent do."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
from urllib.parse import urlsplit

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Event, RejectConnection, RejectData, Request

from jackfield.api.daemon import DaemonClient
from jackfield.api.errors import JackfieldError

READ = 65536
UNSENT = 1024 * 1024
"""Bytes that may wait for an agent that does not read."""
CONNECTING = 10.0
"""Seconds for the connection and the handshake."""


class TerminalLink:
    """A WebSocket to the daemon."""

    def __init__(self, client: DaemonClient, path: str) -> None:
        """Raises `JackfieldError`."""
        address = urlsplit(client.base)
        port = address.port or (443 if address.scheme == "https" else 80)
        host = address.hostname or "127.0.0.1"
        self._unsent = bytearray()
        self._connection = WSConnection(ConnectionType.CLIENT)
        headers = [(name.encode(), value.encode()) for name, value in client.headers().items()]
        request = Request(host=address.netloc, target=path, extra_headers=headers)
        try:
            self.socket = socket.create_connection((host, port), timeout=CONNECTING)
            if address.scheme == "https":
                self.socket = ssl.create_default_context().wrap_socket(self.socket, server_hostname=host)
            self.socket.sendall(self._connection.send(request))
        except OSError as exc:
            raise JackfieldError(f"The daemon at {client.base} cannot be reached: {exc}.") from None

    def handshake(self) -> list[Event]:
        """Raises `JackfieldError` with the daemon's words when it refuses. Gives what came with the answer."""
        body = b""
        while True:
            try:
                events = self.receive()
            except OSError:
                raise JackfieldError("The daemon has not answered.") from None
            for place, event in enumerate(events):
                if isinstance(event, AcceptConnection):
                    self.socket.setblocking(False)
                    return events[place + 1 :]
                if isinstance(event, RejectData):
                    body += event.data
                if isinstance(event, (RejectConnection, CloseConnection)) and not getattr(event, "has_body", False):
                    raise JackfieldError("The daemon has refused the connection.")
                if isinstance(event, RejectData) and event.body_finished:
                    raise JackfieldError(_refusal(body))

    def receive(self) -> list[Event]:
        """The events that have come. An end without a close frame is a close."""
        try:
            data = self.socket.recv(READ)
        except (BlockingIOError, ssl.SSLWantReadError):
            return []
        except ConnectionError:
            data = b""
        self._connection.receive_data(data or None)
        events = list(self._connection.events())
        return events if data else [*events, CloseConnection(code=1006)]

    @property
    def has_read_ahead(self) -> bool:
        """Whether something has come that the socket does not show."""
        return isinstance(self.socket, ssl.SSLSocket) and self.socket.pending() > 0

    @property
    def is_sending(self) -> bool:
        return bool(self._unsent)

    @property
    def is_full(self) -> bool:
        return len(self._unsent) > UNSENT

    def send(self, event: Event) -> None:
        self._unsent += self._connection.send(event)
        self.flush()

    def flush(self) -> None:
        """Send what can be sent. A connection that has gone is seen by `receive`."""
        with contextlib.suppress(BlockingIOError, ssl.SSLWantWriteError, ConnectionError):
            while self._unsent:
                del self._unsent[: self.socket.send(self._unsent)]

    def close(self) -> None:
        self.socket.close()


def _refusal(body: bytes) -> str:
    try:
        return str(json.loads(body)["error"])
    except (ValueError, KeyError, TypeError):
        return "The daemon has refused the connection."
