"""How Acme signs: `Acme-Signature: t=<time>,s=<hex>`, over account, time, id and event, each with a line feed, and the
body."""

from __future__ import annotations

import hmac
import uuid
from collections.abc import Collection, Mapping, Sequence

from jackfield.api.errors import WebhookUnauthorized
from jackfield.api.webhooks import PresetField, PresetMistake, VerifiedCall, WebhookCall

TOLERANCE = 300
"""Seconds that the signed time may be away."""


class AcmeVerifier:
    """Verifies the calls for one account."""

    headers: Collection[str] = ("acme-signature",)

    def __init__(self, secret: str, account: str) -> None:
        self._secret = secret.encode()
        self._account = account

    def verify(self, call: WebhookCall) -> VerifiedCall:
        parts = dict(part.partition("=")[::2] for part in call.headers.get("acme-signature", "").split(","))
        moment = parts.get("t", "")
        if not moment.isdecimal() or abs(call.now - int(moment)) > TOLERANCE:
            raise WebhookUnauthorized(f"The signed time is missing or more than {TOLERANCE} seconds away.")
        ident, event = call.headers.get("acme-id", ""), call.headers.get("acme-event", "")
        wanted = self._signature(moment, ident, event, call.body)
        if not hmac.compare_digest(parts.get("s", "").encode("latin-1", "replace"), wanted.encode()):
            raise WebhookUnauthorized("The signature is missing or wrong.")
        return VerifiedCall(delivery=ident or None, event=event)

    def sign(self, call: WebhookCall) -> Mapping[str, str]:
        moment, ident, event = str(int(call.now)), uuid.uuid4().hex, "test"
        signature = self._signature(moment, ident, event, call.body)
        return {"acme-signature": f"t={moment},s={signature}", "acme-id": ident, "acme-event": event}

    def _signature(self, moment: str, ident: str, event: str, body: bytes) -> str:
        head = "".join(f"{part}\n" for part in (self._account, moment, ident, event))
        return hmac.new(self._secret, head.encode() + body, "sha256").hexdigest()


class AcmePreset:
    """The preset `acme`."""

    name = "acme"
    label = "Acme"
    description = "Acme signs account, time, id, event and body; the secret is on the account's page."
    key_label = "Signing secret"
    fields: Sequence[PresetField] = (PresetField("account", "Account", "Its number, such as A-1.", required=True),)

    def verifier(self, values: Mapping[str, str]) -> AcmeVerifier:
        account = values["account"]
        if not account.startswith("A-"):
            raise PresetMistake("account", "An account of Acme begins with A-.")
        return AcmeVerifier(values["secret"], account)


PRESETS = (AcmePreset(),)
