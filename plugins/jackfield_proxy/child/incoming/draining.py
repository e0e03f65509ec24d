"""All that the reader of a body holds, at once."""

from __future__ import annotations

from collections import deque
from typing import Protocol


class BodyStream(Protocol):
    """As `aiohttp.StreamReader`."""

    def read_nowait(self) -> bytes: ...


def drained(content: BodyStream) -> bytes:
    """Does the work of `read_nowait`, which takes out chunk by chunk, as they came over HTTP.

    After each chunk, that method asks the connection for more. Of a stream in small chunks that is a fifth of all the
    work. At the end of a body nothing more is to be asked for, unless the connection was made to wait. The reader's
    state is private to aiohttp; where it looks otherwise than expected it is left alone.
    """
    buffer = getattr(content, "_buffer", None)
    if type(buffer) is not deque or not buffer or getattr(content, "_buffer_offset", None) != 0:
        return content.read_nowait()
    whole: bytes = buffer[0] if len(buffer) == 1 else b"".join(buffer)
    buffer.clear()
    if _is_last(content):
        return whole
    buffer.append(whole)
    return content.read_nowait()


def _is_last(content: BodyStream) -> bool:
    ended = getattr(content, "_eof", False) and getattr(content, "_exception", content) is None
    return ended and getattr(getattr(content, "_protocol", None), "_reading_paused", True) is False
