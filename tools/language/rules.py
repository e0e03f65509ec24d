"""The rules that count words and look at the beginnings of sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from language.texts import Flaw, Passage

MOST_WORDS = 25
CODE = re.compile(r"(`+)(?:(?!\1).)+\1")
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)\s]*(?:\s+\"[^\"]*\")?\)|\[[^\]]*\])")
MARKUP = re.compile(r"<[^>]+>|\{[:.#][^}]*\}|\*\*|__")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|No)\.")
END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=[\"'(\[*_]*[A-Z0-9])")
WORD = re.compile(r"[^\W_]")
FREE_RELATIVE = re.compile(r"^[\"'(*_]*(?:What|Who|Whose|Whom|Whatever|Whoever)\b(?!.*\?$)")
FUTURE = re.compile(r"\b(?:will|shall|won't|\w+'ll)\b(?<!at will)(?<!free will)", re.IGNORECASE)


def sentences(passage: Passage) -> Iterator[str]:
    """The sentences of a passage, code as the word `Code` and links as their text."""
    plain = CODE.sub("Code", passage.text)
    plain = MARKUP.sub("", LINK.sub(r"\1", plain))
    plain = ABBREVIATION.sub(lambda found: found.group().replace(".", ""), plain)
    return (sentence.strip() for sentence in END.split(plain) if sentence.strip())


def words(sentence: str) -> int:
    """How many words a sentence has; a dash or a sign alone is none."""
    return sum(1 for word in sentence.split() if WORD.search(word))


def flaws(passage: Passage) -> Iterator[Flaw]:
    """Each sentence that breaks a rule, and how."""
    for sentence in sentences(passage):
        excerpt = sentence if len(sentence) <= 100 else f"{sentence[:97]}..."
        if (count := words(sentence)) > MOST_WORDS:
            yield Flaw(passage.line, "length", f"{count} words; {MOST_WORDS} are the most", excerpt)
        if FREE_RELATIVE.match(sentence):
            yield Flaw(passage.line, "opening", "begins with What, Who or Whose; begin with the subject", excerpt)
        if FUTURE.search(sentence):
            yield Flaw(passage.line, "future", "the present tense says it", excerpt)
