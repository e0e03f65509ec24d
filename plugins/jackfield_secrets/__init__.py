"""External secrets: values of credentials that stay in a vault, a cloud's secret manager, files or variables."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class SecretsPlugin(Plugin):
    """External secrets: values of credentials that stay in a vault, a cloud's secret manager, files or variables."""

    name = "secrets"
    settings = (SettingsTable("secrets", "jackfield_secrets.settings:SecretsSettings"),)
    commands = ("jackfield_secrets.commands:secrets",)
    provides = {"jackfield.api.secret_sources:ExternalSecrets": "jackfield_secrets.service:external_secrets"}
    parts = ("jackfield_secrets.service:SecretSources",)

    jackfield_secret_sources = later("jackfield_secrets.sources.kinds:kinds")
    jackfield_findings = later("jackfield_secrets.diagnosis:findings")
    jackfield_blueprints = later("jackfield_secrets.http.routes:blueprints")
