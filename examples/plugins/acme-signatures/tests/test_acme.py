"""The preset by itself."""

from __future__ import annotations

import pytest

from jackfield.api.errors import WebhookUnauthorized
from jackfield.api.webhooks import PresetMistake, WebhookCall, WebhookPreset, preset_mistakes
from jackfield_acme_signatures.presets import TOLERANCE, AcmePreset

NOW = 1_700_000_000.0


def called(headers: dict[str, str], body: bytes = b"{}", now: float = NOW) -> WebhookCall:
    return WebhookCall("POST", "http://127.0.0.1/webhook/orders", headers, body, now)


def test_what_it_signs_it_verifies() -> None:
    preset: WebhookPreset = AcmePreset()
    verifier = preset.verifier({"secret": "s", "account": "A-1"})
    signed = dict(verifier.sign(called({})))
    proof = verifier.verify(called(signed))
    assert (proof.delivery, proof.event) == (signed["acme-id"], "test")
    for wrong in (
        called({}),
        called(signed, b"{ }"),
        called(signed, now=NOW + TOLERANCE + 1),
        called({**signed, "acme-event": "other"}),
    ):
        with pytest.raises(WebhookUnauthorized):
            verifier.verify(wrong)


def test_its_shape_fits() -> None:
    assert list(preset_mistakes(AcmePreset())) == []


def test_an_account_that_cannot_be_is_refused() -> None:
    with pytest.raises(PresetMistake, match="begins with A-"):
        AcmePreset().verifier({"secret": "s", "account": "1"})
