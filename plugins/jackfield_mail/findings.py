"""The lines of `jackfield doctor` about mail."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.errors import JackfieldError
from jackfield_mail.mailer import SmtpMailer


async def findings(context: PluginContext) -> Sequence[Finding]:
    """Connects and logs in; sends nothing."""
    mailer = context.port(SmtpMailer)
    if not mailer.ready:
        return []
    settings = mailer.settings
    try:
        await mailer.look()
    except JackfieldError as exc:
        return [Finding("mail", False, exc.message)]
    login = f"takes the login {settings.username}" if settings.username else "answers, without a login"
    found = [Finding("mail", True, f"{settings.host}, port {settings.used_port}, {login}")]
    if not context.service.addressed:
        url = context.service.public_url
        found.append(Finding("mail", False, f"links in mails lead to {url}: set server.public_url"))
    return found
