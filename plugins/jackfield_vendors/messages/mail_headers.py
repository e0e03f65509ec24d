"""Headers of mail that somebody sent: read in time that grows with their length, and never failing. The standard
library's structured parser takes seconds for a few kilobytes that are made for it. Source: RFC 5322, RFC 2047."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from email.errors import MessageError
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import getaddresses
from functools import lru_cache

from jackfield.api.jsontext import Json

MAX_HEADER = 65_536
"""Characters of one header that are read; what comes behind is left out."""
_WORD = re.compile(r"=\?([^?\s]+)\?([bBqQ])\?([^?]*)\?=")
_NO_CHARSETS = frozenset({"idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"})
"""Codecs that no mail is written in: for parts of host names, which take time by the square of their length, and of
programs."""
_ESCAPE = re.compile(rb"=([0-9A-Fa-f]{2})")


class Plain(str):
    """A header's text, with what the parts of a message ask of it."""

    __slots__ = ()

    @property
    def content_disposition(self) -> str:
        return self.partition(";")[0].strip().lower()


@lru_cache(maxsize=1)
def policy() -> EmailPolicy[EmailMessage]:
    """For `email.message_from_bytes`: every header is a `Plain`."""
    return EmailPolicy(header_factory=lambda name, value: Plain(decoded(value)))


def unfolded(raw: str) -> str:
    """One line; bytes beyond ASCII are UTF-8 (RFC 6532)."""
    text = raw[:MAX_HEADER].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(text.splitlines()).strip()


def decoded(raw: str) -> str:
    """One line with its encoded words as text; one that cannot be read stays as it is."""
    line = unfolded(raw)
    if "=?" not in line:
        return line
    made: list[str] = []
    end, inside = 0, False
    for match in _WORD.finditer(line):
        between = line[end : match.start()]
        # White space between two words only separates them.
        made.append("" if inside and not between.strip() else between)
        found = _word(*match.groups())
        made.append(match[0] if found is None else found)
        end, inside = match.end(), found is not None
    return "".join((*made, line[end:]))


def text_of(content: bytes, charset: str) -> str | None:
    """Bytes that cannot be decoded are replaced; None without such a charset. charset: as mail names it."""
    try:
        codec = codecs.lookup(charset.strip())
        if codec.name.replace("-", "_") in _NO_CHARSETS:
            return None
        return content.decode(codec.name, "replace")
    except (LookupError, ValueError):
        return None


def _word(charset: str, encoding: str, text: str) -> str | None:
    try:
        if encoding in "bB":
            content = base64.b64decode(text + "=" * (-len(text) % 4))
        else:
            spaced = text.replace("_", " ").encode("utf-8")
            content = _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), spaced)
    except (binascii.Error, ValueError):
        return None
    # RFC 2231 puts a language behind the charset.
    return text_of(content, charset.partition("*")[0])


def people(read: EmailMessage, name: str) -> Json:
    """The addresses of all headers of this name, and their text; None when there is none."""
    raw = [value for key, value in read.raw_items() if key.lower() == name]
    if not raw:
        return None
    try:
        # Addresses before words: a name that is encoded may hold a comma.
        pairs = getaddresses([unfolded(str(value)) for value in raw])
    except (RecursionError, MessageError, IndexError):
        pairs = []
    found: list[Json] = [{"address": address, "name": decoded(title)} for title, address in pairs]
    return {"value": found, "text": ", ".join(decoded(str(value)) for value in raw)}
