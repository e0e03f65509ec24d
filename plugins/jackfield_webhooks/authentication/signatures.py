"""Signatures over the body as it was sent: free form, and the schemes of well-known senders.

Sources: GitHub 'Validating webhook deliveries', Stripe 'Verify webhook signatures manually', Slack 'Verifying
requests', Shopify 'Verify webhooks', standardwebhooks.com.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.ids import new_id
from jackfield.api.webhooks import VerifiedCall, WebhookCall
from jackfield_webhooks.authentication.verifiers import PLAIN_CHALLENGE, refusal

ALGORITHMS = ("sha256", "sha384", "sha512")
ENCODINGS = ("hex", "base64")
TOLERANCE = 300
"""Seconds that a signed time may lie before or after ours."""
_MAX_EVENT_BODY = 65_536
"""Bytes of the largest body in which the event's name is looked for."""


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

    def verify(self, call: WebhookCall) -> VerifiedCall:
        given, prefix = self.scheme.read(call.headers, call.now)
        ours = self._digest(prefix, call.body).encode()
        matches = [hmac.compare_digest(one.encode("latin-1", "replace"), ours) for one in given]
        if not any(matches):
            raise refusal(self.challenge, "The signature of this call is missing or wrong.")
        return VerifiedCall(self.scheme.delivery(call.headers), self.scheme.event(call))

    def sign(self, call: WebhookCall) -> Mapping[str, str]:
        return self.scheme.write(str(int(call.now)), lambda prefix: self._digest(prefix, call.body))

    def _digest(self, prefix: bytes, body: bytes) -> str:
        digest = hmac.new(self.key, prefix, getattr(hashlib, self.algorithm))
        digest.update(body)
        return digest.hexdigest() if self.encoding == "hex" else base64.b64encode(digest.digest()).decode()


@dataclass(frozen=True)
class Scheme:
    """A bare signature, or one behind `algorithm=`."""

    header: str
    prefix: str = ""
    """The text before the signature."""
    optional: bool = True
    """Whether the prefix may be missing."""
    event_header: str = ""
    """The header with the event's name."""

    def read(self, headers: Mapping[str, str], now: float) -> tuple[list[str], bytes]:
        """The given signatures, and what comes before the body in what is signed. Raises `WebhookUnauthorized`."""
        value = headers.get(self.header, "").strip()
        if value.startswith(self.prefix):
            value = value[len(self.prefix) :]
        elif not self.optional:
            value = ""
        return ([value] if value else []), b""

    def write(self, moment: str, digest: Callable[[bytes], str]) -> Mapping[str, str]:
        """The headers of a signed call. moment: Unix seconds; digest: of what comes before the body, and the body."""
        return {self.header: self.prefix + digest(b"")}

    def delivery(self, headers: Mapping[str, str]) -> str | None:
        """The id that the signature covers."""
        return None

    def event(self, call: WebhookCall) -> str:
        """The event's name; empty when the sender names none."""
        return call.headers.get(self.event_header, "") if self.event_header else ""


class TypedScheme(Scheme):
    """A sender whose JSON body has the event's name as `type`."""

    def event(self, call: WebhookCall) -> str:
        if len(call.body) > _MAX_EVENT_BODY:
            return ""
        try:
            found = jsontext.loads(call.body)
        except InvalidInput:
            return ""
        name = found.get("type") if isinstance(found, dict) else None
        return name if isinstance(name, str) else ""


class StripeScheme(TypedScheme):
    """`t=<time>,v1=<hex>[,v1=<hex>]` over `<time>.<body>`."""

    def read(self, headers: Mapping[str, str], now: float) -> tuple[list[str], bytes]:
        parts = [part.strip().partition("=") for part in headers.get(self.header, "").split(",")[:50]]
        moment = _only(value for name, _, value in parts if name == "t")
        _check_time(moment, now)
        return [value for name, _, value in parts if name == "v1" and value], f"{moment}.".encode()

    def write(self, moment: str, digest: Callable[[bytes], str]) -> Mapping[str, str]:
        return {self.header: f"t={moment},v1={digest(f'{moment}.'.encode())}"}


class SlackScheme(TypedScheme):
    """`v0=<hex>` over `v0:<time>:<body>`, the time in its own header."""

    def read(self, headers: Mapping[str, str], now: float) -> tuple[list[str], bytes]:
        given, _ = super().read(headers, now)
        moment = headers.get("x-slack-request-timestamp", "")
        _check_time(moment, now)
        return given, f"v0:{moment}:".encode()

    def write(self, moment: str, digest: Callable[[bytes], str]) -> Mapping[str, str]:
        signature = self.prefix + digest(f"v0:{moment}:".encode())
        return {"x-slack-request-timestamp": moment, self.header: signature}


class StandardScheme(TypedScheme):
    """`v1,<base64>[ v1,<base64>]` over `<id>.<time>.<body>`."""

    def read(self, headers: Mapping[str, str], now: float) -> tuple[list[str], bytes]:
        ident, moment = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
        if not ident:
            raise refusal(PLAIN_CHALLENGE, "The call has no webhook-id.")
        _check_time(moment, now)
        parts = [part.partition(",") for part in headers.get(self.header, "").split(" ")[:50]]
        given = [value for version, _, value in parts if version == "v1" and value]
        return given, f"{ident}.{moment}.".encode("latin-1", "replace")

    def write(self, moment: str, digest: Callable[[bytes], str]) -> Mapping[str, str]:
        ident = f"msg_{new_id()}"
        signature = f"v1,{digest(f'{ident}.{moment}.'.encode())}"
        return {"webhook-id": ident, "webhook-timestamp": moment, self.header: signature}

    def delivery(self, headers: Mapping[str, str]) -> str | None:
        return f"webhook-id:{headers['webhook-id']}"


def free_form(secret: str, header: str, algorithm: str, encoding: str) -> SignatureVerifier:
    return SignatureVerifier(Scheme(header.lower(), f"{algorithm}="), secret.encode(), algorithm, encoding)


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
