"""The line over which connections move: a message each, with the descriptor, and with what was read from it.

A long message goes in a file in memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import re
import socket
from collections import deque
from collections.abc import Callable

log = logging.getLogger("jackfield.workers")
_BROKEN = frozenset({errno.EPIPE, errno.ECONNRESET, errno.ECONNREFUSED, errno.ENOTCONN, errno.EBADF})
"""The other end is gone. Every other obstacle to a message, such as too many open files, may pass."""
_INLINE = 32 * 1024
"""Bytes that go in the message itself."""
_MOST = 1000
"""Connections that may wait for the line."""
_OF_WORKERS = re.compile(rb"[A-Z]{3,10} /webhook/[^ ?#%/\x00-\x20]")


def is_for_worker(data: bytes) -> bool:
    """Whether a request that begins so is a webhook's. One that does not say so at once is not."""
    return _OF_WORKERS.match(data) is not None


def is_workers(path: str) -> bool:
    """Whether a path, which was decoded, is a webhook's."""
    return path.startswith("/webhook/")


class MovingLine:
    """One end. taken: gets a connection, and what was read from it."""

    def __init__(self, sock: socket.socket, taken: Callable[[socket.socket, bytes], None]) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._taken = taken
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._loop = asyncio.get_running_loop()
        self._number = sock.fileno()
        self._loop.add_reader(self._number, self._receive)
        self.is_open = True
        self._is_told = False

    def give(self, descriptor: int, data: bytes) -> bool:
        """The line has a copy of the descriptor. False: it is full or broken, or no file can be opened."""
        if not self.is_open or len(self._waiting) >= _MOST:
            return False
        try:
            self._waiting.append((os.dup(descriptor), data))
        except OSError:
            return False
        if len(self._waiting) == 1:
            self._send()
        return True

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self._loop.remove_reader(self._number)
            self._loop.remove_writer(self._number)
            self._sock.close()
            while self._waiting:
                os.close(self._waiting.popleft()[0])

    def _send(self) -> None:
        while self._waiting:
            descriptor, data = self._waiting[0]
            try:
                self._send_one(descriptor, data)
            except BlockingIOError:
                self._loop.add_writer(self._number, self._send)
                return
            except OSError as exc:
                if exc.errno in _BROKEN:
                    self.close()
                    return
                self._tell(exc)
            else:
                self._is_told = False
            os.close(descriptor)
            self._waiting.popleft()
        self._loop.remove_writer(self._number)

    def _tell(self, error: OSError) -> None:
        """Once, until it is over."""
        if not self._is_told:
            log.warning("A connection could not go to another process and is closed: %s", error.strerror)
        self._is_told = True

    def _send_one(self, descriptor: int, data: bytes) -> None:
        if len(data) <= _INLINE:
            socket.send_fds(self._sock, [b"-", data], [descriptor])
            return
        kept = os.memfd_create("jackfield-request", os.MFD_CLOEXEC)
        try:
            os.write(kept, data)
            socket.send_fds(self._sock, [b"+"], [descriptor, kept])
        finally:
            os.close(kept)

    def _receive(self) -> None:
        for _ in range(16):  # others want their turn
            try:
                message, descriptors, _, _ = socket.recv_fds(self._sock, _INLINE + 1, 2, socket.MSG_CMSG_CLOEXEC)
            except BlockingIOError:
                return
            except OSError:
                self.close()
                return
            if not message:
                self.close()
                return
            if not descriptors:  # this process has no room for one more
                continue
            self._take(message, descriptors)

    def _take(self, message: bytes, descriptors: list[int]) -> None:
        data = message[1:]
        if message[:1] == b"+":
            if len(descriptors) < 2:
                os.close(descriptors[0])
                return
            with os.fdopen(descriptors[1], "rb") as kept:
                kept.seek(0)
                data = kept.read()
        connection = socket.socket(fileno=descriptors[0])
        with contextlib.suppress(OSError):
            self._taken(connection, data)
