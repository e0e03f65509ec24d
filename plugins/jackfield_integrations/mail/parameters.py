"""The parameters of Send Email: version 1, and versions 2 and 2.1, which differ in their default format."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.nodes import Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield_integrations.form import FIRST_MAIL, MAIL, MAIL_OPTIONS
from jackfield_integrations.mail.composing import OutgoingMail
from jackfield_integrations.parameters import Text, names


class MailOptions(Parameters):
    ui_fields: ClassVar[UiFields] = MAIL_OPTIONS

    allow_unauthorized_certs: bool = Field(False, description="Accept any certificate of the mail server; insecure.")
    attachments: Text = Field("", description="Binary fields to attach, comma separated.")
    bcc_email: Text = Field("", description="Further recipients that nobody sees, comma separated.")
    cc_email: Text = Field("", description="Further recipients, comma separated.")
    reply_to: Text = Field("", description="Where answers go.")


class SendEmail(Parameters):
    """Versions 2 and 2.1. The line that n8n may append (`appendAttribution`) is never appended."""

    ui_fields: ClassVar[UiFields] = MAIL

    operation: str = Field("send", description="`send`; `sendAndWait` is not available.")
    from_email: Text = Field("", description="The sender, such as `Ada <ada@example.com>`.", json_schema_extra=needed())
    to_email: Text = Field("", description="Recipients, comma separated.", json_schema_extra=needed())
    subject: Text = ""
    email_format: Literal["text", "html", "both"] = Field("html", description="Which of text and html is sent.")
    text: Text = ""
    html: Text = ""
    options: MailOptions = Field(default_factory=MailOptions)

    def mail(self) -> OutgoingMail:
        return OutgoingMail(
            sender=self.from_email,
            to=self.to_email,
            cc=self.options.cc_email,
            bcc=self.options.bcc_email,
            reply_to=self.options.reply_to,
            subject=self.subject,
            text=self.text if self.email_format != "html" else "",
            html=self.html if self.email_format != "text" else "",
            files=names(self.options.attachments),
        )


class SendEmail2(SendEmail):
    """Version 2."""

    email_format: Literal["text", "html", "both"] = Field("text", description="Which of text and html is sent.")


class SendEmail1(Parameters):
    """Version 1: whichever of text and html is given."""

    ui_fields: ClassVar[UiFields] = FIRST_MAIL

    operation: str = "send"
    from_email: Text = Field("", description="The sender, such as `Ada <ada@example.com>`.", json_schema_extra=needed())
    to_email: Text = Field("", description="Recipients, comma separated.", json_schema_extra=needed())
    cc_email: Text = ""
    bcc_email: Text = ""
    subject: Text = ""
    text: Text = ""
    html: Text = ""
    attachments: Text = Field("", description="Binary fields to attach, comma separated.")
    options: MailOptions = Field(default_factory=MailOptions)

    def mail(self) -> OutgoingMail:
        return OutgoingMail(
            sender=self.from_email,
            to=self.to_email,
            cc=self.cc_email,
            bcc=self.bcc_email,
            reply_to=self.options.reply_to,
            subject=self.subject,
            text=self.text,
            html=self.html,
            files=names(self.attachments),
        )
