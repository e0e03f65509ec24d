"""AWS' framing of a stream: binary frames, each with an event of Anthropic's stream inside, become server-sent events.

Source: Smithy's specification 'Amazon Event Stream'.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import orjson
from multidict import CIMultiDict

from jackfield_proxy.child.incoming.draining import drained

if TYPE_CHECKING:
    from jackfield_proxy.child.upstream.replies import ProviderReply, ReplyContent

FRAMED = "application/vnd.amazon.eventstream"
LARGEST = 24 * 2**20
"""Bytes of a frame, as AWS has it."""
_PRELUDE = struct.Struct(">III")
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Bytes of a header's value by its type; those of the types 6 and 7 say their length."""
_KINDS: Mapping[str, str] = {
    "throttlingException": "rate_limit_error",
    "validationException": "invalid_request_error",
    "serviceUnavailableException": "overloaded_error",
    "modelTimeoutException": "timeout_error",
}


class FrameDecoder:
    """Feed it the frames in any cut; it gives server-sent events. Raises ValueError for what is no frame."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> bytes:
        self._held += data
        return b"".join(_event(headers, payload) for headers, payload in self._frames())

    def _frames(self) -> Iterator[tuple[Mapping[str, str], bytes]]:
        while len(self._held) >= _PRELUDE.size:
            total, length, checksum = _PRELUDE.unpack_from(self._held)
            if checksum != zlib.crc32(self._held[:8]) or not _PRELUDE.size + length + 4 <= total <= LARGEST:
                raise ValueError("a frame is damaged")
            if len(self._held) < total:
                return
            frame = bytes(self._held[:total])
            del self._held[:total]
            if zlib.crc32(frame[:-4]) != int.from_bytes(frame[-4:], "big"):
                raise ValueError("a frame is damaged")
            start = _PRELUDE.size + length
            yield _headers(frame[_PRELUDE.size : start]), frame[start:-4]


def _headers(data: bytes) -> Mapping[str, str]:
    """Those that are text. Raises ValueError."""
    found, place = {}, 0
    try:
        while place < len(data):
            end = place + 1 + data[place]
            name, kind, place = data[place + 1 : end].decode(), data[end], end + 1
            if kind in (6, 7):
                size, place = int.from_bytes(data[place : place + 2], "big"), place + 2
            else:
                size = _SIZES[kind]
            if kind == 7:
                found[name] = data[place : place + size].decode()
            place += size
    except (IndexError, KeyError, UnicodeDecodeError):
        raise ValueError("a frame's headers are damaged") from None
    return found


def _event(headers: Mapping[str, str], payload: bytes) -> bytes:
    """Raises ValueError."""
    value = orjson.loads(payload or b"{}")
    if headers.get(":message-type", "event") != "event":
        kind = headers.get(":exception-type") or headers.get(":error-code") or ""
        message = (value.get("message") or kind) if isinstance(value, dict) else kind
        error = {"type": _KINDS.get(kind, "api_error"), "message": str(message)}
        return b"event: error\ndata: %b\n\n" % orjson.dumps({"type": "error", "error": error})
    inner = value.get("bytes") if isinstance(value, dict) else None
    if not isinstance(inner, str):
        return b""
    try:
        data = base64.b64decode(inner, validate=True)
    except binascii.Error:
        raise ValueError("a frame's content is damaged") from None
    said = orjson.loads(data)
    kind = str(said.get("type")) if isinstance(said, dict) else ""
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), data.replace(b"\n", b" ").replace(b"\r", b" "))


class UnframedContent:
    """The part of `aiohttp.StreamReader` that readers of an answer use, over frames. Pulls no more than it is asked
    for."""

    def __init__(self, content: ReplyContent) -> None:
        self._content = content
        self._decoder = FrameDecoder()

    async def readany(self) -> bytes:
        """Empty: the stream has ended. Raises ValueError, and what the connection raises."""
        while chunk := await self._content.readany():
            if found := self._decoder.feed(chunk):
                return found
        return b""

    def read_nowait(self) -> bytes:
        return self._decoder.feed(drained(self._content))

    def at_eof(self) -> bool:
        return self._content.at_eof()

    def set_exception(self, error: Exception) -> None:
        self._content.set_exception(error)


class UnframedReply:
    """An answer in frames, as an answer in server-sent events."""

    def __init__(self, reply: ProviderReply) -> None:
        self._reply = reply
        self.status, self.reason, self.content_length = reply.status, reply.reason, None
        self.content = UnframedContent(reply.content)
        self.headers = CIMultiDict(reply.headers)
        self.headers.popall("Content-Length", None)
        self.headers["Content-Type"] = "text/event-stream; charset=utf-8"

    def close(self) -> None:
        self._reply.close()

    def release(self) -> None:
        self._reply.release()
