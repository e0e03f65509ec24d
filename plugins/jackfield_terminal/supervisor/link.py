"""The supervisor's end of the connection to a daemon. Nothing here blocks."""

from __future__ import annotations

import contextlib
import os
import select
import struct
from _socket import SCM_RIGHTS, SO_PEERCRED, SOL_SOCKET, socket
from array import array

from jackfield_terminal.supervisor.frames import Frames

READ = 65536
_CREDENTIALS = struct.Struct("3i")


class DaemonLink:
    """greeted: the peer has said that it is a daemon of our version, and the session is its."""

    def __init__(self, connection: socket) -> None:
        connection.setblocking(False)
        self.descriptor = connection.fileno()
        self.greeted = False
        self._socket = connection
        self._frames = Frames()
        self._unsent = bytearray()

    @property
    def interest(self) -> int:
        return select.POLLIN | (select.POLLOUT if self._unsent else 0)

    def is_ours(self) -> bool:
        """Whether the peer is a process of our own user."""
        found = self._socket.getsockopt(SOL_SOCKET, SO_PEERCRED, _CREDENTIALS.size)
        return bool(_CREDENTIALS.unpack(found)[1] == os.geteuid())

    def receive(self) -> list[tuple[int, bytes]] | None:
        """The frames that have come; None at the end. Raises `FrameError`."""
        try:
            data = self._socket.recv(READ)
        except BlockingIOError:
            return []
        except OSError:
            return None
        return self._frames.feed(data) if data else None

    def send(self, data: bytes) -> None:
        """At once as far as that goes. A peer that has gone is seen by `receive`."""
        self._unsent += data
        self.flush()

    def send_with(self, data: bytes, descriptors: list[int]) -> None:
        """As the first thing that is sent: the descriptors travel with its first byte."""
        rights = [(SOL_SOCKET, SCM_RIGHTS, array("i", descriptors))]
        sent = 0
        with contextlib.suppress(OSError):
            sent = self._socket.sendmsg([data], rights)
        self.send(data[sent:])

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            while self._unsent:
                del self._unsent[: self._socket.send(self._unsent)]

    def close(self) -> None:
        self._socket.close()
