"""The mail of one item; a mistake in it names the node's parameter."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage

from jackfield.api.mail import composing
from jackfield.api.mail.composing import Attachment, Envelope, MailMistake, OutgoingMail, PartNames
from jackfield.api.nodes import NodeError

__all__ = ["Attachment", "Envelope", "OutgoingMail", "envelope", "message"]

_NAMES = PartNames(
    "The parameter fromEmail",
    "The parameter toEmail",
    "The parameter ccEmail",
    "The parameter bccEmail",
    "The parameter replyTo",
)


def envelope(mail: OutgoingMail) -> Envelope:
    """Raises `NodeError`."""
    try:
        return composing.envelope(mail, _NAMES)
    except MailMistake as exc:
        raise NodeError(str(exc)) from None


def message(mail: OutgoingMail, attachments: Sequence[Attachment]) -> EmailMessage:
    """Raises `NodeError`."""
    try:
        return composing.message(mail, attachments, _NAMES)
    except MailMistake as exc:
        raise NodeError(str(exc)) from None
