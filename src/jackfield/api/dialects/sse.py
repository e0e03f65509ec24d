"""Server-sent events (WHATWG HTML, section 9.2): an incremental parser for bytes however they are cut.

Works on bytes throughout, so that a character split between two reads never matters: an event is decoded whole.
"""

from __future__ import annotations

from .fields import dumps

MAX_EVENT = 16 * 1024 * 1024  # bytes of one event; providers send whole images in one


class EventTooLarge(Exception):
    """One event is larger than its reader takes."""


class SseParser:
    """Takes \\n, \\r\\n and \\r as ends of line, comments, a byte order mark, and fields it does not know."""

    def __init__(self, max_event: int = MAX_EVENT) -> None:
        self._max = max_event
        self._parts: list[bytes] = []  # of a line whose end is not there yet
        self._held = 0  # bytes in _parts and _data
        self._skip_newline = False  # the last line ended in \r: a \n now belongs to it
        self._name = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[tuple[str, bytes]]:
        """The events that this chunk completes: (name or "", data). Raises `EventTooLarge`."""
        if not chunk:
            return []
        if self._skip_newline and chunk[0] == 0x0A:
            chunk = chunk[1:]
        cut = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        if not cut:
            self._keep(chunk)
            return []
        self._skip_newline = chunk[cut - 1] == 0x0D
        lines = b"".join([*self._parts, chunk[:cut]]).splitlines()
        self._parts.clear()
        self._held = sum(map(len, self._data))
        found = self._events(lines)
        self._keep(chunk[cut:])
        return found

    def close(self) -> list[tuple[str, bytes]]:
        """An event that lacks only its empty line: providers forget the last one."""
        return self._events([b"".join(self._parts), b""])

    def _keep(self, rest: bytes) -> None:
        if rest:
            self._skip_newline = False
            self._parts.append(rest)
            self._grow(len(rest))

    def _grow(self, size: int) -> None:
        self._held += size
        if self._held > self._max:
            raise EventTooLarge

    def _events(self, lines: list[bytes]) -> list[tuple[str, bytes]]:
        found: list[tuple[str, bytes]] = []
        for line in lines:
            if not line:
                if self._data:
                    found.append((self._name.decode("utf-8", "replace"), b"\n".join(self._data)))
                    self._data, self._held = [], 0
                self._name = b""
            elif line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
                self._grow(len(line))
            elif line.startswith(b"event:"):
                self._name = line[6:].strip()
            elif line.startswith(b"\xef\xbb\xbf"):
                found += self._events([line[3:]])
        return found


def named(name: str, data: object) -> bytes:
    """An event with its name, as Anthropic and Responses send it."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), dumps(data))


def unnamed(data: object) -> bytes:
    """An event as Chat sends it."""
    return b"data: %b\n\n" % dumps(data)


KEEP_ALIVE = b": keep-alive\n\n"
