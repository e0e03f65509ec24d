"""Read id and usage off an answer that passes through: its bytes are looked at, never changed or kept back."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import orjson

from jackfield_proxy.dialects.model import DialectName, Usage

LARGEST = 8 * 2**20
"""Bytes of one event or whole answer that are kept for reading; the usage of a larger one is not known."""
MOST_TOKENS = 10**12
"""Of one kind in one answer; more is no count."""
_ENDS: Mapping[DialectName, tuple[bytes, ...]] = {
    "anthropic": (b"message_stop", b'"stop_reason":"', b'"stop_reason": "', b'"error"'),
    "chat": (b"[DONE]", b'"finish_reason":"', b'"finish_reason": "', b'"error"'),
    "responses": (
        b"response.completed",
        b"response.failed",
        b"response.incomplete",
        b'"type":"error"',
        b'"type": "error"',
    ),
}
"""What only the last events of a stream say; not every provider sends the very last one."""


class Tap:
    """Feed it every byte of an answer. answer: its id; usage: None until told; tier: of the service, where it says;
    ended: nothing that is missing is known to be."""

    def __init__(self, dialect: DialectName, *, stream: bool, encoding: str = "") -> None:
        self.answer = ""
        self.usage: Usage | None = None
        self.tier: str | None = None
        self._stream = stream
        self._inflate = zlib.decompressobj(47) if encoding in ("gzip", "deflate") else None
        self._blind = encoding not in ("", "identity", "gzip", "deflate")
        self._ends = _ENDS[dialect]
        self.ended = self._blind or not stream
        self._held: list[bytes] = []
        self._size = 0

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
        last = data.rfind(b"\n")
        if last < 0:
            self._keep(data)
            return
        lines = b"".join([*self._held, data[:last]])
        self._held, self._size = [data[last + 1 :]], len(data) - last - 1
        self._look(lines)

    def close(self) -> None:
        """The answer has ended."""
        if not self._blind:
            self._look(b"".join(self._held)) if self._stream else self._take(b"".join(self._held))
        self._held = []

    def _keep(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > LARGEST:
            self._held = []  # what comes until the next end of line cannot be read
            self.ended = True
        else:
            self._held.append(data)

    def _look(self, lines: bytes) -> None:
        """Searched for what may be of interest, not split: most events of a stream have nothing to tell."""
        if not self.ended:
            self.ended = any(end in lines for end in self._ends)
        place = 0
        while True:
            found = lines.find(b'usage"', place)
            if not self.answer:
                first = lines.find(b'"id"', place)
                found = first if found < 0 or 0 <= first < found else found
            if found < 0:
                return
            start = lines.rfind(b"\n", place, found) + 1 or place
            end = lines.find(b"\n", found)
            place = len(lines) if end < 0 else end
            if lines.startswith(b"data:", start):
                self._take(lines[start + 5 : place])

    def _take(self, text: bytes) -> None:
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            return
        if isinstance(value, dict):
            self._read(value)

    def _read(self, value: Mapping[str, object]) -> None:
        """An answer, or an event that has one inside (`message_start`, `response.*`)."""
        inner = value.get("message") or value.get("response")
        source = inner if isinstance(inner, dict) else value
        if not self.answer and isinstance(source.get("id"), str):
            self.answer = str(source["id"])
        tier = source.get("service_tier")
        self.tier = tier if isinstance(tier, str) else self.tier
        usage = source.get("usage")
        if isinstance(usage, dict):
            self.tier = "fast" if usage.get("speed") == "fast" else self.tier  # Anthropic's word for its dearer tier
            self.usage = merged(self.usage, usage)


def merged(known: Usage | None, usage: Mapping[str, object]) -> Usage:
    """The counts of any of the dialects. Anthropic's later events leave out what its first has told."""
    before = known or Usage()
    if "prompt_tokens" in usage or "input_tokens_details" in usage or "output_tokens_details" in usage:
        return _inclusive(usage)
    writes = usage.get("cache_creation")
    hour = _count(writes, "ephemeral_1h_input_tokens", 0) if isinstance(writes, dict) else before.cache_write_1h
    return Usage(
        input=_count(usage, "input_tokens", before.input),
        output=_count(usage, "output_tokens", before.output),
        cache_read=_count(usage, "cache_read_input_tokens", before.cache_read),
        cache_write=_count(usage, "cache_creation_input_tokens", before.cache_write),
        cache_write_1h=hour,
    )


def _inclusive(usage: Mapping[str, object]) -> Usage:
    """Chat and Responses count cached tokens as input."""
    prompt = _count(usage, "prompt_tokens", _count(usage, "input_tokens", 0))
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    found = details if isinstance(details, dict) else {}
    read, written = _count(found, "cached_tokens", 0), _count(found, "cache_write_tokens", 0)
    output = _count(usage, "completion_tokens", _count(usage, "output_tokens", 0))
    return Usage(max(0, prompt - read - written), output, read, written)


def _count(source: Mapping[str, object], name: str, otherwise: int) -> int:
    found = source.get(name)
    return found if type(found) is int and 0 <= found <= MOST_TOKENS else otherwise
