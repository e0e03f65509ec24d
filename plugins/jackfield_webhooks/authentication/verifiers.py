"""How a call proves that it may start a workflow: header, Basic. Signatures are in `signatures`, JWTs in
`json_web_tokens`.

Every comparison takes constant time. A verifier that cannot be built is never replaced by an open door.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Mapping
from typing import Protocol

from jackfield.api.errors import WebhookUnauthorized
from jackfield.api.webhooks import VerifiedCall, WebhookCall

PLAIN_CHALLENGE = 'Webhook realm="webhook"'
BASIC_CHALLENGE = 'Basic realm="webhook", charset="UTF-8"'
BEARER_CHALLENGE = 'Bearer realm="webhook"'
VERIFIED = VerifiedCall()
"""A good proof that says nothing of the call."""


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

    def verify(self, call: WebhookCall) -> VerifiedCall:
        """Raises `WebhookUnauthorized`."""


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

    def verify(self, call: WebhookCall) -> VerifiedCall:
        given = call.headers.get(self.name, "").encode("latin-1", "replace")
        if not hmac.compare_digest(given, self._value):
            raise refusal(self.challenge)
        return VERIFIED

    def sign(self, call: WebhookCall) -> Mapping[str, str]:
        return {self.name: self._value.decode("utf-8")}


class BasicVerifier:
    """Basic credentials (RFC 7617)."""

    needs_body = False
    headers = frozenset({"authorization"})
    challenge = BASIC_CHALLENGE

    def __init__(self, username: str, password: str) -> None:
        self._username = username.encode()
        self._password = password.encode()

    def verify(self, call: WebhookCall) -> VerifiedCall:
        username, password = self._credentials(call.headers.get("authorization", ""))
        right_name = hmac.compare_digest(username, self._username)
        right_password = hmac.compare_digest(password, self._password)
        if not (right_name and right_password):
            raise refusal(self.challenge)
        return VERIFIED

    def sign(self, call: WebhookCall) -> Mapping[str, str]:
        pair = base64.b64encode(self._username + b":" + self._password)
        return {"authorization": "Basic " + pair.decode("ascii")}

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


class Closed:
    """Refuses everything: the webhook asks for a credential that the daemon does not have (any more)."""

    needs_body = False
    headers: frozenset[str] = frozenset()
    challenge = PLAIN_CHALLENGE

    def verify(self, call: WebhookCall) -> VerifiedCall:
        raise refusal(self.challenge, "The credential of this webhook is not available; no call is accepted.")
