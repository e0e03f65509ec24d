"""Signatures over the body as it was sent: free form, and the schemes of well-known senders.

Sources: GitHub 'Validating webhook deliveries', Stripe 'Verify webhook signatures manually', Slack 'Verifying
requests', Shopify 'Verify webhooks', standardwebhooks.com.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from jackfield_webhooks.verifiers import PLAIN_CHALLENGE, refusal

ALGORITHMS = ("sha256", "sha384", "sha512")
ENCODINGS = ("hex", "base64")
PRESETS = ("github", "stripe", "slack", "shopify", "standardWebhooks")
TOLERANCE = 300
"""Seconds that a signed time may lie before or after ours."""


def preset_name(text: str) -> str | None:
    """The preset that this spelling means."""
    plain = text.replace("-", "").replace("_", "").lower()
    return next((name for name in PRESETS if name.lower() == plain), None)


@dataclass(frozen=True)
class SignatureVerifier:
    """`scheme` reads the signatures and what they are made over; one of them must be ours."""

    scheme: Scheme
    key: bytes
    algorithm: str = "sha256"
    encoding: str = "hex"

    needs_body = True
    challenge = PLAIN_CHALLENGE

    @property
    def headers(self) -> frozenset[str]:
        return frozenset({self.scheme.header})

    @property
    def signed_id(self) -> str | None:
        """The header with the delivery's id, if it is signed."""
        return self.scheme.signed_id

    def verify(self, headers: Mapping[str, str], body: bytes, now: float) -> None:
        given, prefix = self.scheme.read(headers, now)
        digest = hmac.new(self.key, prefix, getattr(hashlib, self.algorithm))
        digest.update(body)
        ours = digest.hexdigest().encode() if self.encoding == "hex" else base64.b64encode(digest.digest())
        matches = [hmac.compare_digest(one.encode("latin-1", "replace"), ours) for one in given]
        if not any(matches):
            raise refusal(self.challenge, "The signature of this call is missing or wrong.")


@dataclass(frozen=True)
class Scheme:
    """A bare signature, or one behind `algorithm=`."""

    signed_id: ClassVar[str | None] = None
    header: str
    prefix: str = ""
    """What stands before the signature."""
    optional: bool = True
    """Whether the prefix may be missing."""

    def read(self, headers: Mapping[str, str], now: float) -> tuple[list[str], bytes]:
        """The given signatures, and what comes before the body in what is signed. Raises `WebhookUnauthorized`."""
        value = headers.get(self.header, "").strip()
        if value.startswith(self.prefix):
            value = value[len(self.prefix) :]
        elif not self.optional:
            value = ""
        return ([value] if value else []), b""


class StripeScheme(Scheme):
    """`t=<time>,v1=<hex>[,v1=<hex>]` over `<time>.<body>`."""

    def read(self, headers: Mapping[str, str], now: float) -> tuple[list[str], bytes]:
        parts = [part.strip().partition("=") for part in headers.get(self.header, "").split(",")[:50]]
        moment = _only(value for name, _, value in parts if name == "t")
        _check_time(moment, now)
        return [value for name, _, value in parts if name == "v1" and value], f"{moment}.".encode()


class SlackScheme(Scheme):
    """`v0=<hex>` over `v0:<time>:<body>`, the time in a header of its own."""

    def read(self, headers: Mapping[str, str], now: float) -> tuple[list[str], bytes]:
        given, _ = super().read(headers, now)
        moment = headers.get("x-slack-request-timestamp", "")
        _check_time(moment, now)
        return given, f"v0:{moment}:".encode()


class StandardScheme(Scheme):
    """`v1,<base64>[ v1,<base64>]` over `<id>.<time>.<body>`."""

    signed_id = "webhook-id"

    def read(self, headers: Mapping[str, str], now: float) -> tuple[list[str], bytes]:
        ident, moment = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
        if not ident:
            raise refusal(PLAIN_CHALLENGE, "The call has no webhook-id.")
        _check_time(moment, now)
        parts = [part.partition(",") for part in headers.get(self.header, "").split(" ")[:50]]
        given = [value for version, _, value in parts if version == "v1" and value]
        return given, f"{ident}.{moment}.".encode("latin-1", "replace")


def free_form(secret: str, header: str, algorithm: str, encoding: str) -> SignatureVerifier:
    return SignatureVerifier(Scheme(header.lower(), f"{algorithm}="), secret.encode(), algorithm, encoding)


def preset(name: str, secret: str) -> SignatureVerifier:
    """A verifier of one of `PRESETS`. Raises ValueError for a secret of the wrong form."""
    key = secret.encode()
    match name:
        case "github":
            return SignatureVerifier(Scheme("x-hub-signature-256", "sha256=", optional=False), key)
        case "stripe":
            return SignatureVerifier(StripeScheme("stripe-signature"), key)
        case "slack":
            return SignatureVerifier(SlackScheme("x-slack-signature", "v0=", optional=False), key)
        case "shopify":
            return SignatureVerifier(Scheme("x-shopify-hmac-sha256"), key, encoding="base64")
        case "standardWebhooks":
            return SignatureVerifier(StandardScheme("webhook-signature"), standard_key(secret), encoding="base64")
    raise ValueError(f"there is no preset {name}")


def standard_key(secret: str) -> bytes:
    """The key of a Standard Webhooks secret: base64, usually after `whsec_`. Raises ValueError."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("a Standard Webhooks secret is whsec_ and base64") from None
    if not key:
        raise ValueError("a Standard Webhooks secret is whsec_ and base64")
    return key


def _only(values: Iterable[str]) -> str:
    found = list(values)
    return found[0] if len(found) == 1 else ""


def _check_time(moment: str, now: float) -> None:
    if not (moment.isascii() and moment.isdigit() and len(moment) <= 12) or abs(now - int(moment)) > TOLERANCE:
        message = f"The signed time of this call is missing or more than {TOLERANCE} seconds away."
        raise refusal(PLAIN_CHALLENGE, message)
