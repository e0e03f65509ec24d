"""The answer with a file of an item: whatever it holds, a browser that opens it saves it and runs nothing."""

from __future__ import annotations

import re

from quart import Response

from jackfield.api.binary import DEFAULT_TYPE, Content
from jackfield.api.http import response_of, save_as
from jackfield.api.workflows import BinaryData

_TYPE = re.compile(r"[\w.+-]{1,100}/[\w.+-]{1,100}", re.ASCII)
_UNNAMED = "file"


def file_answer(file: BinaryData, content: Content) -> Response:
    """Items may come from anybody: their name and type are texts of any kind."""
    kind, name = file.get("mimeType"), file.get("fileName")
    known = _TYPE.match(kind) if isinstance(kind, str) else None
    answer = response_of(content)
    answer.headers["Content-Type"] = DEFAULT_TYPE if known is None else known.group()
    save_as(answer, name if isinstance(name, str) and name else _UNNAMED)
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Cache-Control"] = "no-store"
    return answer
