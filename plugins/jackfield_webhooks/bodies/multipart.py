"""multipart/form-data: fields and files."""

from __future__ import annotations

from dataclasses import field
from email.message import Message

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.records import state
from jackfield_webhooks.bodies.received import ReceivedFile

MAX_PARTS = 1000
_END_OF_HEAD = b"\r\n\r\n"


@state
class _Part:
    start: int = 0
    size: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    name: str = ""
    file_name: str | None = None


def parse(body: bytes, content_type: str, file_property: str | None) -> tuple[dict[str, Json], dict[str, ReceivedFile]]:
    """Fields (a repeated one is a list) and files by the name of their field, numbered when it is repeated.

    file_property: files are called this and a number instead. Raises `InvalidInput`.
    """
    fields: dict[str, Json] = {}
    files: list[tuple[str, ReceivedFile]] = []
    whole = memoryview(body)
    for part in _parts(body, _boundary(content_type)):
        content = whole[part.start : part.start + part.size]
        if part.file_name is None:
            _add(fields, part.name, bytes(content).decode("utf-8", "replace"))
        else:
            files.append((part.name, ReceivedFile(content, part.headers.get("content-type"), part.file_name)))
    return fields, _named(files, file_property)


def _boundary(content_type: str) -> bytes:
    message = Message()
    message["content-type"] = content_type
    found = message.get_param("boundary")
    if not isinstance(found, str) or not found or len(found) > 70 or not found.isascii():
        raise _refused("its Content-Type names no boundary")
    return found.encode("ascii")


def _parts(body: bytes, boundary: bytes) -> list[_Part]:
    collector = _Collector(body)
    try:
        parser = MultipartParser(boundary, collector.callbacks())  # type: ignore[arg-type]
        parser.write(body)
        parser.finalize()
    except FormParserError:
        raise _refused("a part is broken") from None
    if not collector.ended:
        raise _refused("it is cut off")
    return collector.parts


class _Collector:
    """Where the parts are in the body. The parser gives their content in pieces, of which some are copies."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self.parts: list[_Part] = []
        self.ended = False
        self._name = bytearray()
        self._value = bytearray()
        self._in_head = 0

    def callbacks(self) -> dict[str, object]:
        return {
            "on_part_begin": self._begin,
            "on_part_data": self._data,
            "on_header_field": self._header_name,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_finished,
            "on_end": self._end,
        }

    def _begin(self) -> None:
        if len(self.parts) >= MAX_PARTS:
            raise _refused(f"at most {MAX_PARTS} parts are accepted")
        self.parts.append(_Part())

    def _data(self, data: bytes, start: int, end: int) -> None:
        self.parts[-1].size += end - start

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]
        self._in_head = end

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        name = self._name.decode("latin-1").lower()
        self.parts[-1].headers[name] = self._value.decode("utf-8", "replace")
        self._name.clear()
        self._value.clear()

    def _headers_finished(self) -> None:
        part = self.parts[-1]
        part.start = self._body.index(_END_OF_HEAD, self._in_head) + len(_END_OF_HEAD)
        disposition = part.headers.get("content-disposition", "")
        options = _options(disposition)
        if disposition.partition(";")[0].strip().lower() != "form-data" or "name" not in options:
            raise _refused("a part has no Content-Disposition with a name")
        part.name = options["name"]
        if "filename" in options:
            part.file_name = _base_name(options["filename"])

    def _end(self) -> None:
        self.ended = True


def _options(disposition: str) -> dict[str, str]:
    """The parameters of a Content-Disposition, as browsers write them: raw UTF-8 with %22, %0D and %0A escaped."""
    # The library reads Latin-1, which maps every byte, and gives bytes back.
    _, found = parse_options_header(disposition.encode("utf-8", "replace").decode("latin-1"))
    decoded = {key.decode("latin-1").strip().lower(): value.decode("utf-8", "replace") for key, value in found.items()}
    escapes = (("%22", '"'), ("%0D", "\r"), ("%0A", "\n"))
    for name, value in decoded.items():
        for escaped, plain in escapes:
            value = value.replace(escaped, plain)
        decoded[name] = value
    return decoded


def _base_name(name: str) -> str:
    """Without directories: a caller never names a place on the server."""
    return name.replace("\\", "/").rpartition("/")[2].replace("\0", "")


def _add(fields: dict[str, Json], name: str, value: str) -> None:
    if name not in fields:
        fields[name] = value
        return
    present = fields[name]
    if isinstance(present, list):
        present.append(value)
    else:
        fields[name] = [present, value]


def _named(files: list[tuple[str, ReceivedFile]], file_property: str | None) -> dict[str, ReceivedFile]:
    names = [name for name, _ in files]
    found: dict[str, ReceivedFile] = {}
    for number, (name, data) in enumerate(files):
        if file_property is not None:
            key = f"{file_property}{number}"
        else:
            key = f"{name}{names[:number].count(name)}" if names.count(name) > 1 else name
        found[key or "data"] = data
    return found


def _refused(reason: str) -> InvalidInput:
    return InvalidInput("The multipart body is not valid.", details={"body": reason})
