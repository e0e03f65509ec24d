"""Logins at providers of OpenID Connect."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class OidcPlugin(Plugin):
    """Logins at providers of OpenID Connect."""

    name = "oidc"
    first_process_only = True
    settings = (SettingsTable("security.oidc", "jackfield_oidc.settings:OidcSettings"),)

    jackfield_redirect_logins = later("jackfield_oidc.login:logins")
    jackfield_findings = later("jackfield_oidc.findings:findings")
