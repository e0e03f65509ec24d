"""The short cut of a WebSocket: a keystroke and its echo without a task, a queue or a turn of the event loop.

Only a message that is whole, small and next in line takes it. One kind is a frame with one binary message that is all
that the socket has given, for an application that waits for it. The other is a message of the application's for a
socket without waiting bytes. All else goes the usual way, and so nothing overtakes anything.

Source: RFC 6455 section 5.2.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from jackfield.api.asgi import Take

WHOLE_BINARY = 0x82
"""The first byte of a frame that is a binary message, without extensions."""
MASKED = 0x80
HEAD = 6
"""Bytes before what a caller sends in a short frame: two, and the mask."""
SHORT = 125
"""Bytes of content up to which a frame has so short a head."""


class AskedQueue(Protocol):
    """The messages that an application has still to take."""

    @property
    def is_asked(self) -> bool:
        """Whether the application waits for the next one, and so has dealt with all that came before."""


class WebSocketShortcut:
    """`jackfield.api.asgi.ShortcutSocket` of one connection.

    `is_between`: whether all that came before has been taken apart, and was whole. `write`: sends a message, or says
    that it cannot now.
    """

    def __init__(self, queue: AskedQueue, is_between: Callable[[], bool], write: Callable[[bytes], bool]) -> None:
        self._queue = queue
        self._is_between = is_between
        self._write = write
        self._take: Take | None = None
        self._over = False

    def send(self, data: bytes) -> bool:
        return not self._over and self._write(data)

    def listen(self, take: Take) -> None:
        if not self._over:
            self._take = take

    def close(self) -> None:
        self._over = True
        self._take = None

    def received(self, data: bytes) -> bytes:
        """The bytes that have come from the socket; gives those that go the usual way."""
        take, size = self._take, len(data) - HEAD
        if take is None or not 0 < size <= SHORT or data[0] != WHOLE_BINARY or data[1] != MASKED | size:
            return data
        if not self._queue.is_asked or not self._is_between():
            return data
        left = take(unmasked(data[2:HEAD], data[HEAD:]))
        return bytes((WHOLE_BINARY, MASKED | len(left), 0, 0, 0, 0)) + left if left else b""


def unmasked(mask: bytes, data: bytes) -> bytes:
    size = len(data)
    key = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(data, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")


def head(size: int) -> bytes:
    """The bytes in front of that many bytes of a binary message from the server."""
    if size <= SHORT:
        return bytes((WHOLE_BINARY, size))
    if size < 1 << 16:
        return bytes((WHOLE_BINARY, 126)) + size.to_bytes(2, "big")
    return bytes((WHOLE_BINARY, 127)) + size.to_bytes(8, "big")


class Upgraded(asyncio.Protocol):
    """Between a socket and the streams that are made of it. received: gives what is left for them."""

    def __init__(self, streams: asyncio.Protocol, received: Callable[[bytes], bytes]) -> None:
        self._streams = streams
        self._received = received

    def data_received(self, data: bytes) -> None:
        if left := self._received(data):
            self._streams.data_received(left)

    def eof_received(self) -> bool | None:
        return self._streams.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._streams.connection_lost(exc)

    def pause_writing(self) -> None:
        self._streams.pause_writing()

    def resume_writing(self) -> None:
        self._streams.resume_writing()
