"""A mail as an item, in the three formats of n8n's node."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.jsontext import Json
from jackfield_integrations.mail.mail_reading import (
    Mail,
    MailFile,
    file_of,
    header_values,
    message_of,
    read_mail,
    text_of,
)

_TOP = frozenset({"cc", "date", "from", "subject", "to"})


def item_of(
    content: bytes, uid: int, form: str, version: float, now: int
) -> tuple[dict[str, Json], Sequence[MailFile]]:
    """JSON and attachments. form: `resolved`, `simple` or `raw`. now: Unix ms."""
    attributes: dict[str, Json] = {"attributes": {"uid": uid}} if version >= 2 else {}
    if form == "resolved":
        made, files = read_mail(content, now)
        return made | attributes, files
    if form == "raw":
        return {"raw": _body(content).decode("utf-8", "replace")}, []
    mail = message_of(content)
    return _simple(mail) | attributes, [_unnamed(part) for part in mail.walk() if _is_attachment(part)]


def _body(content: bytes) -> bytes:
    """The part behind the header."""
    head, _, body = content.partition(b"\r\n\r\n")
    return body if head != content else content.partition(b"\n\n")[2]


def _simple(mail: Mail) -> dict[str, Json]:
    metadata: dict[str, Json] = {}
    made: dict[str, Json] = {"textHtml": _first(mail, "text/html"), "textPlain": _first(mail, "text/plain")}
    for name, value in header_values(mail):
        (made if name in _TOP else metadata).setdefault(name, value)
    return made | {"metadata": metadata}


def _first(mail: Mail, kind: str) -> str:
    return next((text_of(part) for part in mail.walk() if part.get_content_type() == kind), "")


def _is_attachment(part: Mail) -> bool:
    return part.get_content_disposition() == "attachment"


def _unnamed(part: Mail) -> MailFile:
    """Its name or its content tells its type, as in n8n."""
    found = file_of(part)
    return MailFile(found.content, "", found.file_name)
