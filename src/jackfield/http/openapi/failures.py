"""The errors that an operation may answer, each with its envelope.

Part of them follow from the operation's form: whoever reads a body may refuse it. The rest are named by `@operation`.
The connection, which knows no path, refuses a head that is too large, or the daemon does. The refusal has one envelope
or the other. Other errors before any operation is known are described nowhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from jackfield.api import errors
from jackfield.api.errors import JackfieldError
from jackfield.api.http import Operation

from ..errors import is_service

Described = dict[str, Any]
"""JSON that is built here and only written."""

SERVICE_ERROR: Described = {
    "type": "object",
    "description": "An error under /api/v1, /n8n/api/v1, /health and /ready. An import adds the fields of its answer.",
    "required": ["error", "code", "message", "requestId"],
    "properties": {
        "error": {"type": "string", "description": "The status in words."},
        "code": {"type": "string", "description": "Stable, in upper case: for programs."},
        "message": {"type": "string", "description": "A sentence that names the remedy: for people."},
        "details": {"type": "object", "description": "JSON path to the mistake there."},
        "requestId": {"type": "string", "description": "As in X-Request-Id and in the log."},
    },
}
DAEMON_ERROR: Described = {
    "type": "object",
    "description": "An error of every other path.",
    "required": ["success", "error", "code"],
    "properties": {
        "success": {"const": False},
        "error": {"type": "string", "description": "A sentence that names the remedy: for people."},
        "code": {"type": "string", "description": "Stable, in upper case: for programs."},
        "details": {"type": "object", "description": "JSON path to the mistake there."},
    },
}
SCHEMAS: Mapping[str, Described] = {"Error": SERVICE_ERROR, "DaemonError": DAEMON_ERROR}

ANY: Sequence[type[JackfieldError]] = (errors.InvalidInput, errors.AccessDenied, JackfieldError)
"""Of every operation: a repeated header, another page's or host's call, a defect."""
KNOWN: Sequence[type[JackfieldError]] = (errors.AuthRequired, errors.StoreUnavailable)
"""Where the caller must be known."""
BODY: Sequence[type[JackfieldError]] = (
    errors.RequestTimeout,
    errors.PayloadTooLarge,
    errors.UnsupportedMediaType,
    errors.StoreUnavailable,
)
PARAMETERS: Sequence[type[JackfieldError]] = (errors.HeadersTooLarge,)
"""Of who takes texts of any length in the path or the query."""
DESCRIBED: Sequence[type[JackfieldError]] = (
    *ANY,
    *KNOWN,
    *BODY,
    *PARAMETERS,
    errors.NotFound,
    errors.MethodNotAllowed,
    errors.Conflict,
    errors.DeliveryMismatch,
    errors.RateLimited,
    errors.UpstreamFailed,
    errors.ExecutionTimeout,
    errors.NotSupported,
)
STATUSES: Mapping[int, type[JackfieldError]] = {error.status: error for error in DESCRIBED}
_RETRY: Described = {"schema": {"type": "integer"}}
HEADERS: Mapping[int, Described] = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}, "description": "How to authenticate."}},
    429: {"Retry-After": {**_RETRY, "description": "Seconds until a request passes again."}},
    503: {"Retry-After": {**_RETRY, "description": "Seconds after which to try again, where that may help."}},
}


def failures(described: Operation, path: str, *, names: Iterable[str], body: bool) -> dict[str, Described]:
    """Status -> reference. names: of the path's parameters; body: whether the operation reads one."""
    names = tuple(names)
    found = {error.status for error in (*ANY, *described.errors)}
    if described.scope != "public":
        found |= {error.status for error in KNOWN}
    if names:
        found.add(errors.NotFound.status)
    if names or described.query is not None:
        found |= {error.status for error in PARAMETERS}
    if body:
        found |= {error.status for error in BODY}
    if is_service(path):
        found.add(errors.RateLimited.status)
    return {str(status): {"$ref": f"#/components/responses/{_name(status, path)}"} for status in sorted(found)}


def responses(used: Iterable[tuple[int, str]]) -> dict[str, Described]:
    """The components behind the references of `failures`. used: status and a path that may answer it."""
    return {_name(status, path): _response(status, path) for status, path in sorted(used)}


def _response(status: int, path: str) -> Described:
    error = STATUSES.get(status)
    schema: Described = {"$ref": f"#/components/schemas/{'Error' if is_service(path) else 'DaemonError'}"}
    if is_service(path) and error in PARAMETERS:
        schema = {"anyOf": [schema, {"$ref": "#/components/schemas/DaemonError"}]}
    described: Described = {
        "description": inspect.getdoc(error) if error else HTTPStatus(status).phrase,
        "content": {"application/json": {"schema": schema}},
    }
    if status in HEADERS:
        described["headers"] = HEADERS[status]
    return described


def _name(status: int, path: str) -> str:
    error = STATUSES.get(status)
    name = error.title.title().replace(" ", "") if error else f"Status{status}"
    return name if is_service(path) else f"Daemon{name}"
