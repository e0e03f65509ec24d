"""A session's output: one log in memory, which every client reads with its own cursor.

Offsets are absolute: the first byte that the agent ever printed has offset 0, whatever has been forgotten since.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from jackfield_terminal.output.modes import ForgottenOutput

PIECE = 64 * 1024
"""Bytes up to which small reads are kept together in one piece."""
LARGE = 16 * 1024
"""Bytes from which on a read is its own piece, and goes to clients without being copied."""


class OutputLog:
    """The last `capacity` bytes, and at most one piece more."""

    def __init__(self, capacity: int) -> None:
        self.start = 0
        self.end = 0
        self._capacity = capacity
        self._pieces: deque[bytes | bytearray] = deque()
        self._forgotten = ForgottenOutput()

    def go_on_from(self, offset: int, before: bytes) -> None:
        """An empty log takes over where another one's memory begins. before: the state there, of
        `ForgottenOutput.restoring`."""
        self.start = self.end = offset
        self._forgotten.feed(before)

    def append(self, data: bytes) -> None:
        last = self._pieces[-1] if self._pieces else None
        if len(data) >= LARGE:
            self._pieces.append(data)
        elif isinstance(last, bytearray) and len(last) + len(data) <= PIECE:
            last += data
        else:
            self._pieces.append(bytearray(data))
        self.end += len(data)
        while self.end - self.start - len(self._pieces[0]) >= self._capacity:
            piece = self._pieces.popleft()
            self._forgotten.feed(bytes(piece))
            self.start += len(piece)

    def read(self, offset: int, limit: int) -> bytes:
        """The output after the offset, which is not below `start`: at most `limit` bytes, or one piece that is
        larger.
        """
        at = self.end
        parts: list[bytes | bytearray] = []
        for piece in reversed(self._pieces):
            at -= len(piece)
            parts.append(piece)
            if at <= offset:
                break
        parts.reverse()
        if not parts:
            return b""
        first, skip = parts[0], offset - at
        if skip == 0 and isinstance(first, bytes) and (len(parts) == 1 or len(first) >= limit):
            return first
        return b"".join(_taken(parts, skip, limit))

    def pieces(self, offset: int) -> Iterator[bytes]:
        """Everything that follows the offset."""
        while offset < self.end:
            piece = self.read(offset, PIECE)
            offset += len(piece)
            yield piece

    def scrollback(self) -> tuple[bytes, int]:
        """The last `capacity` bytes, after the modes that the terminal was in there; and the offset that follows.

        No character and no escape sequence is cut.
        """
        return self.tail(self._capacity)

    def tail(self, size: int) -> tuple[bytes, int]:
        """The last `size` bytes or all that are kept, cut and prefixed in this way; and the offset that follows."""
        kept = b"".join(self._pieces)
        dropped = max(0, len(kept) - size)
        if self.start + dropped == 0:
            return kept, self.end
        before = self._forgotten
        if dropped:
            before = before.copy()
            before.feed(kept[:dropped])
        rest = kept[dropped:]
        return before.modes.restoring() + rest[before.rest_of_sequence(rest) :], self.end


def _taken(parts: list[bytes | bytearray], skip: int, limit: int) -> list[bytes | bytearray]:
    taken: list[bytes | bytearray] = []
    left = limit
    for part in parts:
        piece = part[skip : skip + left] if skip or len(part) > left else part
        skip = 0
        taken.append(piece)
        left -= len(piece)
        if left <= 0:
            break
    return taken
