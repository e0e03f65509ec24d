"""Takes a mail apart as mailparser does, by which n8n's nodes read mails: its text and HTML, its people, its files.

Source: RFC 5322, RFC 2045 to 2047, and the documentation of mailparser. Characters of any charset are read; links in
`textAsHtml` are those with a scheme, `www.` and addresses.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from html.entities import codepoint2name
from typing import TypeAlias

from jackfield.api.jsontext import Json
from jackfield.api.records import record, state
from jackfield_integrations.mail.html_texts import text_of_html

Mail: TypeAlias = "Message[str, str]"
_TEXTS = ("text/plain", "text/html", "message/delivery-status")
_PEOPLE = ("to", "from", "cc", "bcc", "reply-to")
_ONCE = ("from", "reply-to", "subject", "date", "message-id", "in-reply-to")
_FOLD = re.compile(r"(?:\r?\n|\r)[ \t]*")
_LINK = re.compile(
    r"(?P<url>\b(?:https?|git)://[^\s<>\"'`]+|\bwww\.[^\s<>\"'`]+)|(?P<mail>\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+)",
    re.IGNORECASE,
)
_CID = re.compile(r"\bcid:([^'\"\s]{1,256})")
_TRAILING = ".,;:!?)]}"


@record
class MailFile:
    """One attachment. file_name: empty: it has none."""

    content: bytes
    media_type: str
    file_name: str
    cid: str = ""


@state
class _Body:
    texts: list[str]
    htmls: list[str]
    files: list[MailFile]


def message_of(content: bytes) -> Mail:
    return message_from_bytes(content, policy=policy.compat32)


def read_mail(content: bytes, now: int) -> tuple[dict[str, Json], Sequence[MailFile]]:
    """The values that mailparser's simpleParser gives, as JSON without its header lines and attachments, and those.
    `now`: Unix ms, for a mail whose date nobody can read."""
    mail = message_of(content)
    kinds = {part.get_content_type() for part in mail.walk() if not _is_file(part)}
    body = _Body([], [], [])
    _walk(mail, body, "text/html" in kinds, "text/plain" in kinds, alternative=False, root=True)
    made: dict[str, Json] = {"headers": _lines(mail)}
    made["html"] = _with_images("<br/>\n".join(body.htmls), body.files) if body.htmls else False
    if body.texts:
        made["text"] = "\n".join(body.texts)
        made["textAsHtml"] = "<br/>\n".join(map(_as_html, body.texts))
    return made | _told(mail, now), body.files


def header_values(mail: Mail) -> Iterator[tuple[str, str]]:
    """Name in lower case and text of each header, encoded words read."""
    for name, value in mail.items():
        yield name.lower().strip(), decoded_words(_raw(value))


def decoded_words(text: str) -> str:
    """RFC 2047."""
    if "=?" not in text:
        return text
    try:
        parts = decode_header(text)
    except (HeaderParseError, ValueError):
        return text
    return "".join(_text(part, charset) if isinstance(part, bytes) else part for part, charset in parts)


def text_of(part: Mail) -> str:
    """The content of a part as text."""
    content = part.get_payload(decode=True)
    return _text(content, part.get_content_charset()) if isinstance(content, bytes) else ""


def file_of(part: Mail) -> MailFile:
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):  # a mail inside
        content = b"".join(one.as_bytes() for one in part.get_payload() if isinstance(one, Message))
    name = decoded_words(part.get_filename() or "")
    cid = str(part.get("content-id") or "").strip().removeprefix("<").removesuffix(">")
    return MailFile(content, part.get_content_type(), name, cid)


def _raw(value: object) -> str:
    """A header's value on one line; bytes that are no ASCII are UTF-8."""
    text = str(value).encode("ascii", "surrogateescape") if isinstance(value, str) else str(value).encode()
    return _FOLD.sub(" ", text.decode("utf-8", "replace")).strip()


def _text(content: bytes, charset: str | None) -> str:
    try:
        return content.decode(charset or "utf-8", "replace")
    except LookupError:
        return content.decode("utf-8", "replace")


def _is_file(part: Mail) -> bool:
    if part.get_content_maintype() == "multipart":
        return False
    return part.get_content_disposition() not in (None, "inline") or part.get_content_type() not in _TEXTS


def _walk(part: Mail, body: _Body, has_html: bool, has_text: bool, *, alternative: bool, root: bool = False) -> None:
    kind = part.get_content_type()
    if part.get_content_maintype() == "multipart":
        for inner in part.get_payload() if part.is_multipart() else ():
            if isinstance(inner, Message):
                _walk(inner, body, has_html, has_text, alternative=alternative or kind == "multipart/alternative")
        return
    if _is_file(part):
        body.files.append(file_of(part))
        return
    text = (text_of(part) if kind != "message/delivery-status" else _status(part)).replace("\r\n", "\n")
    if not text:
        return
    if kind != "text/html":
        body.texts.append(text)
        if not alternative and has_html:
            body.htmls.append(_as_html(text))
        return
    if (not alternative and has_text) or (root and not has_text):
        body.texts.append(text_of_html(text))
    body.htmls.append(text)


def _status(part: Mail) -> str:
    inner = part.get_payload()
    return "\n".join(one.as_string() for one in inner if isinstance(one, Message)) if isinstance(inner, list) else ""


def _lines(mail: Mail) -> dict[str, Json]:
    """Each header as it stands in the mail, the last of a name."""
    found: dict[str, Json] = {}
    for name, value in mail.items():
        text = str(value).encode("utf-8", "surrogateescape").decode("latin-1")
        found[name.lower().strip()] = f"{name}: {text}"
    return found


def _told(mail: Mail, now: int) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name in ("subject", "references", "date", "to", "from", "cc", "bcc", "message-id", "in-reply-to", "reply-to"):
        values = [read for value in mail.get_all(name, []) if (read := _read(name, _raw(value), now))]
        flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
        if flat:
            key = re.sub(r"-([a-z])", lambda match: match[1].upper(), name)
            found[key] = flat[-1] if name in _ONCE or len(flat) == 1 else flat
    return found


def _read(name: str, text: str, now: int) -> Json:
    if name in _PEOPLE:
        return _people(text)
    if name == "date":
        return _moment(text, now)
    words = decoded_words(text)
    if name == "references":
        return [_message_id(word) for word in words.split()]
    return words if name == "subject" else _message_id(words)


def _message_id(text: str) -> str:
    if not text:
        return ""
    return ("" if text.startswith("<") else "<") + text + ("" if text.endswith(">") else ">")


def _moment(text: str, now: int) -> str:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        found = datetime.fromtimestamp(now / 1000, UTC)
    aware = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _people(text: str) -> Json:
    rows = [(decoded_words(name).strip(), address) for name, address in getaddresses([text]) if name or address]
    people: list[Json] = [{"address": address, "name": name} for name, address in rows]
    if not people:
        return None
    return {
        "value": people,
        "html": ", ".join(_person_html(name, address) for name, address in rows),
        "text": ", ".join(_person_text(name, address) for name, address in rows),
    }


def _person_text(name: str, address: str) -> str:
    if not name:
        return address
    return f'"{name}" <{address}>' if address else f'"{name}"'


def _person_html(name: str, address: str) -> str:
    shown = f'<span class="mp_address_name">{_hex(name)}</span>' if name else ""
    link = f'<a href="mailto:{_hex(address)}" class="mp_address_email">{_hex(address)}</a>' if address else ""
    between = f" &lt;{link}&gt;" if name and link else link
    return f'<span class="mp_address_group">{shown}{between}</span>'


def _hex(text: str) -> str:
    return "".join(char if " " <= char <= "~" and char not in "\"&'<>`" else f"&#x{ord(char):X};" for char in text)


def _named(text: str) -> str:
    """Entities by name where HTML has one, as mailparser writes them."""
    return "".join(map(_entity, text))


def _entity(char: str) -> str:
    if char in "\n\r\t" or (" " <= char <= "~" and char not in "\"&'<>`"):
        return char
    special = {'"': "quot", "&": "amp", "'": "apos", "<": "lt", ">": "gt", "`": "grave", "…": "mldr"}
    name = special.get(char) or codepoint2name.get(ord(char))
    return f"&{name};" if name else f"&#x{ord(char):X};"


def _as_html(text: str) -> str:
    made, last = [], 0
    for match in _LINK.finditer(text):
        shown = match[0].rstrip(_TRAILING)
        url = f"mailto:{shown}" if match["mail"] else shown if "://" in shown else f"http://{shown}"
        made.append(_named(text[last : match.start()]))
        made.append(f'<a href="{url.replace(chr(34), "&quot;")}">{_named(shown)}</a>')
        last = match.start() + len(shown)
    encoded = "".join([*made, _named(text[last:])]).replace("\r\n", "\n").strip()
    trimmed = re.sub(r"[ \t]+$", "", encoded, flags=re.MULTILINE).strip()
    paragraphs = re.sub(r"\n\n+", "</p><p>", trimmed).strip().replace("\n", "<br/>")
    return f"<p>{paragraphs}</p>"


def _with_images(text: str, files: Sequence[MailFile]) -> str:
    """Pictures that the mail has inside stand in its HTML."""
    images = {file.cid: file for file in files if file.cid and re.fullmatch(r"image/\w+", file.media_type)}

    def replaced(match: re.Match[str]) -> str:
        file = images.get(match[1])
        if file is None:
            return match[0]
        return f"data:{file.media_type};base64,{base64.b64encode(file.content).decode()}"

    return _CID.sub(replaced, text)
