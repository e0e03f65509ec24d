"""One mail, from the node's parameters to bytes. Source: RFC 5322, RFC 2045."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from typing import TypeAlias

from jackfield.api.nodes import NodeError
from jackfield.api.records import record

Attachment: TypeAlias = "tuple[bytes, str, str]"
"""Content, type such as `image/png`, name."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+")
MOST_RECIPIENTS = 1000


@record
class OutgoingMail:
    """The mail that one item asks for. `to`, `cc`, `bcc`, `reply_to`: comma-separated lists. `files`: names of binary
    fields."""

    sender: str
    to: str
    cc: str
    bcc: str
    reply_to: str
    subject: str
    text: str
    html: str
    files: Sequence[str] = ()


@record
class Envelope:
    """The sender and the receivers, whatever the mail's headers show."""

    sender: str
    recipients: Sequence[str]


def addresses(text: str, field: str) -> tuple[Address, ...]:
    """The addresses of a comma-separated list. Raises `NodeError` naming the field: control characters, which would
    begin new headers, and whatever is no address."""
    if _CONTROL.search(text):
        raise NodeError(f"The parameter {field} has control characters, such as line ends; remove them.")
    if not text.strip(" ,"):
        return ()
    header = SMTP.header_factory("to", text.strip(" ,"))
    found: tuple[Address, ...] = header.addresses
    if header.defects or not all(address.username and address.domain for address in found):
        raise NodeError(
            f"The parameter {field} is not a list of addresses such as ada@example.com, Bob <bob@example.com>."
        )
    return tuple(
        Address(address.display_name, address.username, _plain_domain(address.domain, field)) for address in found
    )


def _plain_domain(domain: str, field: str) -> str:
    try:
        return domain.encode("idna").decode("ascii")
    except UnicodeError:
        raise NodeError(f"The parameter {field} has an address whose domain is not valid.") from None


def envelope(mail: OutgoingMail) -> Envelope:
    """Raises `NodeError`."""
    sender = addresses(mail.sender, "fromEmail")
    if len(sender) != 1:
        raise NodeError("The parameter fromEmail must be one address.")
    lists = ((mail.to, "toEmail"), (mail.cc, "ccEmail"), (mail.bcc, "bccEmail"))
    recipients = [address.addr_spec for text, field in lists for address in addresses(text, field)]
    if not recipients:
        raise NodeError("The mail has no recipient; fill in the parameter toEmail.")
    if len(recipients) > MOST_RECIPIENTS:
        raise NodeError(f"The mail has more than {MOST_RECIPIENTS} recipients.")
    return Envelope(sender[0].addr_spec, list(dict.fromkeys(recipients)))


def message(mail: OutgoingMail, attachments: Sequence[Attachment]) -> EmailMessage:
    """The mail with its headers; hidden recipients are in none. Raises `NodeError`."""
    sender = addresses(mail.sender, "fromEmail")
    made = EmailMessage(policy=SMTP)
    made["From"] = sender
    for name, text, field in (
        ("To", mail.to, "toEmail"),
        ("Cc", mail.cc, "ccEmail"),
        ("Reply-To", mail.reply_to, "replyTo"),
    ):
        if found := addresses(text, field):
            made[name] = found
    made["Subject"] = " ".join(_CONTROL.sub(" ", mail.subject).split())
    made["Date"] = formatdate()
    made["Message-ID"] = make_msgid(domain=sender[0].domain)
    _fill(made, mail)
    for content, kind, name in attachments:
        main, _, sub = (kind if _TYPE.fullmatch(kind) else "application/octet-stream").partition("/")
        if main in {"text", "message", "multipart"}:  # these would be read as text or as parts; a file is just bytes
            main, sub = "application", "octet-stream"
        made.add_attachment(content, maintype=main, subtype=sub, filename=_CONTROL.sub("_", name))
    return made


def _fill(made: EmailMessage, mail: OutgoingMail) -> None:
    if mail.text or not mail.html:
        made.set_content(_encodable(mail.text))
    if mail.text and mail.html:
        made.add_alternative(_encodable(mail.html), subtype="html")
    elif mail.html:
        made.set_content(_encodable(mail.html), subtype="html")


def _encodable(text: str) -> str:
    """Half surrogates, which JavaScript's strings may hold, cannot be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
