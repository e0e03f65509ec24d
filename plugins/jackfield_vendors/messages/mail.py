"""Mail messages (RFC 5322) as base64url texts, the way mail services take and give them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from email import message_from_bytes
from email.message import EmailMessage, Message, MIMEPart
from email.policy import SMTP
from email.utils import formataddr, getaddresses

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_vendors.messages.mail_headers import MAX_HEADER, people, policy, text_of

_HEADERS = {
    "to": "To",
    "cc": "Cc",
    "bcc": "Bcc",
    "from": "From",
    "reply_to": "Reply-To",
    "subject": "Subject",
    "in_reply_to": "In-Reply-To",
    "references": "References",
}


def _line(value: Json) -> str:
    """A header's text, without line breaks: a value cannot add headers."""
    shown = ", ".join(str(part) for part in value) if isinstance(value, list) else str(value)
    return " ".join(shown.split())


def message(given: Mapping[str, Json]) -> Json:
    """to, cc, bcc, from, sender (name before the address of `from`), reply_to, subject, in_reply_to, references; text,
    html; files (`name`, `type`, `content` in base64). The message in base64url. Raises `NodeError`."""
    made = EmailMessage(policy=SMTP)
    try:
        for name, header in _HEADERS.items():
            if line := _line(given.get(name) or ""):
                made[header] = _named(given, line) if name == "from" else line
        _body(made, given.get("text"), given.get("html"))
        files = given.get("files")
        for file in files if isinstance(files, list) else []:
            if isinstance(file, dict):
                _attach(made, file)
        content = made.as_bytes()
    except (ValueError, LookupError) as exc:
        raise NodeError(f"The message cannot be written: {exc}") from None
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _named(given: Mapping[str, Json], address: str) -> str:
    return formataddr((_line(given.get("sender") or ""), address))


def reply(given: Mapping[str, Json]) -> Json:
    """message: of Gmail that is answered, with its headers; me: own address, who gets no copy; only: sender or
    recipients, else both. The answer's `to`, `subject`, `in_reply_to` and `references`."""
    row = given.get("message")
    payload = row.get("payload") if isinstance(row, dict) else None
    lines = _rows(payload.get("headers")) if isinstance(payload, dict) else []
    head = {str(one.get("name")).lower(): _line(one.get("value") or "")[:MAX_HEADER] for one in lines}
    wanted = {"sender": ["reply-to"], "recipients": ["to"]}.get(str(given.get("only")), ["reply-to", "to"])
    if not head.get("reply-to"):
        head["reply-to"] = head.get("from", "")
    named = getaddresses([head.get(name, "") for name in wanted])
    mine = str(given.get("me") or "").lower()
    others = {address.lower(): formataddr((name, address)) for name, address in named if address.lower() != mine}
    subject = head.get("subject", "")
    return {
        "to": ", ".join(others.values() or [formataddr(one) for one in named]),
        "subject": subject if subject.lower().startswith("re:") else f"Re: {subject}",
        "in_reply_to": head.get("message-id", ""),
        "references": " ".join(filter(None, (head.get("references"), head.get("message-id")))),
    }


def _body(made: EmailMessage, text: Json, html: Json) -> None:
    if html is None:
        made.set_content("" if text is None else str(text))
        return
    if text is None:
        made.set_content(str(html), subtype="html")
        return
    made.set_content(str(text))
    made.add_alternative(str(html), subtype="html")


def _attach(made: EmailMessage, file: Mapping[str, Json]) -> None:
    main, _, sub = str(file.get("type") or "").partition("/")
    content = base64.b64decode(str(file.get("content") or ""))
    kind = (main, sub) if main and sub and main not in ("multipart", "message") else ("application", "octet-stream")
    made.add_attachment(content, maintype=kind[0], subtype=kind[1], filename=_line(file.get("name") or "file"))


def summary(given: Mapping[str, Json]) -> Json:
    """message: of Gmail, whose headers become fields beside the rest; labels: rows of `id` and `name`."""
    row = given.get("message")
    if not isinstance(row, dict):
        return None
    out = {key: value for key, value in row.items() if key not in ("payload", "labelIds")}
    payload = row.get("payload")
    if isinstance(payload, dict):
        out["payload"] = {key: value for key, value in payload.items() if key != "headers"}
        out |= {str(one.get("name")): one.get("value") for one in _rows(payload.get("headers"))}
    names = {one.get("id"): one.get("name") for one in _rows(given.get("labels"))}
    ids = row.get("labelIds")
    out["labels"] = [{"id": one, "name": names.get(one, one)} for one in ids] if isinstance(ids, list) else []
    return out


def _rows(value: Json) -> Sequence[Mapping[str, Json]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def parsed(given: Mapping[str, Json]) -> Json:
    """message: of Gmail with `raw`; prefix: of the fields of files; files: whether they are kept. The message with
    `subject`, `from`, `to`, `cc`, `date`, `messageId`, `headers`, `text`, `html` and `files`."""
    row = given.get("message")
    raw = row.get("raw") if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(raw, str):
        return row
    try:
        read: EmailMessage = message_from_bytes(base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4)), policy=policy())
    except (binascii.Error, ValueError):
        raise NodeError("The service gave a message that cannot be read.") from None
    out: dict[str, Json] = {key: value for key, value in row.items() if key != "raw"}
    # n8n keeps whole header lines by lower-case name.
    out["headers"] = {name.lower(): f"{name}: {value}" for name, value in _pairs(read)}
    for key, header in {"subject": "Subject", "date": "Date", "messageId": "Message-ID"}.items():
        if read[header]:
            out[key] = str(read[header])
    out |= {name: found for name in ("from", "to", "cc", "bcc") if (found := people(read, name))}
    for key, kind in (("text", "plain"), ("html", "html")):
        part = read.get_body((kind,))
        if part is not None:
            out[key] = _content(part)
    if given.get("files") is True:
        out["files"] = _files(read, str(given.get("prefix") or "attachment_"))
    return out


def _pairs(read: Message) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, value in read.items()]


def _content(part: MIMEPart) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    found = text_of(payload, str(part.get_param("charset", "ascii")))
    return payload.decode("utf-8", "replace") if found is None else found


def _files(read: EmailMessage, prefix: str) -> Json:
    out: list[Json] = []
    for part in read.iter_attachments():
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            content = base64.b64encode(payload).decode()
            name, kind = part.get_filename() or f"file{len(out)}", part.get_content_type()
            out.append({"field": f"{prefix}{len(out)}", "name": name, "type": kind, "content": content})
    return out
