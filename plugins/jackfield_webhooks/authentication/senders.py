"""The presets that come with Jackfield."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from jackfield.api.records import record
from jackfield.api.webhooks import PresetField, PresetMistake, WebhookPreset
from jackfield_webhooks.authentication.signatures import (
    Scheme,
    SignatureVerifier,
    SlackScheme,
    StandardScheme,
    StripeScheme,
    standard_key,
)


@record
class SignaturePreset:
    """A sender that signs with an HMAC. key: from the secret as text; raises ValueError with what a secret is like."""

    name: str
    label: str
    description: str
    key_label: str
    scheme: Scheme
    encoding: str = "hex"
    key: Callable[[str], bytes] = str.encode
    fields: Sequence[PresetField] = ()

    def verifier(self, values: Mapping[str, str]) -> SignatureVerifier:
        try:
            key = self.key(values["secret"])
        except ValueError:
            raise PresetMistake("secret", "A Standard Webhooks secret is whsec_ followed by base64.") from None
        return SignatureVerifier(self.scheme, key, encoding=self.encoding)


PRESETS: Final[Sequence[WebhookPreset]] = (
    SignaturePreset(
        "github",
        "GitHub",
        "GitHub signs the body; the secret is in the webhook's settings.",
        "Secret",
        Scheme("x-hub-signature-256", "sha256=", optional=False, event_header="x-github-event"),
    ),
    SignaturePreset(
        "stripe",
        "Stripe",
        "Stripe signs time and body; the signing secret is on the endpoint's page.",
        "Signing secret",
        StripeScheme("stripe-signature"),
    ),
    SignaturePreset(
        "slack",
        "Slack",
        "Slack signs time and body; the signing secret is on the app's page.",
        "Signing secret",
        SlackScheme("x-slack-signature", "v0=", optional=False),
    ),
    SignaturePreset(
        "shopify",
        "Shopify",
        "Shopify signs the body; the secret is beside the list of webhooks, or the app's client secret.",
        "Secret",
        Scheme("x-shopify-hmac-sha256", event_header="x-shopify-topic"),
        encoding="base64",
    ),
    SignaturePreset(
        "standardWebhooks",
        "Standard Webhooks",
        "The sender signs id, time and body as standardwebhooks.com says; the secret begins with whsec_.",
        "Secret",
        StandardScheme("webhook-signature"),
        encoding="base64",
        key=standard_key,
    ),
)
