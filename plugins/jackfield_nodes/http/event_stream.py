"""Reads server-sent events (WHATWG HTML, section 9.2.6) with their ids, from bytes however they are cut."""

from __future__ import annotations

from jackfield.api.dialects.sse import EventTooLarge
from jackfield.api.records import record

_BOM = b"\xef\xbb\xbf"


@record
class StreamEvent:
    """name: empty where the stream gives none. ident: the last id that the stream has given so far."""

    name: str
    data: str
    ident: str


class EventStream:
    """Of one connection, or of several in a row: the last id and the pause live on."""

    def __init__(self, most: int, ident: str = "") -> None:
        """most: bytes of one event. ident: the last id of an earlier connection."""
        self._most = most
        self.ident = ident
        """Sent as `Last-Event-ID` with the next connection."""
        self.retry_ms: int | None = None
        """How long to wait for it; None: the stream does not say."""
        self.restart()

    def restart(self) -> None:
        """Another connection begins; what the earlier one left half is dropped."""
        self._rest = b""
        self._begun = False
        self._after_return = False
        self._name, self._next_ident, self._size = b"", self.ident, 0
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """The events that this chunk completes. Raises `EventTooLarge`."""
        if not chunk:
            return []
        if self._after_return:
            self._after_return = False
            chunk = chunk.removeprefix(b"\n")
        text = self._rest + chunk
        if not self._begun:
            if len(text) < len(_BOM) and _BOM.startswith(text):
                self._rest = text
                return []
            text, self._begun = text.removeprefix(_BOM), True
        lines = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._after_return = text.endswith(b"\r")
        self._rest = lines.pop()
        found = [event for line in lines if (event := self._taken(line)) is not None]
        self._check(len(self._rest))
        return found

    def _check(self, more: int) -> None:
        if self._size + more > self._most:
            raise EventTooLarge

    def _taken(self, line: bytes) -> StreamEvent | None:
        if not line:
            return self._dispatched()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._size += len(value) + 1
            self._check(0)
            self._data.append(value)
        elif field == b"event":
            self._name = value
        elif field == b"id" and b"\0" not in value:
            self._next_ident = value.decode("utf-8", "replace")
        elif field == b"retry" and value.isdigit() and len(value) < 10:
            self.retry_ms = int(value)
        return None

    def _dispatched(self) -> StreamEvent | None:
        data, name = self._data, self._name
        self._data, self._name, self._size = [], b"", 0
        self.ident = self._next_ident
        if not data:
            return None
        return StreamEvent(name.decode("utf-8", "replace"), b"\n".join(data).decode("utf-8", "replace"), self.ident)
