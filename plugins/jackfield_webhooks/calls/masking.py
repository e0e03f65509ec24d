"""Headers and query parameters whose values are never kept."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import islice
from urllib.parse import unquote_plus

from jackfield.api import jsontext
from jackfield.api.caller_secrets import MASK, is_secret_parameter
from jackfield.api.jsontext import Json

_SECRET_NAME = re.compile(
    r"authorization|cookie|signature|secret|token|password|passwd|api-?key|access-?key|hmac|hub-sig"
)
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
MAX_QUERY = 2048
"""Characters of a query string that the history keeps."""


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether a header of this lower-case name usually carries a secret: a credential, a cookie, a signature."""
    return _SECRET_NAME.search(name) is not None


def for_history(headers: Mapping[str, str], own: frozenset[str]) -> bytes:
    """The headers as they are stored, JSON. own: those that carry the webhook's own credential."""
    return jsontext.dumps({name: MASK if name in own or is_secret(name) else value for name, value in headers.items()})


def without_own(headers: Mapping[str, str], own: frozenset[str]) -> dict[str, str]:
    """The headers of a call whose item is stored before anybody reads it. own: those that carry the credential which
    was just verified."""
    return {name: MASK if name in own else value for name, value in headers.items()}


def json_for_history(body: bytes, parsed: Json) -> str:
    """The same of a whole body that has been parsed: its names are known, and few bodies have a secret's."""
    if b"\\" in body or b"<" in body or body.count(b'":') != _harmless_names([parsed]):
        return body_for_history(body)
    return body.decode("utf-8", "replace")


def _harmless_names(values: list[Json]) -> int:
    """How many names there are, at any depth; -1 if one is a secret's. The text has more if one stands there twice."""
    count = 0
    for value in values:  # which grows
        if isinstance(value, dict):
            count += len(value)
            if not _FIELD_NAMES.are_harmless(value):
                return -1
            values += [part for part in value.values() if type(part) in _CONTAINERS]
        elif isinstance(value, list):
            values += [part for part in value if type(part) in _CONTAINERS]
    return count


class FieldNames:
    """Tells names of secrets from others, and remembers the others: senders send the same names in every call.

    most: how many names it remembers.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._harmless: set[str] = set()

    def are_harmless(self, names: Collection[str]) -> bool:
        """Whether none of the names is a secret's."""
        if self._harmless.issuperset(names):
            return True
        if any(_names_secret(name.lower(), _SECRET_FIELD) for name in names):
            return False
        if len(self._harmless) + len(names) > self._most:
            self._harmless.clear()
        self._harmless.update(name for name in islice(names, self._most) if len(name) <= _LONGEST_NAME)
        return True


_FIELD_NAMES = FieldNames(most=4096)


def body_for_history(body: bytes, content_type: str = "") -> str:
    """A body, or its beginning, as it is stored: `***` for the values of fields that are named like secrets, in JSON,
    forms and XML; else as it came."""
    text = body.decode("utf-8", "replace")
    if "form-urlencoded" in content_type:  # where names may be escaped
        return "&".join(_kept_field(part) for part in text.split("&"))
    if not _may_name_secret(text.lower()):
        return text
    for sign, pattern in _FIELDS:
        if sign in text:
            text = pattern.sub(_masked, text)
    return text


def _may_name_secret(lower: str) -> bool:
    """Whether a name in the text may be a secret's. Few bodies have one, so that few pay for the search of fields."""
    for stem in STEMS:
        place, looked_at = lower.find(stem), 0
        while place >= 0:
            if looked_at == _LOOKED_AT or _stands_in_secret_name(lower, place):
                return True
            place, looked_at = lower.find(stem, place + len(stem)), looked_at + 1
    return False


def _stands_in_secret_name(lower: str, place: int) -> bool:
    """Whether the text between quotes or tags around the place is a secret's name, with or without what follows a
    space, as attributes do."""
    first = max(0, place - _LONGEST_NAME)
    begin = max(first - 1, lower.rfind('"', first, place), lower.rfind("<", first, place)) + 1
    name = _NAME_END.split(lower[begin : place + _LONGEST_NAME], maxsplit=1)[0]
    return any(_names_secret(read, _SECRET_FIELD) for read in (name, *name.split(maxsplit=1)[:1]))


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


def query_for_history(query: str) -> str:
    """A query string as it is stored: its beginning, with `***` for the values of parameters that by their name carry
    a secret."""
    return "&".join(_kept_parameter(part) for part in query[:MAX_QUERY].split("&"))[:MAX_QUERY]


def _kept_parameter(part: str) -> str:
    raw, equals, _ = part.partition("=")
    name = unquote_plus(raw).lower()
    secret = is_secret(name.replace("_", "-")) or is_secret_parameter(name)
    return f"{raw}={MASK}" if equals and secret else part
