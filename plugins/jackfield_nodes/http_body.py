"""Request bodies: JSON, forms, files, raw text."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield.api.workflows import Item
from jackfield_nodes.http_call import Body
from jackfield_nodes.http_fields import pairs
from jackfield_nodes.items import binary_of
from jackfield_nodes.values import text_of


@record
class Upload:
    """One file of a form: the form's field, the binary field of the item."""

    name: str
    field: str


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


def file_body(item: Item, field: str, index: int) -> Body:
    """The bytes of one file. Raises `NodeError`."""
    file = binary_of(item, field, index)
    return Body(_content(file["data"], field, index), file.get("mimeType") or "application/octet-stream")


def multipart_body(fields: Mapping[str, Json], uploads: Iterable[Upload], item: Item, index: int) -> Body:
    """multipart/form-data. Raises `NodeError`."""
    import httpx

    parts: list[tuple[str, tuple[str | None, bytes, str | None]]] = []
    for name, text in pairs(fields):
        parts.append((utf8(name).decode(), (None, utf8(text), None)))
    for upload in uploads:
        file = binary_of(item, upload.field, index)
        content = _content(file["data"], upload.field, index)
        parts.append((utf8(upload.name).decode(), (file.get("fileName") or "file", content, file.get("mimeType"))))
    request = httpx.Request("POST", "http://form.invalid/", files=parts)
    return Body(request.read(), request.headers["content-type"])


def _content(data: str, field: str, index: int) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        raise NodeError(f"The binary field '{field}' of item {index} is not valid base64.", item=index) from None
