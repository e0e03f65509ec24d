"""Read id and usage off an answer that passes through: its bytes are looked at, never changed or kept back."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

import orjson

from jackfield.api.dialects.counts import cumulative, google_counts
from jackfield.api.dialects.model import DialectName, TokenCounts

if TYPE_CHECKING:
    from jackfield.api.dialects.model import Object

LARGEST = 8 * 2**20
"""Bytes of one event or whole answer that are kept for reading; the usage of a larger one is not known."""
BEGINNING, END = 256 * 1024, 8 * 1024
"""Bytes of a stream within which the answer is named, and those at its end that are looked at; of a longer last event
all."""
MOST_TOKENS = 10**12
"""Of one kind in one answer; more is no count."""


def _types(*names: bytes) -> tuple[bytes, ...]:
    return tuple(form % name for form in (b'"type":"%b"', b'"type": "%b"', b"\nevent: %b\n") for name in names)


_ERROR = (b'"error":{', b'"error": {', b'"error":"', b'"error": "')  # some say `null` in every event
_ENDS: Mapping[DialectName, tuple[bytes, ...]] = {
    "anthropic": (*_types(b"message_stop", b"error"), b'"stop_reason":"', b'"stop_reason": "', *_ERROR),
    "chat": (b"\ndata: [DONE]", b"\ndata:[DONE]", b'"finish_reason":"', b'"finish_reason": "', *_ERROR),
    "responses": _types(b"response.completed", b"response.failed", b"response.incomplete", b"error"),
    "gemini": (b'"finishReason":"', b'"finishReason": "', b'"blockReason"', *_ERROR),
}
"""The marks that only the last events of a stream have; not every provider sends the very last one.

A text that speaks of it has other quotes and line ends: escaped ones.
"""


_NAMES = ((b'"id"', b'usage"'), (b'"responseId"', b'"usageMetadata"'))
"""Of an answer's id and its counts, as they end: in Gemini's dialect the second ones."""


class UsageObserver:
    """Feed it every byte of an answer. answer: its id; usage: None until told; tier: of the service, where it says.
    After `close`: finished: the stream has said that it is complete; ended: nothing that is missing is known to be.

    It reads only the beginning of a stream, which names the answer, and the end. The middle tells nothing about usage,
    and a look at all of it costs as much as passing it on."""

    def __init__(
        self,
        dialect: DialectName,
        *,
        stream: bool,
        encoding: str = "",
        seen: Callable[[Mapping[str, object]], None] | None = None,
    ) -> None:
        """seen: gets every answer and event that is read."""
        self._seen = seen
        self.answer = ""
        self.usage: TokenCounts | None = None
        self.tier: str | None = None
        self.finished = False
        self._stream = stream
        self._inflate = zlib.decompressobj(47) if encoding in ("gzip", "deflate") else None
        self._blind = encoding not in ("", "identity", "gzip", "deflate")
        self._ends = _ENDS[dialect]
        self._id, self._told = _NAMES[dialect == "gemini"]
        self.ended = self._blind or not stream
        self._begun = b""
        self._searches = stream
        self._searched = 0  # bytes of whole lines
        self._held: deque[bytes] = deque()
        self._size = 0
        self._line = 0  # bytes of the line whose end is not there yet
        self._closed = False

    def feed(self, data: bytes) -> None:
        if self._blind:
            return
        if self._inflate is not None:
            try:
                data = self._inflate.decompress(data, LARGEST)
            except zlib.error:
                self._blind = self.ended = True
                return
        if not self._stream:
            self._keep(data)
            return
        if self._searches:
            self._search(data)
        last = data.rfind(b"\n")
        if last < 0:
            self._line += len(data)
            self._keep(data)
        elif self._line and self._line + data.find(b"\n") > END:  # its beginning would not be kept
            self._held.append(data[:last])
            self._look()
            self._held = deque([data[last + 1 :]])
            self._size = self._line = len(data) - last - 1
        else:
            self._line = len(data) - last - 1
            self._keep(data)
            while len(self._held) > 1 and self._size - len(self._held[0]) > END + self._line:
                self._size -= len(self._held.popleft())

    def close(self) -> None:
        """The answer has ended. A second time nothing happens."""
        if self._closed:
            return
        self._closed = True
        if not self._blind:
            self._look() if self._stream else self._take(b"".join(self._held))
        self.ended = self.ended or self.finished
        self._held.clear()

    def _keep(self, data: bytes) -> None:
        self._size += len(data)
        self._held.append(data)
        if self._size > LARGEST:
            self._held.clear()  # what comes until the next end of line cannot be read
            self._size = self._line = 0
            self.ended = True

    def _search(self, data: bytes) -> None:
        """For the event that names the answer, one of the first; Anthropic's tells usage as well."""
        begun = self._begun + data if self._begun else data
        whole, place = begun.rfind(b"\n") + 1, 0
        while not self.answer and (found := begun.find(self._id, place, whole)) >= 0:
            start, place = begun.rfind(b"\n", 0, found) + 1, begun.find(b"\n", found)
            self._event(begun[start:place])
        self._searched += whole
        self._searches = not self.answer and self._searched + len(begun) - whole < BEGINNING
        self._begun = begun[whole:] if self._searches else b""

    def _look(self) -> None:
        """At the last events: the last that has usage, the last of all, and what else the last bytes hold."""
        text = b"".join(self._held)
        end = len(text)
        while end and text[end - 1] in b"\r\n ":
            end -= 1
        told, last = text.rfind(self._told, 0, end), text.rfind(b"\n", 0, end) + 1
        start = text.rfind(b"\n", 0, told) + 1 if told >= 0 else last
        text = text[max(0, min(start, last, end - END)) : end]
        lines = b"\n%b\n" % text.replace(b"\r", b"\n")
        self.finished = self.finished or any(end in lines for end in self._ends)
        mark, place = self._told if self.answer else b'"', 0
        while (found := text.find(mark, place)) >= 0:
            start, end = text.rfind(b"\n", 0, found) + 1, text.find(b"\n", found)
            place = end if end >= 0 else len(text)
            self._event(text[start:place])

    def _event(self, line: bytes) -> None:
        if line.startswith(b"data:"):
            self._take(line[5:])

    def _take(self, text: bytes) -> None:
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            return
        if isinstance(value, dict):
            self._read(value)

    def _read(self, value: Mapping[str, object]) -> None:
        """An answer, or an event that has one inside (`message_start`, `response.*`)."""
        if self._seen is not None:
            self._seen(value)
        inner = value.get("message") or value.get("response")
        source = inner if isinstance(inner, dict) else value
        named = source.get("id", source.get("responseId"))
        if not self.answer and isinstance(named, str):
            self.answer = named
        tier = source.get("service_tier")
        self.tier = tier if isinstance(tier, str) else self.tier
        usage = source.get("usage", source.get("usageMetadata"))
        if isinstance(usage, dict):
            self.tier = "fast" if usage.get("speed") == "fast" else self.tier  # Anthropic's word for its dearer tier
            self.usage = merged(self.usage, usage)


def merged(known: TokenCounts | None, usage: Mapping[str, object]) -> TokenCounts:
    """The counts of any of the dialects. Anthropic's are cumulative."""
    if "promptTokenCount" in usage or "totalTokenCount" in usage:
        return google_counts(cast("Object", usage))
    if "prompt_tokens" in usage or "input_tokens_details" in usage or "output_tokens_details" in usage:
        return _inclusive(usage)
    return cumulative(known or TokenCounts(), cast("Object", usage))


def _inclusive(usage: Mapping[str, object]) -> TokenCounts:
    """Chat and Responses count cached tokens as input."""
    prompt = _count(usage, "prompt_tokens", _count(usage, "input_tokens", 0))
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    found = details if isinstance(details, dict) else {}
    read, written = _count(found, "cached_tokens", 0), _count(found, "cache_write_tokens", 0)
    output = _count(usage, "completion_tokens", _count(usage, "output_tokens", 0))
    return TokenCounts(max(0, prompt - read - written), output, read, written)


def _count(source: Mapping[str, object], name: str, otherwise: int) -> int:
    found = source.get(name)
    return found if type(found) is int and 0 <= found <= MOST_TOKENS else otherwise
