"""A mail, from its parts to a message. Source: RFC 5322, RFC 2045."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from typing import TypeAlias

from ..records import record

Attachment: TypeAlias = "tuple[bytes, str, str]"
"""Content, type such as `image/png`, name."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+")
MOST_RECIPIENTS = 1000


class MailMistake(ValueError):
    """A mail that cannot be written; the text is a sentence that names the part."""


@record
class OutgoingMail:
    """A mail. `to`, `cc`, `bcc`, `reply_to`: comma-separated lists. `files`: names of binary fields of a node."""

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
class PartNames:
    """The subjects of sentences about a mistake in a mail's part."""

    sender: str = "The sender"
    to: str = "The recipient"
    cc: str = "The copy"
    bcc: str = "The hidden copy"
    reply_to: str = "The address for answers"


@record
class Envelope:
    """The sender and the receivers, whatever the mail's headers show."""

    sender: str
    recipients: Sequence[str]


def addresses(text: str, name: str) -> tuple[Address, ...]:
    """The addresses of a comma-separated list. name: the subject of a sentence about a mistake. Raises `MailMistake`
    for control characters, which would begin new headers, and for whatever is no address."""
    if _CONTROL.search(text):
        raise MailMistake(f"{name} has control characters, such as line ends; remove them.")
    if not text.strip(" ,"):
        return ()
    header = SMTP.header_factory("to", text.strip(" ,"))
    found: tuple[Address, ...] = header.addresses
    if header.defects or not all(address.username and address.domain for address in found):
        raise MailMistake(f"{name} is not a list of addresses such as ada@example.com, Bob <bob@example.com>.")
    return tuple(
        Address(address.display_name, address.username, _plain_domain(address.domain, name)) for address in found
    )


def _plain_domain(domain: str, name: str) -> str:
    try:
        return domain.encode("idna").decode("ascii")
    except UnicodeError:
        raise MailMistake(f"{name} has an address whose domain is not valid.") from None


def envelope(mail: OutgoingMail, names: PartNames) -> Envelope:
    """Raises `MailMistake`."""
    sender = addresses(mail.sender, names.sender)
    if len(sender) != 1:
        raise MailMistake(f"{names.sender} must be one address.")
    lists = ((mail.to, names.to), (mail.cc, names.cc), (mail.bcc, names.bcc))
    recipients = [address.addr_spec for text, name in lists for address in addresses(text, name)]
    if not recipients:
        raise MailMistake(f"The mail has no recipient. {names.to} is empty.")
    if len(recipients) > MOST_RECIPIENTS:
        raise MailMistake(f"The mail has more than {MOST_RECIPIENTS} recipients.")
    return Envelope(sender[0].addr_spec, list(dict.fromkeys(recipients)))


def message(mail: OutgoingMail, attachments: Sequence[Attachment], names: PartNames) -> EmailMessage:
    """The mail with its headers; hidden recipients are in none. Raises `MailMistake`."""
    sender = addresses(mail.sender, names.sender)
    made = EmailMessage(policy=SMTP)
    made["From"] = sender
    for header, text, name in (
        ("To", mail.to, names.to),
        ("Cc", mail.cc, names.cc),
        ("Reply-To", mail.reply_to, names.reply_to),
    ):
        if found := addresses(text, name):
            made[header] = found
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
