"""The parameters of Send Email: version 1, and versions 2 and 2.1, which differ in their default format."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from jackfield.api.form_rows import FormRows
from jackfield.api.nodes import Parameters, needed
from jackfield.api.nodes.needs import Case as Needed
from jackfield.api.nodes.ui import Case, Ui, UiFields
from jackfield.api.questions import Question, mail_html
from jackfield_integrations.form import FIRST_MAIL, MAIL, MAIL_OPTIONS
from jackfield_integrations.mail.asking import AnswerOptions, Approval, ApprovalOptions
from jackfield_integrations.mail.composing import OutgoingMail
from jackfield_integrations.parameters import Text, names


class MailOptions(Parameters):
    ui_fields: ClassVar[UiFields] = MAIL_OPTIONS

    allow_unauthorized_certs: bool = Field(False, description="Accept any certificate of the mail server; insecure.")
    attachments: Text = Field("", description="Binary fields to attach, comma separated.")
    bcc_email: Text = Field("", description="Further recipients that nobody sees, comma separated.")
    cc_email: Text = Field("", description="Further recipients, comma separated.")
    reply_to: Text = Field("", description="Where answers go.")


class EveryOption(MailOptions, AnswerOptions):
    """Those of mails and of questions."""

    ui_fields: ClassVar[UiFields] = MAIL_OPTIONS


_ASKS: Needed = {"operation": ["sendAndWait"]}
_FORM: Case = {"operation": "sendAndWait", "responseType": "customForm"}
_QUESTION: UiFields = {
    "message": Ui("textarea", when={"operation": "sendAndWait"}, help="The question, as the people read it."),
    "responseType": Ui(
        label="Answer",
        when={"operation": "sendAndWait"},
        choices={"approval": "Approval", "freeText": "A text", "customForm": "A form"},
        help="How people answer: with a button, with a text, or with a form of yours.",
    ),
    "defineForm": Ui(
        label="Define the form by",
        when=_FORM,
        choices={"fields": "Fields below", "json": "JSON"},
        help="How you give the form's fields.",
    ),
    "formFields": Ui(
        label="Fields",
        when={**_FORM, "defineForm": "fields"},
        options={"add": "Add field"},
        help="The inputs of the page, from top to bottom.",
    ),
    "jsonOutput": Ui("json", label="Fields as JSON", when={**_FORM, "defineForm": "json"}, help="A list of fields."),
    "approvalOptions": Ui(
        label="Buttons",
        when={"operation": "sendAndWait", "responseType": "approval"},
        help="The buttons under the message.",
    ),
    "options": (
        Ui("collection", when={"operation": "send"}, fields=MailOptions, help=""),
        Ui(
            "collection",
            when={"operation": "sendAndWait", "responseType": "approval"},
            fields=ApprovalOptions,
            help="",
        ),
        Ui(
            "collection",
            when={"operation": "sendAndWait", "responseType": ["freeText", "customForm"]},
            fields=AnswerOptions,
            help="",
        ),
    ),
}


class SendEmail(Parameters):
    """Versions 2 and 2.1. The line that n8n may append (`appendAttribution`) is never appended."""

    ui_fields: ClassVar[UiFields] = {**MAIL, **_QUESTION}

    operation: str = Field("send", description="`send`, or `sendAndWait`, which asks a question.")
    from_email: Text = Field("", description="The sender, such as `Ada <ada@example.com>`.", json_schema_extra=needed())
    to_email: Text = Field("", description="Recipients, comma separated.", json_schema_extra=needed())
    subject: Text = Field("", description="The subject of the mail.", json_schema_extra=needed(_ASKS))
    message: Text = Field("", description="The question.", json_schema_extra=needed(_ASKS))
    response_type: Literal["approval", "freeText", "customForm"] = "approval"
    define_form: Literal["fields", "json"] = "fields"
    form_fields: FormRows = Field(default_factory=FormRows)
    json_output: JsonValue = None
    approval_options: Approval = Field(default_factory=Approval)
    email_format: Literal["text", "html", "both"] = Field("html", description="Which of text and html is sent.")
    text: Text = ""
    html: Text = ""
    options: EveryOption = Field(default_factory=EveryOption)

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

    def asking(self, question: Question) -> OutgoingMail:
        """The mail of a question."""
        return OutgoingMail(
            self.from_email, self.to_email, "", "", "", subject=question.title, text="", html=mail_html(question)
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
