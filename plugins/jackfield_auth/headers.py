"""The credential headers of a request, taken apart."""

from __future__ import annotations

import base64

from jackfield.api.auth import AuthRequest
from jackfield.api.errors import InvalidCredentials


def authorization(request: AuthRequest) -> tuple[str, bytes] | None:
    """Scheme in lower case and what follows it; None without an Authorization header. An unusable header gives the
    scheme that it seems to name, perhaps an empty one."""
    value = request.header("authorization")
    if value is None:
        return None
    scheme, _, rest = value.strip().partition(b" ")
    return scheme.decode("latin-1").lower(), rest.strip()


def basic_pair(value: bytes) -> tuple[str, str]:
    """Name and password of a Basic credential, RFC 7617 with UTF-8. Raises `InvalidCredentials`."""
    try:
        name, colon, password = base64.b64decode(value, validate=True).decode().partition(":")
    except ValueError:
        name = colon = password = ""
    if not name or not colon or not password:
        raise InvalidCredentials("The Basic credential is not the base64 of name:password in UTF-8.")
    return name, password
