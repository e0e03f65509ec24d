"""The conversion of a body, by its media type.

For any body that a caller sends, the worst result is an `InvalidInput`.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import cast
from urllib.parse import parse_qs

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield.api.workflows import BinaryData
from jackfield_webhooks.bodies.received import ReceivedFile

_XML = "jackfield_webhooks.bodies.xml_body:parse"
_MULTIPART = "jackfield_webhooks.bodies.multipart:parse"
"""Their libraries are imported with the first body that needs them."""
MAX_FIELDS = 10_000
"""Fields of a form or a query."""
_NO_CHARSETS = frozenset({"idna", "punycode", "undefined", "unicode-escape", "unicode_escape", "raw-unicode-escape"})
"""Codecs of texts that no caller means: for parts of host names or of programs, slow, or refusing everything."""


@record
class BodyOptions:
    """`raw`: hand on the body as sent too. `file_property`: the name of files instead of their field's name.
    `inline_limit`: bytes of the largest file that goes into its entry; None: all do.
    """

    raw: bool = False
    file_property: str | None = None
    inline_limit: int | None = None


@record
class ParsedBody:
    """`body`: the content of the item's `body`. `binary`: files. `contents`: of those that are too large for their
    entries, still a part of the body that came. `is_json`: the body that came is `body` as JSON.
    """

    body: Json
    binary: Mapping[str, BinaryData] = field(default_factory=dict)
    contents: Mapping[str, memoryview] = field(default_factory=dict)
    is_json: bool = False


def parse(body: bytes, content_type: str, options: BodyOptions) -> ParsedBody:
    """Read a decoded body. Raises `InvalidInput`."""
    found = _parse(body, content_type, options)
    if not options.raw:
        return found
    name = options.file_property or "data"
    more = _with_files(None, {name: ReceivedFile(memoryview(body), content_type)}, options)
    return ParsedBody(found.body, {**found.binary, **more.binary}, {**found.contents, **more.contents}, found.is_json)


def _parse(body: bytes, content_type: str, options: BodyOptions) -> ParsedBody:
    kind = media_type(content_type)
    if kind == "application/json" or kind.endswith("+json"):
        return ParsedBody(jsontext.loads(body), is_json=True) if body.strip() else ParsedBody({})
    if not body and not kind.startswith("multipart/"):
        return ParsedBody("" if kind.startswith("text/") and kind != "text/xml" else {})
    if kind == "application/x-www-form-urlencoded":
        return ParsedBody(fields(body.decode("utf-8", "replace")))
    if kind in ("application/xml", "text/xml") or kind.endswith("+xml"):
        return ParsedBody(cast("Callable[[bytes], Json]", load(_XML))(body))
    if kind.startswith("text/"):
        return ParsedBody(_text(body, content_type))
    if kind == "multipart/form-data":
        return _with_files(*_form(body, content_type, options.file_property), options)
    file = ReceivedFile(memoryview(body), content_type)
    return _with_files({}, {options.file_property or "data": file}, options)


def media_type(content_type: str) -> str:
    """Without parameters, in lower case."""
    return content_type.partition(";")[0].strip().lower()


def _form(body: bytes, content_type: str, name: str | None) -> tuple[dict[str, Json], dict[str, ReceivedFile]]:
    parse_form = cast("Callable[..., tuple[dict[str, Json], dict[str, ReceivedFile]]]", load(_MULTIPART))
    return parse_form(body, content_type, name)


def _with_files(body: Json, files: Mapping[str, ReceivedFile], options: BodyOptions) -> ParsedBody:
    most = options.inline_limit
    large = {name for name, file in files.items() if most is not None and len(file.content) > most}
    return ParsedBody(
        body,
        {name: file.described() if name in large else file.inline() for name, file in files.items()},
        {name: files[name].content for name in large},
    )


def fields(text: str) -> dict[str, Json]:
    """A form or a query as an object; a repeated name gives a list. Raises `InvalidInput` for too many fields."""
    if not text:
        return {}
    try:
        found = parse_qs(text, keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="replace")
    except ValueError:
        raise InvalidInput(f"A form or query may have at most {MAX_FIELDS} fields.") from None
    return {name: values[0] if len(values) == 1 else list[Json](values) for name, values in found.items()}


def _text(body: bytes, content_type: str) -> str:
    charset = "utf-8"
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip('"')
    try:
        found = codecs.lookup(charset)
    except (LookupError, ValueError):
        return body.decode("utf-8", "replace")
    # Codecs such as `zlib` are no character sets; Python marks them.
    usable = getattr(found, "_is_text_encoding", False) and found.name not in _NO_CHARSETS
    return body.decode(found.name if usable else "utf-8", "replace")
