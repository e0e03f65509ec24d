"""The lines of `jackfield doctor` about directories."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.errors import JackfieldError
from jackfield.api.login_groups import missing_projects
from jackfield_ldap.login import LdapLogin
from jackfield_ldap.settings import LdapDirectory, LdapSettings


async def findings(context: PluginContext) -> Sequence[Finding]:
    """Asks every directory."""
    found: list[Finding] = []
    for directory in context.settings(LdapSettings).directories:
        found += await _of(context, directory)
    return found


async def _of(context: PluginContext, directory: LdapDirectory) -> list[Finding]:
    subject = f"login {directory.name}"
    try:
        await LdapLogin(context, directory).look()
    except JackfieldError as exc:
        return [Finding(subject, False, exc.message)]
    found = [Finding(subject, True, f"{directory.urls[0]} answers, and Jackfield can look people up")]
    if directory.tls == "unverified":
        found.append(Finding(subject, False, "its certificate is not verified: set tls = verified and ca_file"))
    if not any(row.role for row in directory.groups):
        found.append(Finding(subject, False, "no row of groups gives a role, so that nobody comes in: add one"))
    return [*found, *await missing_projects(context.store, subject, directory.groups)]
