"""The library of JSON Web Tokens: signing, and what of a token is verified without a clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jwt import PyJWT, PyJWTError, get_unverified_header
from jwt.types import Options

_NO_TIMES: Options = {"verify_exp": False, "verify_nbf": False, "verify_iat": False}


class TokenCodec:
    """algorithm: the only one. claims: those that every token must have."""

    def __init__(self, algorithm: str, issuer: str, claims: Sequence[str]) -> None:
        self._algorithm = algorithm
        self._issuer = issuer
        # Times are checked against the daemon's own clock.
        self._options: Options = {"require": list(claims), **_NO_TIMES}
        self._codec = PyJWT(options={"enforce_minimum_key_length": True})

    def encode(self, claims: Mapping[str, str | int], key: bytes, key_id: str) -> str:
        return self._codec.encode(dict(claims), key, self._algorithm, {"kid": key_id})

    def named_key(self, token: str) -> str:
        """The `kid` of the header, which nobody has verified; empty: none, or no header that can be read."""
        try:
            named = get_unverified_header(token).get("kid")
        except (PyJWTError, ValueError, TypeError, RecursionError):
            return ""
        return named if isinstance(named, str) else ""

    # Any: the values are whatever the token's author wrote.
    def decode(self, token: str, key: bytes) -> dict[str, Any] | None:
        """The claims of a token that this key has signed, else None."""
        try:
            return self._codec.decode(
                token, key, algorithms=[self._algorithm], issuer=self._issuer, options=self._options
            )
        except (PyJWTError, ValueError, TypeError, RecursionError):
            return None
