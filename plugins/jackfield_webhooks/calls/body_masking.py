"""Bodies as the history of calls keeps them: `***` for the values of fields that are named like secrets."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import islice

from jackfield.api.jsontext import Json

from .secret_fields import STEMS, masked_form, masked_text, names_secret

_SPACED_COLON = re.compile(rb'"[ \t\r\n]+:')
_ESCAPED_LETTER = re.compile(r"\\u00[4-7]")
_NAME_END = re.compile(r'["<>]')
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

    def shows(self, body: bytes, parsed: Json) -> bool:
        """Whether a whole body that has been parsed is shown as it came: its names are known, and few bodies have a
        secret's. False: `masked` says it."""
        if b"\\" in body or b"<" in body or body.count(b'":') != self._harmless_names([parsed]):
            return False
        return _SPACED_COLON.search(body) is None  # the count above takes a name for one that stands twice

    def masked(self, body: bytes, content_type: str = "") -> str:
        """A body, or its beginning: fields of JSON, forms and XML; else as it came."""
        text = body.decode("utf-8", "replace")
        if "form-urlencoded" in content_type.lower():  # where names may be escaped
            return masked_form(text)
        lower = text.lower()
        if not self._may_name_secret(lower) and not _ESCAPED_LETTER.search(lower):
            return text
        return masked_text(text)

    def _harmless_names(self, values: list[Json]) -> int:
        """How many names there are, at any depth; -1 if one is a secret's. The text has more if one stands there
        twice."""
        count, harmless = 0, self._harmless
        for value in values:  # which grows
            if type(value) is dict:
                count += len(value)
                if not (harmless.issuperset(value) or self._are_harmless(value)):
                    return -1
                parts: Iterable[Json] = value.values()
            else:
                parts = value if type(value) is list else ()
            for part in parts:
                if type(part) in _CONTAINERS:
                    values.append(part)  # noqa: PERF401 - a comprehension costs a call for each object; most are small
        return count

    def _are_harmless(self, names: Collection[str]) -> bool:
        if any(names_secret(name.lower()) for name in names):
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
        name = _NAME_END.split(lower[begin : place + _LONGEST_NAME], maxsplit=1)[0].rstrip("\\")
        if "\\" in name:  # which only the search reads
            return True
        read = (name, *name.split(maxsplit=1)[:1])
        return not (self._harmless.issuperset(read) or self._are_harmless(read))
