"""The fields of multipart/form-data, as some services send their events; files are left out."""

from __future__ import annotations

from io import BytesIO

from python_multipart import parse_form
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json

_MOST = 10_000
"""Parts that are looked at."""


def fields(body: bytes, content_type: str) -> Json:
    """Of a repeated field the last value. Raises `InvalidInput`."""
    found: dict[str, Json] = {}
    parts = 0

    def counted() -> None:
        nonlocal parts
        parts += 1
        if parts > _MOST:
            raise InvalidInput(f"The form has more than {_MOST} parts.")

    def on_field(field: Field) -> None:
        counted()
        found[(field.field_name or b"").decode("utf-8", "replace")] = (field.value or b"").decode("utf-8", "replace")

    def on_file(file: File) -> None:
        counted()
        file.close()

    headers = {"Content-Type": content_type.encode("latin-1", "replace"), "Content-Length": str(len(body)).encode()}
    try:
        parse_form(headers, BytesIO(body), on_field, on_file)
    except FormParserError:
        raise InvalidInput("The form of this call is broken; send multipart/form-data as RFC 7578 says.") from None
    return found
