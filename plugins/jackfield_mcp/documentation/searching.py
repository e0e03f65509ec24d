"""Sections of the documentation, the nearest first. Source: Robertson and Zaragoza, "The Probabilistic Relevance
Framework: BM25 and Beyond", 2009."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from jackfield.api.records import record
from jackfield_mcp.documentation.pages import DocSection

_WORD = re.compile(r"[\w.-]{2,}")
_MOST_WORDS = 12
_SATURATION, _LENGTH = 1.2, 0.75
"""BM25's k1 and b."""
_HEADING = 6
"""A word in a heading counts as that many in the text."""
_EXCERPT = 500
"""Characters."""


@record
class FoundSection:
    section: DocSection
    excerpt: str


def search(sections: Iterable[DocSection], query: str) -> list[FoundSection]:
    """Those that have a word of the query, by BM25; of as many words as possible."""
    words = _words(query)
    counted = [(one, _counts(one, words)) for one in sections]
    having = [sum(1 for _, counts in counted if counts[place]) for place in range(len(words))]
    weights = [math.log(1 + (len(counted) - one + 0.5) / (one + 0.5)) for one in having]
    mean = sum(len(one.text) for one, _ in counted) / max(1, len(counted))
    scored = [(_score(counts, weights, len(one.text) / mean), one) for one, counts in counted if any(counts)]
    scored.sort(key=lambda pair: (-pair[0], pair[1].uri))
    return [FoundSection(one, _excerpt(one.text, words)) for _, one in scored]


def _words(query: str) -> list[str]:
    """In lower case, without a plural's s, so that both forms are found. Of a setting's whole name its parts too, since
    the table of settings has them in their own places."""
    whole = [word.strip(".-") for word in _WORD.findall(query.lower())]
    found = [part for word in whole for part in (word, *(word.split(".") if "." in word else ()))]
    short = (word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in found)
    return list(dict.fromkeys(word for word in short if word))[:_MOST_WORDS]


def _counts(section: DocSection, words: Sequence[str]) -> list[int]:
    text, heading = section.text.lower(), f"{section.page} {section.heading}".lower()
    return [text.count(word) + _HEADING * heading.count(word) for word in words]


def _score(counts: Sequence[int], weights: Sequence[float], length: float) -> float:
    """length: of the section, as a multiple of the mean."""
    room = _SATURATION * (1 - _LENGTH + _LENGTH * length)
    return sum(
        weight * count * (_SATURATION + 1) / (count + room) for count, weight in zip(counts, weights, strict=True)
    )


def _excerpt(text: str, words: Sequence[str]) -> str:
    """From the line that has most of the words."""
    lines = text.splitlines()
    hits = [sum(word in line.lower() for word in words) for line in lines]
    start = max(range(len(lines)), key=lambda number: (hits[number], -number), default=0)
    found = "\n".join(lines[start:]).strip()
    return found if len(found) <= _EXCERPT else found[:_EXCERPT] + "…"
