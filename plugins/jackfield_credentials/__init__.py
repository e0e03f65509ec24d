"""Credentials: kinds, sealed values, OAuth 2 tokens, and how they get onto requests."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class CredentialsPlugin(Plugin):
    """Credentials: kinds, sealed values, OAuth 2 tokens, and how they get onto requests."""

    name = "credentials"
    settings = (SettingsTable("credentials", "jackfield_credentials.settings:CredentialSettings"),)
    commands = ("jackfield_credentials.commands:credential",)
    provides = {
        "jackfield.api.credentials:Credentials": "jackfield_credentials.service:credentials",
        "jackfield.api.credentials:CredentialWriter": "jackfield_credentials.writing:SealingWriter",
    }
    parts = ("jackfield_credentials.service:CredentialService",)

    jackfield_credential_kinds = later("jackfield_credentials.kinds:KINDS")
    jackfield_sealed_values = later("jackfield_credentials.resealing:sealed_values")
    jackfield_blueprints = later("jackfield_credentials.http.routes:blueprints")
    jackfield_asgi = later("jackfield_credentials.mounts:mounts")
