"""Mail that the daemon itself sends over SMTP: the port `Mailer`, a test mail, and lines of `jackfield doctor`."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class MailPlugin(Plugin):
    """Mail that the daemon itself sends over SMTP: the port `Mailer`, a test mail, and lines of `jackfield doctor`."""

    name = "mail"
    settings = (SettingsTable("mail", "jackfield_mail.settings:MailSettings"),)
    commands = ("jackfield_mail.commands:mail",)
    provides = {"jackfield.api.mail:Mailer": "jackfield_mail.mailer:mailer"}
    parts = ("jackfield_mail.mailer:SmtpMailer",)

    jackfield_blueprints = later("jackfield_mail.routes:blueprints")
    jackfield_findings = later("jackfield_mail.findings:findings")
