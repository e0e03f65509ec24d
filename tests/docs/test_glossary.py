"""The glossary is in order, and names what is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(r"^\| (.+?) \| (.+) \| (.*?) ?\|$", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)[1:]
MODULES = [
    path for folder in ("src", "plugins") for path in (ROOT / folder).rglob("*.py") if "node_modules" not in path.parts
]


def test_words_are_in_alphabetical_order_and_stand_once() -> None:
    words = [word.lower() for word, _, _ in ROWS]
    assert len(words) > 80
    assert words == sorted(set(words))


def test_a_meaning_is_short() -> None:
    for word, meaning, _ in ROWS:
        sentences = re.split(r"(?<=[.:])\s+", meaning.removeprefix("*House word.* "))
        assert len(re.split(r"(?<=\.)\s+", meaning.removeprefix("*House word.* "))) <= 2, word
        assert all(len(sentence.split()) <= 25 for sentence in sentences), word


def test_names_of_the_code_are_in_the_code() -> None:
    text = "\n".join(path.read_text() for path in MODULES)
    defined = set(re.findall(r"^(?:class (\w+)|(\w+) = )", text, re.MULTILINE))
    known = {name for pair in defined for name in pair} | {path.stem for path in MODULES}
    named = {name for _, _, code in ROWS for name in re.findall(r"`(\w+)`", code)}
    assert named
    assert not sorted(named - known)
