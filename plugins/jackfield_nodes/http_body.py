"""Request bodies: JSON, forms, files, raw text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from jackfield.api.binary import DEFAULT_TYPE
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.records import record
from jackfield.api.workflows import Item
from jackfield_nodes.files.entries import content_of
from jackfield_nodes.http_call import Body
from jackfield_nodes.http_fields import pairs
from jackfield_nodes.items import binary_of
from jackfield_nodes.values import text_of


@record
class Upload:
    """One file of a form: the form's field, the binary field of the item."""

    name: str
    field: str


@record
class SentFile:
    """A file of the item that goes along."""

    content: bytes
    mime_type: str
    file_name: str


def utf8(text: str) -> bytes:
    """Half surrogates, which scripts can make, become question marks."""
    return text.encode("utf-8", "replace")


def json_body(value: object, parameter: str) -> Body | None:
    """A value, or JSON text, which is checked; nothing for empty text. Raises `NodeError` naming the parameter."""
    if isinstance(value, str):
        if not value.strip():
            return None
        try:
            value = loads(value, max_depth=200)
        except InvalidInput as exc:
            reason = (exc.details or {}).get("body", exc.message)
            raise NodeError(f"The parameter {parameter} is not valid JSON: {reason}.") from None
    return Body(dumps(value), "application/json")


def form_body(fields: Mapping[str, Json]) -> Body:
    """application/x-www-form-urlencoded."""
    return Body(urlencode(pairs(fields), errors="replace").encode(), "application/x-www-form-urlencoded")


def raw_body(value: object, content_type: str) -> Body:
    """Text as it is; anything else as JSON text."""
    return Body(utf8(text_of(value)), content_type or "text/plain; charset=utf-8")


def file_body(file: SentFile) -> Body:
    """The bytes of one file."""
    return Body(file.content, file.mime_type or DEFAULT_TYPE)


def multipart_body(fields: Mapping[str, Json], files: Iterable[tuple[str, SentFile]]) -> Body:
    """multipart/form-data. files: the form's field and the file."""
    import httpx

    parts: list[tuple[str, tuple[str | None, bytes, str | None]]] = []
    for name, text in pairs(fields):
        parts.append((utf8(name).decode(), (None, utf8(text), None)))
    for name, file in files:
        parts.append((utf8(name).decode(), (file.file_name or "file", file.content, file.mime_type or None)))
    request = httpx.Request("POST", "http://form.invalid/", files=parts)
    return Body(request.read(), request.headers["content-type"])


async def sent_files(run: NodeRun, item: Item, fields: Iterable[str], index: int) -> dict[str, SentFile]:
    """Binary field -> its file, whole. Raises `NodeError`."""
    found: dict[str, SentFile] = {}
    for field in fields:
        content = await content_of(run, item, field, index)
        file = binary_of(item, field, index)
        found[field] = SentFile(content, file.get("mimeType") or "", file.get("fileName") or "")
    return found
