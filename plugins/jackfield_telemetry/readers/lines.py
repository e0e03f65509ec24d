"""Lines of a file, in blocks.

A log of gigabytes is never in memory. A line that nobody wants costs only the search for its end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import blake2b
from io import FileIO
from pathlib import Path

import msgspec

BLOCK = 1 << 18
"""Bytes read at a time: few enough that they are still in the processor's cache when they are looked at. The buffer is
used again for each block."""
LONGEST = 1 << 28
"""Bytes of one line; a longer one is damage."""
TAIL = 256
"""Bytes before a place that are remembered, to know the file again."""

DAMAGED = (msgspec.DecodeError, UnicodeDecodeError, OverflowError, RecursionError)
"""Which the decoder raises for a line that says nothing."""

OWN_TYPE = rb'\{(?:"type":|[^{]*,"type":)'
"""A line's beginning up to its own `type`, in compact JSON.

No further object is open there, so that it is not the type of one inside. Inside of a string a quote has a backslash
before it, so that it is no text either. A line that this does not match has to be parsed.
"""


class LineBlock:
    """A run of whole lines. data: the buffer; only from `start` to `end` is it this block's. offset: of data[0] in the
    file."""

    __slots__ = ("data", "end", "offset", "start", "view")

    def __init__(self, data: bytearray, start: int, end: int, offset: int) -> None:
        self.data = data
        self.view = memoryview(data)
        self.start = start
        self.end = end
        self.offset = offset

    def lines(self) -> Iterator[tuple[int, int]]:
        """Where each line begins and ends in the buffer."""
        find, place, end = self.data.find, self.start, self.end
        while place < end:
            stop = find(b"\n", place, end)
            yield place, stop
            place = stop + 1


def blocks(path: Path, offset: int) -> Iterator[LineBlock]:
    """The lines from there on; one without its end is left out. A block is good until the next one is asked for. Raises
    OSError."""
    data = bytearray(BLOCK)
    kept = 0
    with path.open("rb", buffering=0) as file:
        file.seek(offset)
        while True:
            if kept == len(data):
                data = _grown(data)
                if kept >= LONGEST:
                    kept = 0
                    offset = _next_line(file)
            count = file.readinto(memoryview(data)[kept:]) or 0
            if count == 0:
                return
            filled = kept + count
            end = data.rfind(b"\n", 0 if kept == 0 else kept, filled) + 1
            if end:
                block = LineBlock(data, 0, end, offset)
                yield block
                block.view.release()
            data[: filled - end] = data[end:filled]
            kept = filled - end
            offset += end


def tail_of(path: Path, position: int) -> bytes:
    """A digest of what stands before a place; empty when it cannot be read."""
    if position <= 0:
        return b""
    try:
        with path.open("rb", buffering=0) as file:
            start = max(0, position - TAIL)
            return blake2b(os.pread(file.fileno(), position - start, start), digest_size=8).digest()
    except OSError:
        return b""


def _grown(data: bytearray) -> bytearray:
    larger = bytearray(len(data) * 2)
    larger[: len(data)] = data
    return larger


def _next_line(file: FileIO) -> int:
    """Where the next line begins, or where the file ends."""
    while part := file.read(BLOCK):
        place = part.find(b"\n")
        if place >= 0:
            return file.seek(place + 1 - len(part), 1)
    return file.tell()
