"""How a call proves that it may start a workflow: header, Basic, JWT. Signatures are in `signatures`.

Every comparison takes constant time. A verifier that cannot be built is never replaced by an open door.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Mapping
from typing import Protocol

from jackfield.api.errors import WebhookUnauthorized
from jackfield.api.jsontext import Json

PLAIN_CHALLENGE = 'Webhook realm="webhook"'
BASIC_CHALLENGE = 'Basic realm="webhook", charset="UTF-8"'
BEARER_CHALLENGE = 'Bearer realm="webhook"'


class Verifier(Protocol):
    """Checks one webhook's calls."""

    @property
    def needs_body(self) -> bool:
        """Whether the body as sent is part of the proof."""

    @property
    def headers(self) -> frozenset[str]:
        """Lower-case names of the headers that carry the proof; their values are never stored or handed on."""

    @property
    def challenge(self) -> str:
        """WWW-Authenticate of a refusal."""

    def verify(self, headers: Mapping[str, str], body: bytes, now: float) -> dict[str, Json] | None:
        """The claims that the proof carries, if it carries any. Raises `WebhookUnauthorized`.

        headers: lower-case names, values decoded as Latin-1; body: as sent; now: Unix seconds.
        """


def refusal(challenge: str, message: str | None = None) -> WebhookUnauthorized:
    return WebhookUnauthorized(message, headers=[("WWW-Authenticate", challenge)])


class HeaderVerifier:
    """A header has a fixed value."""

    needs_body = False

    def __init__(self, name: str, value: str) -> None:
        self.name = name.lower()
        self.headers = frozenset({self.name})
        self.challenge = BEARER_CHALLENGE if value.lower().startswith("bearer ") else PLAIN_CHALLENGE
        self._value = value.encode()

    def verify(self, headers: Mapping[str, str], body: bytes, now: float) -> None:
        given = headers.get(self.name, "").encode("latin-1", "replace")
        if not hmac.compare_digest(given, self._value):
            raise refusal(self.challenge)


class BasicVerifier:
    """Basic credentials (RFC 7617)."""

    needs_body = False
    headers = frozenset({"authorization"})
    challenge = BASIC_CHALLENGE

    def __init__(self, username: str, password: str) -> None:
        self._username = username.encode()
        self._password = password.encode()

    def verify(self, headers: Mapping[str, str], body: bytes, now: float) -> None:
        username, password = self._credentials(headers.get("authorization", ""))
        right_name = hmac.compare_digest(username, self._username)
        right_password = hmac.compare_digest(password, self._password)
        if not (right_name and right_password):
            raise refusal(self.challenge)

    def _credentials(self, header: str) -> tuple[bytes, bytes]:
        scheme, _, encoded = header.partition(" ")
        if scheme.lower() != "basic":
            raise refusal(self.challenge)
        try:
            decoded = base64.b64decode(encoded.strip().encode("ascii"), validate=True)
        except (binascii.Error, ValueError):
            raise refusal(self.challenge) from None
        username, colon, password = decoded.partition(b":")
        if not colon:
            raise refusal(self.challenge)
        return username, password


class JwtVerifier:
    """A signed JWT as Bearer token. One algorithm is pinned; `exp` and `nbf` count when they are there."""

    needs_body = False
    headers = frozenset({"authorization"})
    challenge = BEARER_CHALLENGE

    def __init__(self, key: str, algorithm: str) -> None:
        """Raises ValueError for what is no key of the algorithm."""
        import jwt

        self._jwt = jwt.PyJWT({"enforce_minimum_key_length": False, "verify_aud": False, "verify_iss": False})
        self._errors: tuple[type[Exception], ...] = (jwt.PyJWTError, ValueError, TypeError)
        self._algorithms = [algorithm]
        try:
            self._key = jwt.get_algorithm_by_name(algorithm).prepare_key(key)
        except self._errors:
            raise ValueError(f"not a key for {algorithm}") from None

    def verify(self, headers: Mapping[str, str], body: bytes, now: float) -> dict[str, Json]:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            raise refusal(self.challenge)
        try:
            return self._jwt.decode(token.strip(), self._key, algorithms=self._algorithms)
        except self._errors:
            raise refusal(self.challenge) from None


class Closed:
    """Refuses everything: the webhook asks for a credential that the daemon does not have (any more)."""

    needs_body = False
    headers: frozenset[str] = frozenset()
    challenge = PLAIN_CHALLENGE

    def verify(self, headers: Mapping[str, str], body: bytes, now: float) -> None:
        raise refusal(self.challenge, "The credential of this webhook is not available; no call is accepted.")
