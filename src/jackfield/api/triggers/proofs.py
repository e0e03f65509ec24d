"""Proofs that an event comes from the service: signatures over the body, and secrets that are sent along."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from datetime import datetime
from typing import Literal

from ..context import PluginContext
from ..errors import WebhookUnauthorized
from ..records import record
from ..webhooks import WEBHOOK_PRESETS, VerifiedCall, WebhookCall

TOLERANCE_S = 300
"""Seconds that a signed time may lie before or after ours."""


@record
class EventSignature:
    """A signature in a header.

    `header`: lower case. `prefix`: what stands before it. `keying`: an HMAC, or, as HubSpot's first version does, the
    plain digest of the key with the text behind it. `over`: the signed text, with `{body}`, `{url}`, `{method}` and,
    where `time_header` names the header that has it, `{time}`. The time is in Unix seconds or milliseconds, or as ISO
    8601 writes it. `part`, `time_part`: of a header of several parts, such as `t=1700000000,v1=5257...`, the names of
    the signature's and of the time's.
    """

    header: str
    algorithm: Literal["sha1", "sha256", "sha384", "sha512"] = "sha256"
    encoding: Literal["hex", "base64"] = "hex"
    prefix: str = ""
    over: str = "{body}"
    time_header: str = ""
    part: str = ""
    time_part: str = ""
    keying: Literal["hmac", "prepended"] = "hmac"

    def verify(self, call: WebhookCall, secret: str) -> None:
        """Raises `WebhookUnauthorized`, also when there is no secret: anybody can sign with an empty one."""
        if not secret:
            raise WebhookUnauthorized("The proof of this call cannot be checked: its secret is not known.")
        if self.time_header or self.time_part:
            _check_time(self._time(call), call.now)
        given = call.headers.get(self.header, "")
        same_secret(_part(given, self.part) if self.part else given, self.prefix + self.made(call, secret))

    def made(self, call: WebhookCall, secret: str) -> str:
        """The signature of this call."""
        key, text = secret.encode(), self._signed(call)
        hmac_made = self.keying == "hmac"
        signed = hmac.new(key, text, self.algorithm) if hmac_made else hashlib.new(self.algorithm, key + text)
        return signed.hexdigest() if self.encoding == "hex" else base64.b64encode(signed.digest()).decode()

    def _time(self, call: WebhookCall) -> str:
        if self.time_part:
            return _part(call.headers.get(self.header, ""), self.time_part)
        return call.headers.get(self.time_header, "") if self.time_header else ""

    def _filled(self, text: str, call: WebhookCall) -> str:
        values = {"{url}": call.url, "{method}": call.method, "{time}": self._time(call)}
        return re.sub(r"\{(?:url|method|time)\}", lambda found: values[found[0]], text)

    def _signed(self, call: WebhookCall) -> bytes:
        before, body, behind = self.over.partition("{body}")
        before, behind = (self._filled(text, call) for text in (before, behind))
        return before.encode() + (call.body if body else b"") + behind.encode()


def same_secret(given: str, wanted: str) -> None:
    """Compare in constant time. Raises `WebhookUnauthorized`, also when there is no secret."""
    if not wanted or not hmac.compare_digest(_digest(given), _digest(wanted)):
        raise WebhookUnauthorized("The proof of this call is missing or wrong.")


def verified_by_preset(context: PluginContext, name: str, secret: str, call: WebhookCall) -> VerifiedCall:
    """As the webhook preset of this name verifies (`jackfield_webhook_presets`). Raises `WebhookUnauthorized`."""
    preset = context.extensions(WEBHOOK_PRESETS).get(name.lower())
    if preset is None or not secret:
        raise WebhookUnauthorized("The proof of this call cannot be checked.")
    return preset.verifier({"secret": secret}).verify(call)


def _part(header: str, name: str) -> str:
    parts = (one.strip().partition("=") for one in header.split(","))
    return next((value for key, _, value in parts if key == name), "")


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def _check_time(moment: str, now: float) -> None:
    signed = _seconds(moment)
    if signed is None or abs(now - signed) > TOLERANCE_S:
        raise WebhookUnauthorized(f"The signed time of this call is missing or more than {TOLERANCE_S} seconds away.")


def _seconds(moment: str) -> float | None:
    """Of Unix seconds or milliseconds, or of a time as ISO 8601 writes it."""
    if moment.isascii() and moment.isdigit() and len(moment) <= 13:
        return float(moment) / (1000 if len(moment) == 13 else 1)
    try:
        found = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return None if found.tzinfo is None else found.timestamp()
