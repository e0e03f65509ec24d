"""Errors as JSON, in the envelope of the path."""

from __future__ import annotations

from jackfield.api import jsontext
from jackfield.api.asgi import Send, error_body
from jackfield.api.errors import JackfieldError
from jackfield.api.n8n_api import N8N_PREFIX

SERVICE_PREFIXES = ("/api/v1", N8N_PREFIX, "/webhook", "/webhook-test", "/health", "/ready")


def is_service(path: str) -> bool:
    """Whether the path belongs to the workflow service, whose errors have its envelope."""
    return any(path == prefix or path.startswith(prefix + "/") for prefix in SERVICE_PREFIXES)


def body_of(error: JackfieldError, path: str, request_id: str) -> bytes:
    """The error's JSON for this path."""
    if is_service(path):
        return error_body(error, request_id)
    body: dict[str, object] = {"success": False, "error": error.message, "code": error.code}
    if error.details:
        body["details"] = error.details
    return jsontext.dumps(body)


def challenge(error: JackfieldError) -> list[tuple[str, str]]:
    """A 401 says how to authenticate (RFC 9110 section 11.6.1)."""
    named = {name.lower() for name, _ in error.headers}
    if error.status == 401 and "www-authenticate" not in named:
        return [("WWW-Authenticate", 'Bearer realm="jackfield"')]
    return []


async def send_error(send: Send, error: JackfieldError, path: str, request_id: str, method: str = "GET") -> None:
    """Answer a raw ASGI request with an error."""
    body = body_of(error, path, request_id)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(k.lower().encode(), v.encode("latin-1")) for k, v in [*error.headers, *challenge(error)]]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})
