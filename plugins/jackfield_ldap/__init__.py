"""Logins with the names and passwords of an LDAP directory."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class LdapPlugin(Plugin):
    """Logins with the names and passwords of an LDAP directory."""

    name = "ldap"
    first_process_only = True
    settings = (SettingsTable("security.ldap", "jackfield_ldap.settings:LdapSettings"),)

    jackfield_password_logins = later("jackfield_ldap.login:logins")
    jackfield_findings = later("jackfield_ldap.findings:findings")
