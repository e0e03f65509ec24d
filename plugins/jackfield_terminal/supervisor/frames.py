"""The messages between a daemon and the supervisor of a session, over a stream socket.

A frame is the length of its content (4 bytes, big-endian), its kind (1 byte) and the content. The daemon's first frame
is `START` (to the supervisor that it has just started) or `HELLO`. The supervisor answers with `HANDOVER`, which
carries the descriptors of the ring and, until the terminal is closed, of its master.

The daemon and the supervisor use this module; it imports what is light.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from struct import Struct

VERSION = 1
"""Of the frames and of the ring. It is part of the socket's name: a daemon finds those that it understands."""
SOCKET = f"holder.v{VERSION}"
"""The socket's name in the session's directory."""
LARGEST = 16 * 1024 * 1024
"""Bytes of one frame: arguments and environment of a program are at most 2 MiB, and stand in it twice."""

START, HELLO, TAKEN, KEEP, ACCOUNTED, DONE = range(1, 7)
"""From the daemon.

`START`: a JSON object. `TAKEN`: the offset up to which output has been taken. `KEEP`: bytes for the next daemon in
place of the last ones. `ACCOUNTED`: the run's end is recorded from here on. `DONE`: the session is over.
"""
HANDOVER, OUTPUT, ENDED, FAILED = range(101, 105)
"""From the supervisor.

`HANDOVER`: a JSON object. `OUTPUT`: the offset up to which there is output. `ENDED`: the offset of the end, then the
exit code. `FAILED`: the number of the error with which the agent could not be started.
"""

_HEAD = Struct(">IB")
_NUMBER = Struct(">Q")
_PAIR = Struct(">QQ")


class FrameError(ValueError):
    """The bytes that came are no frame of ours."""


class Frames:
    """Bytes in, whole frames out."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Raises `FrameError` for a frame that is too long."""
        self._data += data
        found: list[tuple[int, bytes]] = []
        while len(self._data) >= _HEAD.size:
            length, kind = _HEAD.unpack_from(self._data)
            if length > LARGEST:
                raise FrameError("a frame is too long")
            end = _HEAD.size + length
            if len(self._data) < end:
                break
            found.append((kind, bytes(self._data[_HEAD.size : end])))
            del self._data[:end]
        return found


def frame(kind: int, content: bytes = b"") -> bytes:
    """Raises `FrameError` when it would be too long."""
    if len(content) > LARGEST:
        raise FrameError("a frame would be too long")
    return _HEAD.pack(len(content), kind) + content


def number_frame(kind: int, number: int) -> bytes:
    return frame(kind, _NUMBER.pack(number))


def ended_frame(end: int, exit_code: int) -> bytes:
    return frame(ENDED, _PAIR.pack(end, exit_code))


def object_frame(kind: int, value: Mapping[str, object]) -> bytes:
    """Texts may hold what is no UTF-8, as an environment can (lone surrogates)."""
    return frame(kind, json.dumps(value).encode("ascii"))


def number_of(content: bytes) -> int:
    """Raises `FrameError`."""
    if len(content) != _NUMBER.size:
        raise FrameError("a number has eight bytes")
    return int(_NUMBER.unpack(content)[0])


def ended_of(content: bytes) -> tuple[int, int]:
    """The offset of the end and the exit code. Raises `FrameError`."""
    if len(content) != _PAIR.size:
        raise FrameError("an end has sixteen bytes")
    end, code = _PAIR.unpack(content)
    return int(end), int(code)


def object_of(content: bytes) -> dict[str, object]:
    """Raises `FrameError`."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        raise FrameError("it is not JSON") from None
    if not isinstance(found, dict):
        raise FrameError("it is not an object")
    return found
