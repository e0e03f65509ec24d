"""A line between two processes of one daemon: a pair of sockets that nobody else has an end of.

All messages of one turn of the event loop are one frame. Frames are pickles: both ends are the same program, and
neither takes anything from a socket that it was not born with.
"""

from __future__ import annotations

import asyncio
import pickle
import socket
from collections.abc import Callable, Sequence
from typing import Any, cast

_HEAD = 4
_LONGEST = (1 << 32) - 1
_BUFFER = 1 << 18
"""Bytes of a buffer; a longer frame gets its own one, for as long as it lasts."""
_SENT_AT_ONCE = 1 << 20
"""Bytes that the system is to take without waiting for the other end."""
MOST_UNSENT = 256 * 1024 * 1024
"""Bytes that may wait for the other end."""
Item = tuple[Any, ...]
"""A word for its kind, and what belongs to it. Any: of every type that the store's verbs take and give."""


class Channel(asyncio.BufferedProtocol):
    """One end. received: takes the items of a frame; lost: told of the end, once."""

    def __init__(self, received: Callable[[Sequence[Item]], None], lost: Callable[[], None]) -> None:
        self._received = received
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.WriteTransport | None = None
        self._unsent: list[Item] = []
        self._buffer = bytearray(_BUFFER)
        self._filled = 0

    @classmethod
    async def over(
        cls, sock: socket.socket, received: Callable[[Sequence[Item]], None], lost: Callable[[], None]
    ) -> Channel:
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SENT_AT_ONCE)
        made = cls(received, lost)
        await asyncio.get_running_loop().create_unix_connection(lambda: made, sock=sock)
        return made

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def is_full(self) -> bool:
        return self._transport is not None and self._transport.get_write_buffer_size() > MOST_UNSENT

    def send(self, item: Item) -> None:
        """With all that this turn sends; lost when the line is closed."""
        self._unsent.append(item)
        if len(self._unsent) == 1:
            self._loop.call_soon(self._flush)

    def close(self) -> None:
        if self._transport is not None:
            self._flush()
            self._transport.close()

    def _flush(self) -> None:
        items, self._unsent = self._unsent, []
        if not items or self._transport is None or self._transport.is_closing():
            return
        frame = pickle.dumps(items, 5)
        if len(frame) > _LONGEST:  # a verb of the store bounds what it takes far below
            raise ValueError(f"A frame has {len(frame)} bytes.")
        self._transport.writelines([len(frame).to_bytes(_HEAD, "big"), frame])

    # -- of asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)
        self._transport.set_write_buffer_limits(MOST_UNSENT)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost()

    def get_buffer(self, sizehint: int) -> bytearray | memoryview:
        if self._filled == len(self._buffer):
            larger = bytearray(2 * len(self._buffer))
            larger[: self._filled] = self._buffer
            self._buffer = larger
        return memoryview(self._buffer)[self._filled :]

    def buffer_updated(self, nbytes: int) -> None:
        filled = self._filled = self._filled + nbytes
        start, frames = 0, list[Sequence[Item]]()
        with memoryview(self._buffer) as whole:
            while filled >= start + _HEAD:
                end = start + _HEAD + int.from_bytes(whole[start : start + _HEAD], "big")
                if filled < end:
                    break
                frames.append(pickle.loads(whole[start + _HEAD : end]))  # noqa: S301 - see the module
                start = end
            if start:
                left = filled - start
                whole[:left] = bytes(whole[start:filled])
                self._filled = left
        if not self._filled and len(self._buffer) > _BUFFER:
            self._buffer = bytearray(_BUFFER)
        for items in frames:
            self._received(items)
