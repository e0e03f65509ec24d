"""Forms with files, written without having the files in memory. Source: RFC 7578."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from functools import partial

from .binary import CHUNK, DEFAULT_TYPE, Content, Streamed, size_of, stream_of
from .http_client import HttpBody
from .records import record

_ESCAPED = re.compile(r'[\x00-\x1f\x7f"\\]')
_TYPE = re.compile(r"[\x20-\x7e]+")


@record
class FormFile:
    """One file of a form. field: the form's field; mime_type: empty: what the name says."""

    field: str
    file_name: str
    content: Content
    mime_type: str = ""


def form_body(fields: Iterable[tuple[str, str]], files: Iterable[FormFile]) -> HttpBody:
    """multipart/form-data: the fields, then the files. Characters that the encoding lacks become question marks."""
    boundary = secrets.token_hex(16)
    pieces: list[Content] = []
    for name, text in fields:
        pieces += [_head(boundary, f'name="{_quoted(name)}"', None), text.encode("utf-8", "replace"), b"\r\n"]
    for file in files:
        names = f'name="{_quoted(file.field)}"; filename="{_quoted(file.file_name)}"'
        pieces += [_head(boundary, names, _type(file)), file.content, b"\r\n"]
    pieces.append(f"--{boundary}--\r\n".encode())
    return HttpBody(joined(pieces), f"multipart/form-data; boundary={boundary}")


def joined(pieces: Sequence[Content]) -> Content:
    """One after another: as bytes when they are in memory and few, else as a stream."""
    size = sum(map(size_of, pieces))
    small = [piece for piece in pieces if isinstance(piece, bytes)]
    if size <= CHUNK and len(small) == len(pieces):
        return b"".join(small)
    return Streamed(size, partial(_chunks, pieces))


async def _chunks(pieces: Sequence[Content]) -> AsyncGenerator[bytes, None]:
    for piece in pieces:
        async with aclosing(stream_of(piece)) as chunks:
            async for chunk in chunks:
                yield chunk


def _head(boundary: str, names: str, kind: str | None) -> bytes:
    lines = [f"--{boundary}", f"Content-Disposition: form-data; {names}"]
    if kind is not None:
        lines.append(f"Content-Type: {kind}")
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "replace")


def _quoted(text: str) -> str:
    """As browsers write names, with backslashes doubled for servers that take them for escapes."""
    return _ESCAPED.sub(lambda found: "\\\\" if found[0] == "\\" else f"%{ord(found[0]):02X}", text)


def _type(file: FormFile) -> str:
    """Never with control characters, which would begin other headers."""
    if _TYPE.fullmatch(file.mime_type):
        return file.mime_type
    import mimetypes  # few files have no type, and the table is the system's

    return mimetypes.guess_type(file.file_name)[0] or DEFAULT_TYPE
