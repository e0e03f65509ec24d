"""Logs users in at a provider of OpenID Connect."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class OidcLoginPlugin(Plugin):
    """One redirect login, `oidc`."""

    name = "oidc_login"
    requires = "1"
    settings = (SettingsTable("oidc_login", "jackfield_oidc_login.settings:OidcLoginSettings"),)

    jackfield_redirect_logins = later("jackfield_oidc_login.login:logins")
