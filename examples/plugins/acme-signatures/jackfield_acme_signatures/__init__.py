"""Webhooks of Acme."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, later


class AcmeSignaturesPlugin(Plugin):
    """Gives the preset `acme`."""

    name = "acme_signatures"

    jackfield_webhook_presets = later("jackfield_acme_signatures.presets:PRESETS")
