"""The error tree. A class carries its HTTP status and code; its docstring is the default message.

Every error that leaves the daemon is an instance of `JackfieldError`, which the kernel renders in the envelope of the
path. It is `{error, code, message, details?, requestId}` under `/api/v1`, `/webhook*`, `/health` and `/ready`, and
`{success: false, error, code}` elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar


class JackfieldError(Exception):
    """The service failed in a way that it did not expect."""

    status: ClassVar[int] = 500
    code: str = "INTERNAL"
    title: ClassVar[str] = "Internal error"

    def __init__(
        self,
        message: str | None = None,
        *,
        code: str | None = None,
        details: Mapping[str, object] | None = None,
        extra: Mapping[str, object] | None = None,
        headers: Sequence[tuple[str, str]] = (),
    ) -> None:
        """`message`: one full sentence that names the remedy; default: the class's docstring.

        `code`: a more exact UPPER_SNAKE code. `details`: json path -> what is wrong. `extra`: further top-level keys of
        the body. `headers`: sent with the answer. None of them may hold a secret.
        """
        self.message = message or " ".join((type(self).__doc__ or "").split("\n\n")[0].split())
        super().__init__(self.message)
        if code is not None:
            self.code = code
        self.details = dict(details) if details else None
        self.extra = dict(extra) if extra else {}
        self.headers = list(headers)


class InvalidInput(JackfieldError):
    """The request is not valid; see details."""

    status = 400
    code = "VALIDATION_ERROR"
    title = "Invalid request"


class AuthRequired(JackfieldError):
    """This endpoint needs a credential: a Bearer token, an API key, or Basic where it is enabled."""

    status = 401
    code = "AUTH_REQUIRED"
    title = "Unauthorized"


class TokenExpired(AuthRequired):
    """The token has expired; log in again."""

    code = "TOKEN_EXPIRED"


class TokenInvalid(AuthRequired):
    """The token is not valid; log in again."""

    code = "TOKEN_INVALID"


class SessionExpired(AuthRequired):
    """The browser's session has ended; open the page again or log in."""

    code = "SESSION_EXPIRED"


class ApiKeyInvalid(AuthRequired):
    """The API key is not known or has been revoked."""

    code = "API_KEY_INVALID"


class ApiKeyExpired(AuthRequired):
    """The API key has expired; create a new one."""

    code = "API_KEY_EXPIRED"


class InvalidCredentials(AuthRequired):
    """The user name or the password is wrong."""

    code = "INVALID_CREDENTIALS"


class WebhookUnauthorized(AuthRequired):
    """The call does not carry the credential that this webhook asks for."""

    code = "UNAUTHORIZED"


class AccessDenied(JackfieldError):
    """The credential is valid but does not allow this."""

    status = 403
    code = "ACCESS_DENIED"
    title = "Forbidden"


class NotFound(JackfieldError):
    """There is nothing at this address."""

    status = 404
    code = "NOT_FOUND"
    title = "Not found"


class MethodNotAllowed(JackfieldError):
    """This address does not accept the method; see the Allow header."""

    status = 405
    code = "METHOD_NOT_ALLOWED"
    title = "Method not allowed"

    def __init__(self, allowed: Sequence[str], message: str | None = None) -> None:
        super().__init__(message, extra={"allowed": list(allowed)}, headers=[("Allow", ", ".join(allowed))])


class RequestTimeout(JackfieldError):
    """The request's body did not arrive in time."""

    status = 408
    code = "REQUEST_TIMEOUT"
    title = "Request timeout"


class Conflict(JackfieldError):
    """The request contradicts the current state."""

    status = 409
    code = "CONFLICT"
    title = "Conflict"


class DataDamaged(Conflict):
    """The record under this id was damaged on the disk; restore it from a backup, or delete it."""

    code = "DATA_DAMAGED"
    title = "Data damaged"


class PayloadTooLarge(JackfieldError):
    """The body is larger than this address accepts."""

    status = 413
    code = "PAYLOAD_TOO_LARGE"
    title = "Payload too large"


class UnsupportedMediaType(JackfieldError):
    """The body's media type or encoding is not one that this address reads."""

    status = 415
    code = "UNSUPPORTED_MEDIA_TYPE"
    title = "Unsupported media type"


class DeliveryMismatch(JackfieldError):
    """This Idempotency-Key was used with another request; send the first request again, or take a new key."""

    status = 422
    code = "IDEMPOTENCY_MISMATCH"
    title = "Unprocessable content"


class HeadersTooLarge(JackfieldError):
    """The request's head is larger than server.header_limit allows."""

    status = 431
    code = "HEADERS_TOO_LARGE"
    title = "Request header fields too large"


class RateLimited(JackfieldError):
    """Too many requests; try again later."""

    status = 429
    code = "RATE_LIMITED"
    title = "Too many requests"

    def __init__(self, retry_after: float, message: str | None = None) -> None:
        """retry_after: seconds until a request passes again; sent rounded up, at least 1."""
        seconds = max(1, -int(-retry_after // 1))
        super().__init__(message, headers=[("Retry-After", str(seconds))])


class ExecutionFailed(JackfieldError):
    """The workflow failed before it gave an answer."""

    code = "EXECUTION_FAILED"
    title = "Execution failed"


class NoResponseNode(JackfieldError):
    """The workflow ended without reaching a Respond to Webhook node."""

    code = "NO_RESPONSE_NODE"
    title = "No response"


class WorkflowInactive(JackfieldError):
    """The workflow of this webhook is not active; activate it first."""

    status = 503
    code = "WORKFLOW_INACTIVE"
    title = "Workflow is not active"


class StoreUnavailable(JackfieldError):
    """The store does not answer; nothing was changed, try again."""

    status = 503
    code = "STORE_UNAVAILABLE"
    title = "Store unavailable"


class BinaryStoreUnavailable(StoreUnavailable):
    """The files of items cannot be reached or kept now; nothing was changed, try again."""

    code = "BINARY_STORE_UNAVAILABLE"
    title = "Files unavailable"


class Fenced(JackfieldError):
    """Another daemon goes on with what this one had, as its lease ran out; nothing was changed, try again."""

    status = 503
    code = "FENCED"
    title = "Lease lost"


class MemoryExhausted(JackfieldError):
    """Large bodies take all the memory that they may have together; try again in a moment."""

    status = 503
    code = "MEMORY_EXHAUSTED"
    title = "Memory exhausted"


class MemoryShort(JackfieldError):
    """The daemon has too little memory left; try again, or raise its limit."""

    status = 503
    code = "MEMORY_SHORT"
    title = "Memory short"


class ExecutionTimeout(JackfieldError):
    """The workflow gave no answer in time; it goes on running."""

    status = 504
    code = "EXECUTION_TIMEOUT"
    title = "Execution timeout"


class UpstreamFailed(JackfieldError):
    """Another server did not give what was asked of it."""

    status = 502
    code = "UPSTREAM_FAILED"
    title = "Bad gateway"


class NotSupported(JackfieldError):
    """Jackfield does not have this part of n8n's API."""

    status = 501
    code = "NOT_SUPPORTED"
    title = "Not implemented"


class ConfigurationError(JackfieldError):
    """The configuration is not valid. Names the key and the remedy, never a secret's value."""

    code = "CONFIGURATION"
    title = "Configuration error"


class MissingPort(JackfieldError, LookupError):
    """No loaded plugin provides what this needs."""

    status = 503
    code = "PORT_MISSING"
    title = "Not available"


class RouteConflict(Conflict):
    """Another workflow already serves this method and path."""
