"""Frames between the daemon and a worker process: a body behind its length and a number.

Both are big-endian 32-bit numbers. In a frame of items, or of a list's elements, the number says how many it has. An
answer's last frame has 0. A request's first frame has the seconds of processor time that the work may take.

Processes of scripts load this file without the rest of the project: it imports the standard library alone, and little
of that.
"""

from __future__ import annotations

import os
import struct
from collections import deque
from typing import NamedTuple, TypeAlias

Body: TypeAlias = "bytes | bytearray"
HEAD = struct.Struct(">II")
TOTAL = struct.Struct(">QI")
"""The body of a request's first frame, where others follow: bytes of their bodies, and how many they are."""
PIECE = 64 * 1024
"""Bytes that are received at a time. It is also about the size of a frame that is one of many."""
LAST = 0
"""The number of an answer's last frame."""


class Frame(NamedTuple):
    """One frame: number as above."""

    body: Body
    number: int


class FrameTooLong(Exception):
    """An answer with more bytes than it may have."""


def framed(body: Body, number: int = LAST) -> bytes:
    """The bytes of a frame."""
    return HEAD.pack(len(body), number) + body


def fitting(count: int, size: int) -> int:
    """The number of elements to take for the next frame, when that many of them had that many bytes.

    The frame has about `PIECE` bytes then. It never has more than twice the elements of this one, since the next may be
    larger.
    """
    return max(1, min(2 * count, count * PIECE // max(size, 1)))


class FrameParser:
    """Makes frames of bytes as they come. A short frame is copied once, a long one is received where it stays."""

    def __init__(self, largest: int) -> None:
        """largest: bytes of an answer's frames together, heads included."""
        self._largest = largest
        self._left = largest
        self._piece = memoryview(bytearray(PIECE))
        self._begun = 0
        """Bytes at the front of the piece of a frame that is not whole."""
        self._long: bytearray | None = None
        """A frame that does not fit into the piece; `_filled` bytes of it are there."""
        self._number = 0
        self._filled = 0
        self._held = 0
        self._frames: deque[Frame] = deque()

    @property
    def held(self) -> int:
        """Bytes of whole frames that nobody has taken."""
        return self._held

    @property
    def is_empty(self) -> bool:
        """Whether nothing is there that nobody has taken, not even the beginning of a frame."""
        return not (self._frames or self._begun or self._long)

    def expect(self) -> None:
        """A new answer begins."""
        self._left = self._largest

    def room(self) -> memoryview:
        """Where the next bytes belong; never empty."""
        return self._piece[self._begun :] if self._long is None else memoryview(self._long)[self._filled :]

    def received(self, count: int) -> None:
        """That many bytes have been put there. Raises `FrameTooLong`."""
        if not self._begun and HEAD.size <= count <= self._left and self._long is None:
            size, number = HEAD.unpack_from(self._piece)
            if size == count - HEAD.size:  # most come like that
                self._left -= count
                self._keep(Frame(bytes(self._piece[HEAD.size : count]), number))
                return
        if self._long is None:
            self._read_piece(self._begun + count)
            return
        self._filled += count
        if self._filled == len(self._long):
            frame, self._long = Frame(self._long, self._number), None
            self._keep(frame)

    def take(self) -> Frame | None:
        """The next frame that is whole."""
        if not self._frames:
            return None
        frame = self._frames.popleft()
        self._held -= len(frame.body)
        return frame

    def _read_piece(self, end: int) -> None:
        """end: of what is in the piece."""
        at = 0
        while end - at >= HEAD.size:
            size, number = HEAD.unpack_from(self._piece, at)
            self._left -= HEAD.size + size
            if self._left < 0:
                raise FrameTooLong
            body = self._piece[at + HEAD.size : min(at + HEAD.size + size, end)]
            if len(body) < size:
                if HEAD.size + size > PIECE:
                    self._begin_long(body, size, number)
                    return
                self._left += HEAD.size + size  # its head is read again
                break
            self._keep(Frame(bytes(body), number))
            at += HEAD.size + size
        self._begun = end - at
        if at:
            self._piece[: self._begun] = bytes(self._piece[at:end])

    def _begin_long(self, begun: memoryview, size: int, number: int) -> None:
        self._long, self._number, self._filled, self._begun = bytearray(size), number, len(begun), 0
        self._long[: self._filled] = begun

    def _keep(self, frame: Frame) -> None:
        self._held += len(frame.body)
        self._frames.append(frame)


class WorkerPipe:
    """The worker's end: waits for frames, and sends them."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read = b""
        self._at = 0

    def receive(self) -> Frame:
        """The next frame. Raises EOFError."""
        if not self._read:
            piece = os.read(self._descriptor, PIECE)
            if len(piece) >= HEAD.size and int.from_bytes(piece[:4], "big") == len(piece) - HEAD.size:
                return Frame(piece[HEAD.size :], int.from_bytes(piece[4 : HEAD.size], "big"))  # most come like that
            if not piece:
                raise EOFError
            self._read = piece
        while len(self._read) - self._at < HEAD.size:
            self._more()
        size, number = HEAD.unpack_from(self._read, self._at)
        at = self._at + HEAD.size
        if len(self._read) - at >= size:
            frame = Frame(self._read[at : at + size], number)
            self._at = at + size
            if self._at == len(self._read):
                self._read, self._at = b"", 0
            return frame
        body = bytearray(size)
        begun = len(self._read) - at
        body[:begun] = self._read[at:]
        self._read, self._at = b"", 0
        self._fill(memoryview(body)[begun:])
        return Frame(body, number)

    def send(self, body: Body, number: int = LAST) -> None:
        if len(body) < PIECE:
            self._write(framed(body, number))  # the daemon wakes up once
        else:
            self._write(HEAD.pack(len(body), number))
            self._write(body)

    def _more(self) -> None:
        piece = os.read(self._descriptor, PIECE)
        if not piece:
            raise EOFError
        self._read = self._read[self._at :] + piece if self._at < len(self._read) else piece
        self._at = 0

    def _fill(self, view: memoryview) -> None:
        while view:
            piece = os.read(self._descriptor, min(len(view), 16 * PIECE))
            if not piece:
                raise EOFError
            view[: len(piece)] = piece
            view = view[len(piece) :]

    def _write(self, data: Body) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
