"""Every word of mails about accounts. German where the reader's language is known to be German; English otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from jackfield.api.clock import iso
from jackfield.api.mail import Letter

Language = Literal["en", "de"]
Notice = Literal["password", "link", "factors", "address"]
"""The change: a password that an administrator has set, one that came with a link, second factors that an administrator
has removed, a mail address."""

_FORGOTTEN: Mapping[Language, tuple[str, str, str, str, str]] = {
    "en": (
        "Set another password for Jackfield",
        "Somebody has asked for another password for the user {name} at {url}.",
        "Set another password",
        "The link works once, and ends at {ends}.",
        "If it was not you, you need not do anything. Your password stays as it is.",
    ),
    "de": (
        "Neues Passwort für Jackfield",
        "Jemand hat für den Benutzer {name} auf {url} ein neues Passwort angefordert.",
        "Neues Passwort setzen",
        "Der Link gilt einmal und läuft um {ends} ab.",
        "Wenn Sie das nicht waren, müssen Sie nichts tun. Ihr Passwort bleibt, wie es ist.",
    ),
}
_NOTICES: Mapping[Notice, tuple[str, str]] = {
    "password": (
        "Your password at Jackfield was changed",
        "An administrator has set another password for the user {name} at {url}. The sessions of that user have ended.",
    ),
    "link": (
        "Your password at Jackfield was changed",
        "The password of the user {name} at {url} was changed with a link. The sessions of that user have ended.",
    ),
    "factors": (
        "Your second factors at Jackfield were removed",
        "An administrator has removed the second factors of the user {name} at {url}. All sessions have ended.",
    ),
    "address": (
        "Your mail address at Jackfield was changed",
        "The user {name} at {url} has another mail address from now on. Mails go there.",
    ),
}
_ASK = "If you did not expect this, ask an administrator."


def invitation(url: str, role: str, link: str, ends: int) -> Letter:
    """ends: Unix ms."""
    return Letter(
        "You are invited to Jackfield",
        [f"An administrator invites you to Jackfield at {url} as {role}."],
        link,
        "Accept the invitation",
        [f"The link works once, and ends at {_moment(ends)}.", "If you did not expect this, you can ignore this mail."],
    )


def forgotten(language: Language, url: str, name: str, link: str, ends: int) -> Letter:
    """ends: Unix ms."""
    subject, told, label, once, unasked = _FORGOTTEN[language]
    closing = [once.format(ends=_moment(ends)), unasked]
    return Letter(subject, [told.format(name=name, url=url)], link, label, closing, language)


def notice(kind: Notice, url: str, name: str) -> Letter:
    """Of a change by somebody else."""
    subject, told = _NOTICES[kind]
    return Letter(subject, [told.format(name=name, url=url), _ASK])


def _moment(at: int) -> str:
    """To the minute: `2026-12-01 04:05 UTC`."""
    return f"{iso(at)[:16].replace('T', ' ')} UTC"
