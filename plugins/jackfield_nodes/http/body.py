"""Request bodies: JSON, forms, files, raw text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from jackfield.api.binary import DEFAULT_TYPE, Content
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.multipart import FormFile
from jackfield.api.multipart import form_body as multipart
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.files import file_of, sendable
from jackfield.api.records import record
from jackfield.api.workflows import Item
from jackfield_nodes.http.call import Body
from jackfield_nodes.http.fields import pairs
from jackfield_nodes.values.conversions import text_of


@record
class Upload:
    """One file of a form: the form's field, the binary field of the item."""

    name: str
    field: str


@record
class HttpFile:
    """A file of the item that goes along."""

    content: Content
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


def file_body(file: HttpFile) -> Body:
    """One file."""
    return Body(file.content, file.mime_type or DEFAULT_TYPE)


def multipart_body(fields: Mapping[str, Json], files: Iterable[tuple[str, HttpFile]]) -> Body:
    """multipart/form-data. files: the form's field and the file."""
    sent = (FormFile(name, file.file_name or "file", file.content, file.mime_type) for name, file in files)
    return multipart(pairs(fields), sent)


async def sent_files(run: NodeRun, item: Item, fields: Iterable[str], index: int) -> dict[str, HttpFile]:
    """Binary field -> its file. Raises `NodeError`."""
    found: dict[str, HttpFile] = {}
    for field in fields:
        content = await sendable(run, item, field, index)
        file = file_of(item, field, index)
        found[field] = HttpFile(content, file.get("mimeType") or "", file.get("fileName") or "")
    return found
