"""A letter as plain text and as HTML that every mail program shows, with one button at most."""

from __future__ import annotations

from html import escape

from . import Letter
from .composing import OutgoingMail

_FONT = "font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1a1b1e"
_BUTTON = (
    "display:inline-block;padding:10px 18px;border-radius:6px;background:#1f5fbf;color:#ffffff;text-decoration:none"
)


def mail_of(letter: Letter, sender: str, to: str) -> OutgoingMail:
    """The letter to one recipient."""
    return OutgoingMail(sender, to, "", "", "", letter.subject, text_of(letter), html_of(letter))


def text_of(letter: Letter) -> str:
    link = [f"{letter.link_label}:\n{letter.link}"] if letter.link else []
    return "\n\n".join([*letter.paragraphs, *link, *letter.closing]) + "\n"


def html_of(letter: Letter) -> str:
    """Everything that comes from people is escaped. The link stands there a second time, to be read and copied."""
    link = _linked(letter.link, letter.link_label) if letter.link else []
    body = [*map(_paragraph, letter.paragraphs), *link, *map(_paragraph, letter.closing)]
    head = f'<meta charset="utf-8"><title>{escape(letter.subject)}</title>'
    lines = [
        "<!doctype html>",
        f'<html lang="{escape(letter.language)}"><head>{head}</head>',
        f'<body style="{_FONT}">',
        *body,
        "</body></html>\n",
    ]
    return "\n".join(lines)


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _linked(address: str, label: str) -> list[str]:
    to = escape(address)
    return [f'<p><a href="{to}" style="{_BUTTON}">{escape(label)}</a></p>', f'<p style="word-break:break-all">{to}</p>']
