"""JSON Web Tokens as answers to webhooks."""

from __future__ import annotations

import jwt

from jackfield.api.nodes import NodeError
from jackfield_nodes.values.conversions import to_object


def signed_token(payload: object, credential: dict[str, str]) -> str:
    """A JSON Web Token of the payload. Raises `NodeError`, never with the key in it."""
    try:
        claims = to_object(payload)
    except ValueError as exc:
        raise NodeError(f"The parameter payload must be one JSON object; it is {exc}.", item=0) from None
    key = credential.get("secret") or credential.get("privateKey") or ""
    algorithm = credential.get("algorithm") or "HS256"
    if not key or algorithm == "none":
        raise NodeError("The credential jwtAuth has no key or no algorithm to sign with.", item=0)
    try:
        return jwt.encode(dict(claims), key, algorithm=algorithm)
    except (jwt.PyJWTError, ValueError, TypeError, NotImplementedError):
        raise NodeError(f"The token cannot be signed with {algorithm} and the key of jwtAuth.", item=0) from None
