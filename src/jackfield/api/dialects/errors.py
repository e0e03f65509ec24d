"""Errors of providers, read alike whatever their dialect, and the words in which each dialect tells them."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime

from ..jsontext import Json
from .base import Headers
from .fields import arr, dumps, loads, obj, text
from .model import DialectError, ErrorKind, Object

_KINDS: dict[int, ErrorKind] = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    422: "invalid_request_error",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_KNOWN: dict[str, ErrorKind] = {kind: kind for kind in (*_KINDS.values(), "api_error")}
_STATUS: dict[ErrorKind, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "conflict_error": 409,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_OPENAI: dict[ErrorKind, tuple[str, str | None]] = {  # type, code
    "invalid_request_error": ("invalid_request_error", None),
    "authentication_error": ("invalid_request_error", "invalid_api_key"),
    "billing_error": ("insufficient_quota", "insufficient_quota"),
    "permission_error": ("invalid_request_error", "permission_denied"),
    "not_found_error": ("invalid_request_error", "model_not_found"),
    "conflict_error": ("invalid_request_error", "conflict"),
    "request_too_large": ("invalid_request_error", "request_too_large"),
    "rate_limit_error": ("rate_limit_error", "rate_limit_exceeded"),
    "api_error": ("server_error", "server_error"),
    "timeout_error": ("server_error", "timeout"),
    "overloaded_error": ("server_error", "server_is_overloaded"),
}
_GOOGLE: dict[ErrorKind, str] = {
    "invalid_request_error": "INVALID_ARGUMENT",
    "authentication_error": "UNAUTHENTICATED",
    "billing_error": "FAILED_PRECONDITION",
    "permission_error": "PERMISSION_DENIED",
    "not_found_error": "NOT_FOUND",
    "conflict_error": "ABORTED",
    "request_too_large": "INVALID_ARGUMENT",
    "rate_limit_error": "RESOURCE_EXHAUSTED",
    "api_error": "INTERNAL",
    "timeout_error": "DEADLINE_EXCEEDED",
    "overloaded_error": "UNAVAILABLE",
}
_TYPES = "type.googleapis.com/google.rpc."
_CODES: dict[str, ErrorKind] = {
    "rate_limit_exceeded": "rate_limit_error",
    "insufficient_quota": "billing_error",
    "server_is_overloaded": "overloaded_error",
    "slow_down": "overloaded_error",
    "invalid_api_key": "authentication_error",
    "model_not_found": "not_found_error",
    "invalid_prompt": "invalid_request_error",
    "context_length_exceeded": "invalid_request_error",
    "timeout": "timeout_error",
}
_BAD_KEY = "API_KEY_INVALID"
"""Google's reason of a 400, in `details`; its words for it differ."""
OVERFLOW = "prompt is too long"
OVERFLOW_CODE = "context_length_exceeded"
_OVERFLOWS = re.compile(
    r"prompt is too long|context[ _-]?(?:length|window|size)|maximum (?:context|prompt|input)|context limit"
    r"|input (?:is )?too long|too many (?:input )?tokens|exceed\w* .{0,40}(?:context|maximum number of tokens)"
    r"|reduce the length of|input token count",
    re.IGNORECASE | re.DOTALL,
).search
_LONGEST = 4000  # characters of a provider's message that reach the client
_JSON = ("content-type", "application/json")
NEVER_AGAIN = ("x-should-retry", "false")
"""For clients that are made of the official SDKs: the same request is not to be sent again."""


def kind_of(status: int) -> ErrorKind:
    return _KINDS.get(status) or ("invalid_request_error" if status < 500 else "api_error")


def parse(status: int, body: bytes, retry_after: str | None = None) -> DialectError:
    """An upstream's answer of status >= 400."""
    try:
        value = loads(body)
    except ValueError:
        value = None
    error = _details(value)
    return from_object(error, status, seconds(retry_after) if retry_after else _delay(error))


def _delay(error: Object) -> float | None:
    """Google's answer in place of Retry-After: `{"@type": ".../google.rpc.RetryInfo", "retryDelay": "3s"}`."""
    for detail in map(obj, arr(error.get("details"))):
        if delay := text(detail.get("retryDelay")):
            return seconds(delay.removesuffix("s"))
    return None


def from_object(error: Object, status: int | None = None, retry_after: float | None = None) -> DialectError:
    """The `error` object of either dialect; without a status (in a stream) that of its kind."""
    code = text(error.get("code")) or None
    kind = _KNOWN.get(text(error.get("type")))
    if any(text(detail.get("reason")) == _BAD_KEY for detail in map(obj, arr(error.get("details")))):
        code, kind, status = code or "invalid_api_key", "authentication_error", 401
    elif status is None:
        given = error.get("code")
        kind = _CODES.get(code or "") or kind
        if kind is None and type(given) is int and 400 <= given <= 599:  # as gateways tell the status of their provider
            kind = kind_of(given)
        kind = kind or "api_error"
        status = _STATUS[kind]
    elif kind is None or (status >= 500) != (_STATUS[kind] >= 500):
        kind = kind_of(status)
    message = (text(error.get("message")) or f"The provider answered with status {status}.")[:_LONGEST]
    if _is_overflow(status, code, message):
        return overflow(message)
    param = text(error.get("param")) or None
    return DialectError(status, message, kind, code=code, param=param, retry_after=retry_after)


def _is_overflow(status: int, code: str | None, message: str) -> bool:
    if code == OVERFLOW_CODE:
        return True
    return status in (400, 413, 422, 500) and _OVERFLOWS(message) is not None


def overflow(message: str = "") -> DialectError:
    if not message.startswith(OVERFLOW):
        message = f"{OVERFLOW}: {message}" if message else OVERFLOW
    return DialectError(400, message, "invalid_request_error", code=OVERFLOW_CODE, overflow=True)


def _details(value: Json) -> Object:
    """Providers send {error: {...}}, {error: "..."}, {message}, {detail}, or a list of one of them."""
    if type(value) is list and value:
        value = value[0]
    source = obj(value)
    inner = source.get("error")
    if type(inner) is dict:
        return inner
    for candidate in (inner, source.get("message"), source.get("detail"), source.get("errors")):
        if candidate:
            message = candidate if type(candidate) is str else dumps(candidate).decode("utf-8", "replace")
            return {"message": message, "type": source.get("type"), "code": source.get("code")}
    return {}


def seconds(header: str | None) -> float | None:
    """The wait that Retry-After asks for (RFC 9110 section 10.2.3: seconds, or a date); at most a day."""
    if not header:
        return None
    try:
        return min(max(0.0, float(header)), 86_400.0)
    except ValueError:
        return _until(header)


def _until(date: str) -> float | None:
    try:
        return min(max(0.0, parsedate_to_datetime(date).timestamp() - time.time()), 86_400.0)
    except (ValueError, OverflowError):
        return None


# ------------------------------------------------------------------------------------------------------------- telling


def anthropic_error(error: DialectError) -> Object:
    return {"type": error.kind, "message": error.message}


def openai_error(error: DialectError) -> Object:
    kind, code = _OPENAI[error.kind]
    return {"message": error.message, "type": kind, "param": error.param, "code": error.code or code}


def google_error(error: DialectError) -> Object:
    """`code` is the status of HTTP. Google's clients read how long to wait in `details`."""
    details: list[Json] = []
    if error.code:
        details.append({"@type": f"{_TYPES}ErrorInfo", "reason": error.code, "domain": "jackfield"})
    if error.retry_after is not None:
        details.append({"@type": f"{_TYPES}RetryInfo", "retryDelay": f"{max(1, round(error.retry_after))}s"})
    made: Object = {"code": _google_status(error), "message": error.message, "status": _GOOGLE[error.kind]}
    return {**made, "details": details} if details else made


def _google_status(error: DialectError) -> int:
    return 503 if error.kind == "overloaded_error" else error.status


def answer(status: int, body: Object, error: DialectError) -> tuple[int, bytes, Headers]:
    headers: Headers = (_JSON,)
    if error.retry_after is not None:
        headers = (*headers, ("retry-after", str(max(1, round(error.retry_after)))))
    return status, dumps(body), (*headers, NEVER_AGAIN) if error.lasting else headers


def anthropic_answer(error: DialectError, request_id: str) -> tuple[int, bytes, Headers]:
    body: Object = {"type": "error", "error": anthropic_error(error)}
    if request_id:
        body["request_id"] = request_id
    return answer(529 if error.kind == "overloaded_error" else error.status, body, error)


def openai_answer(error: DialectError, request_id: str) -> tuple[int, bytes, Headers]:
    """The request id has no field in this dialect; the caller sends it as a header."""
    status = 503 if error.kind == "overloaded_error" else error.status
    return answer(status, {"error": openai_error(error)}, error)


def google_answer(error: DialectError, request_id: str) -> tuple[int, bytes, Headers]:
    """The request id has no field in this dialect either."""
    return answer(_google_status(error), {"error": google_error(error)}, error)
