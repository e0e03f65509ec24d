"""Mail that the daemon itself sends, such as an invitation: the port `Mailer`, and the letters that go through it.

A letter is paragraphs and perhaps one link. It goes out as plain text and as simple HTML, so that no sender writes
either. `composing` makes mails of every sort, and `smtp` carries them; both load libraries, so import them when a mail
is under way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from ..errors import Conflict, UpstreamFailed
from ..records import record

LONGEST_ADDRESS = 254
"""Characters of an address (RFC 5321 section 4.5.3.1.3)."""
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[^\s@<>()\[\],;:.=\\\"]{1,63}"
_ADDRESS = re.compile(rf"(?!=\?)(?=[^@]{{1,64}}@){_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*")
"""A dot-atom (RFC 5322 section 3.2.3), and the labels of a domain, also an international one."""


class MailFailed(UpstreamFailed):
    """The mail server does not take the mail; `jackfield doctor` looks at it."""

    code = "MAIL_FAILED"


class MailServerAway(MailFailed):
    """The mail server lets nobody in, or not in time; `jackfield doctor` looks at it. Another mail would fail, too."""


class MailNotSetUp(Conflict):
    """This daemon sends no mail; set mail.host and mail.sender."""

    code = "MAIL_NOT_SET_UP"


@record
class Letter:
    """`paragraphs`: plain text, in the order of reading. `link`: an address that the letter leads to, empty: none;
    `link_label`: the words of its button. `closing`: paragraphs below the link. `language`: such as `en`."""

    subject: str
    paragraphs: Sequence[str]
    link: str = ""
    link_label: str = ""
    closing: Sequence[str] = ()
    language: str = "en"


class Mailer(Protocol):
    """As a port."""

    @property
    def ready(self) -> bool:
        """Whether mail is set up; nothing is asked to tell."""

    async def send(self, to: str, letter: Letter) -> None:
        """The mail server has taken it when this returns. `to`: one address. Raises `MailNotSetUp`, `MailFailed`
        (`MailServerAway`), `RateLimited` when too many letters wait."""


def is_address(text: str) -> bool:
    """Whether this is one bare address such as `ada@example.com`; whether somebody has it nobody can tell."""
    return len(text) <= LONGEST_ADDRESS and text.isprintable() and _ADDRESS.fullmatch(text) is not None
