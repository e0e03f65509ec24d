"""The answer with a file of an item: whatever it holds, a browser that opens it saves it and runs nothing."""

from __future__ import annotations

from quart import Response, request

from jackfield.api.binary import Content
from jackfield.api.downloads import content_disposition, content_type
from jackfield.api.http import response_of
from jackfield.api.workflows import BinaryData


def file_answer(file: BinaryData, content: Content) -> Response:
    """Items may come from anybody: their name and type are texts of any kind."""
    answer = response_of(content)
    answer.headers["Content-Type"] = content_type(file)
    answer.headers["Content-Disposition"] = content_disposition(file)
    return _closed(answer)


def elsewhere(address: str) -> Response:
    """The file is to be had at this address, which is nobody else's to know."""
    answer = Response(b"", status=307)
    answer.headers["Location"] = address
    answer.headers["Referrer-Policy"] = "no-referrer"
    return _closed(answer)


def may_leave() -> bool:
    """Whether the current request may be sent to another host.

    That of a script in a page may not, as a page's policy names the hosts that it speaks to.
    """
    return request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"


def _closed(answer: Response) -> Response:
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Cache-Control"] = "no-store"
    return answer
