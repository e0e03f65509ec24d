"""Labels, helps and placeholders that all vendors' forms share, from `words.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from jackfield.api.records import record, replace
from jackfield_vendors.described.description import DescribedWords

_FILE = Path(__file__).with_name("words.toml")
_NAME = re.compile(r"[A-Za-z][\w-]*")
_WORD = re.compile(r"[oO]Auth\d?|[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+|[^\W\d_A-Za-z]+")


@record
class FormWords:
    """`labels`, `help`, `placeholders`, `controls`: by a parameter's name. `notes`: helps that hold inside of
    collections too, where a name may mean another thing. `values`: labels of choices. `acronyms`: words that are
    written otherwise than in lower case, by their lower case.
    """

    labels: Mapping[str, str]
    help: Mapping[str, str]
    notes: Mapping[str, str]
    placeholders: Mapping[str, str]
    controls: Mapping[str, str]
    values: Mapping[str, str]
    acronyms: Mapping[str, str]

    def label(self, name: str) -> str:
        """Of a parameter."""
        return self.labels.get(name) or self.spoken(name)

    def picked(self, name: str) -> str:
        """Of a parameter whose value is picked from a list: `channelId` is a channel."""
        return self.labels.get(name) or self.spoken(re.sub(r"(?<=[a-z])_?I[dD]$", "", name))

    def with_own(self, own: DescribedWords) -> FormWords:
        """With the words of one description."""
        return replace(
            self,
            labels={**self.labels, **own.labels},
            help={**self.help, **own.help},
            placeholders={**self.placeholders, **own.placeholders},
            values={**self.values, **own.values},
        )

    def value(self, value: object) -> str:
        """Of a choice."""
        if isinstance(value, bool):
            return "Yes" if value else "No"
        text = f"{value:g}" if isinstance(value, float) else str(value)
        if text in self.values:
            return self.values[text]
        return self.spoken(text) if _NAME.fullmatch(text) else text or "None"

    def spoken(self, name: str) -> str:
        """`contactIdentifierUi` as words; a text that has spaces, or no letters, as it is."""
        if " " in name.strip() or not re.search(r"[A-Za-z]", name):
            return name.strip()
        if name.isupper() and name.lower() not in self.acronyms:
            name = name.lower()
        words = [word for word in _WORD.findall(name) if word.lower() != "ui"] or [name]
        text = " ".join(self.acronyms.get(word.lower()) or _plain(word) for word in words)
        return text[:1].upper() + text[1:]


def _plain(word: str) -> str:
    """In lower case, unless it is an abbreviation."""
    return word if word.isupper() and len(word) > 1 else word.lower()


@lru_cache(maxsize=1)
def form_words() -> FormWords:
    """The shipped words, read when the first form is made."""
    return FormWords(**tomllib.loads(_FILE.read_text("utf-8")))
