"""Answers to what is no request: too many connections, a request that does not arrive, and one that is malformed. They
have no path that would choose their envelope, and so they have the daemon's own."""

from __future__ import annotations

from http import HTTPStatus

from jackfield.api import jsontext

TOO_LATE = {
    "head": "The head of the request was not whole in time; see server.connections.head_timeout.",
    "request": "The body of the request was not whole in time; see server.connections.request_timeout.",
}
TOO_MANY = "There are too many connections; see SETTING. Close some, or try again in a moment."
TOO_LARGE = "The request's head is larger than server.header_limit allows."
MALFORMED = "The request is malformed; send it as RFC 9112 has it."


def body_of(message: str, code: str) -> bytes:
    return jsontext.dumps({"success": False, "error": message, "code": code})


def too_late(reason: str) -> bytes:
    """reason: of `TOO_LATE`. A whole answer, 408."""
    return _answer(HTTPStatus.REQUEST_TIMEOUT, body_of(TOO_LATE[reason], "REQUEST_TIMEOUT"))


CODES = {
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "HEADERS_TOO_LARGE",
    HTTPStatus.SERVICE_UNAVAILABLE: "UNAVAILABLE",
    HTTPStatus.NOT_IMPLEMENTED: "NOT_IMPLEMENTED",
    HTTPStatus.HTTP_VERSION_NOT_SUPPORTED: "HTTP_VERSION",
}


def code_of(status: int) -> str:
    """The code of a refusal with this status."""
    return CODES.get(HTTPStatus(status), "MALFORMED_REQUEST")


def refusal(message: str, status: int) -> bytes:
    """A whole answer to what is no request."""
    return _answer(HTTPStatus(status), body_of(message, code_of(status)))


def too_many() -> bytes:
    """A whole answer, 503, with a place for the setting that is in the way."""
    body = body_of(TOO_MANY, "TOO_MANY_CONNECTIONS")
    return _answer(HTTPStatus.SERVICE_UNAVAILABLE, body, "Retry-After: 1\r\n", length=False).replace(
        b"SETTING", b"%(setting)s"
    )


def _answer(status: HTTPStatus, body: bytes, more: str = "", *, length: bool = True) -> bytes:
    size = f"Content-Length: {len(body)}\r\n" if length else ""
    head = (
        f"HTTP/1.1 {status} {status.phrase}\r\nContent-Type: application/json\r\n{size}{more}Connection: close\r\n\r\n"
    )
    return head.encode() + body
