"""How requests of services are signed that want more than a key in a header. Each has its name in a description."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import jwt

from jackfield.api.http_client import HttpCall
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace

_LIFETIME = timedelta(minutes=5)
"""The longest that Ghost takes."""


def ghost(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
    """A token of the admin key, which is an id and a secret in hexadecimal, with a colon between. Source: Ghost's
    documentation of its Admin API, "Token authentication". Raises `NodeError`."""
    ident, _, secret = values.get("apiKey", "").partition(":")
    try:
        key = bytes.fromhex(secret)
    except ValueError:
        key = b""
    if not ident or not key:
        raise NodeError("The credential's apiKey is no admin key of Ghost: id, colon, secret.")
    now = datetime.now(UTC)
    claims = {"iat": now, "exp": now + _LIFETIME, "aud": "/admin/"}
    token = jwt.encode(claims, key, "HS256", headers={"kid": ident})
    headers = [pair for pair in call.headers if pair[0].lower() != "authorization"]
    return replace(
        call,
        headers=[*headers, ("authorization", f"Ghost {token}")],
        secrets=[*call.secrets, token],
        secret_headers=call.secret_headers | {"authorization"},
    )
