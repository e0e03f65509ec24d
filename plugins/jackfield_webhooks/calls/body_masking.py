"""Bodies as the history of calls keeps them: `***` for the values of fields that are named like secrets."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice
from urllib.parse import unquote_plus

from jackfield.api.caller_secrets import MASK
from jackfield.api.jsontext import Json

STEMS = ("pass", "pwd", "secret", "token", "key", "cookie", "credential", "jwt", "hmac", "signature", "authorization")
"""One of them is in the name, in lower case, of each field that is named like a secret."""
_SECRET_FIELD = re.compile(
    r"authorization|cookie|signature|secret|token|passw|passphrase|passcode|pwd|credential|jwt|hmac"
    r"|(?:api|access|private|auth|client|encryption)[-_]?key"
)
"""In a field's name, in lower case."""
_ABOUT_SECRETS = re.compile(r"(?:ur[il]|type|expir(?:y|es|ation)(?:[-_]?(?:in|at|on))?)s?$")
"""Ends of names, in lower case, whose values tell of a secret and are none, such as GitHub's `access_tokens_url`."""
_NUMBERS = re.compile(r"secret|passw|passcode|pwd")
"""Numbers are hidden under these names alone: `max_tokens` is none."""
_JSON_FIELD = re.compile(
    r""""([^"\\]{1,100})"\s*:\s*(?:"((?:[^"\\]|\\.)*)(?:"|\Z)|(-?\d[\d.eE+-]*)|(\[(?:[^][{}"]|"(?:[^"\\]|\\.)*(?:"|\Z))*(?:\]|\Z)))""",
    re.DOTALL,
)
_JSON_NUMBER = 3
"""The groups of bare values: this one and the next."""
_QUOTED_FIELD = re.compile(r"""\\{1,7}"([^"\\]{1,100})\\{1,7}"\s*:\s*\\{1,7}"(.*?)(?:\\{1,7}"|\Z)""", re.DOTALL)
_PART = re.compile(
    r'name="([^"]{1,100})"[^\r\n]{0,300}(?:\r\n[^\r\n]{1,300}){0,4}\r\n\r\n(.*?)(?=\r\n--|\Z)', re.DOTALL
)
_ELEMENT = re.compile(r"<([\w:.-]{1,100})(?:\s[^<>]{0,300})?>([^<]+)(?=</|\Z)")
_FIELDS = (('"', _JSON_FIELD), ('\\"', _QUOTED_FIELD), ('name="', _PART), ("</", _ELEMENT))
"""Each with a text without which there is none."""
_NAME_END = re.compile(r'["<>\\]')
_LONGEST_NAME = 100
"""Characters."""
_LOOKED_AT = 64
"""Places of one stem; a text with more is searched whole."""
_CONTAINERS = frozenset((dict, list))
MOST_NAMES = 4096
"""Names that are remembered."""


class BodyMask:
    """Masks bodies, and remembers the names that it has found harmless: senders send the same names in every call.

    most: how many names it remembers.
    """

    def __init__(self, most: int = MOST_NAMES) -> None:
        self._most = most
        self._harmless: set[str] = set()

    def masked_json(self, body: bytes, parsed: Json) -> str:
        """A whole body that has been parsed: its names are known, and few bodies have a secret's."""
        if b"\\" in body or b"<" in body or body.count(b'":') != self._harmless_names([parsed]):
            return self.masked(body)
        return body.decode("utf-8", "replace")

    def masked(self, body: bytes, content_type: str = "") -> str:
        """A body, or its beginning: fields of JSON, forms and XML; else as it came."""
        text = body.decode("utf-8", "replace")
        if "form-urlencoded" in content_type:  # where names may be escaped
            return "&".join(_kept_field(part) for part in text.split("&"))
        if not self._may_name_secret(text.lower()):
            return text
        for sign, pattern in _FIELDS:
            if sign in text:
                text = pattern.sub(_masked, text)
        return text

    def _harmless_names(self, values: list[Json]) -> int:
        """How many names there are, at any depth; -1 if one is a secret's. The text has more if one stands there
        twice."""
        count, harmless = 0, self._harmless
        for value in values:  # which grows
            if type(value) is dict:
                count += len(value)
                if not (harmless.issuperset(value) or self._are_harmless(value)):
                    return -1
                values += [part for part in value.values() if type(part) in _CONTAINERS]
            elif type(value) is list:
                values += [part for part in value if type(part) in _CONTAINERS]
        return count

    def _are_harmless(self, names: Collection[str]) -> bool:
        if any(_names_secret(name.lower(), _SECRET_FIELD) for name in names):
            return False
        if len(self._harmless) + len(names) > self._most:
            self._harmless.clear()
        self._harmless.update(name for name in islice(names, self._most) if len(name) <= _LONGEST_NAME)
        return True

    def _may_name_secret(self, lower: str) -> bool:
        """Whether a name in the text may be a secret's. Few bodies have one, so that few pay for the search of
        fields."""
        for stem in STEMS:
            place, looked_at = lower.find(stem), 0
            while place >= 0:
                if looked_at == _LOOKED_AT or self._stands_in_secret_name(lower, place):
                    return True
                place, looked_at = lower.find(stem, place + len(stem)), looked_at + 1
        return False

    def _stands_in_secret_name(self, lower: str, place: int) -> bool:
        """Whether the text between quotes or tags around the place is a secret's name, with or without what follows a
        space, as attributes do."""
        first = max(0, place - _LONGEST_NAME)
        begin = max(first - 1, lower.rfind('"', first, place), lower.rfind("<", first, place)) + 1
        name = _NAME_END.split(lower[begin : place + _LONGEST_NAME], maxsplit=1)[0]
        read = (name, *name.split(maxsplit=1)[:1])
        return not (self._harmless.issuperset(read) or self._are_harmless(read))


def _masked(match: re.Match[str]) -> str:
    name, group = match[1].lower(), match.lastindex
    numeric = match.re is _JSON_FIELD and group == _JSON_NUMBER
    if group is None or not match[group] or not _names_secret(name, _NUMBERS if numeric else _SECRET_FIELD):
        return match[0]
    begin, end = match.start(group) - match.start(), match.end(group) - match.start()
    bare = match.re is _JSON_FIELD and group >= _JSON_NUMBER
    return match[0][:begin] + (f'"{MASK}"' if bare else MASK) + match[0][end:]


def _names_secret(name: str, names: re.Pattern[str]) -> bool:
    return names.search(name) is not None and _ABOUT_SECRETS.search(name) is None


def _kept_field(part: str) -> str:
    raw, equals, _ = part.partition("=")
    return f"{raw}={MASK}" if equals and _names_secret(unquote_plus(raw).lower(), _SECRET_FIELD) else part
