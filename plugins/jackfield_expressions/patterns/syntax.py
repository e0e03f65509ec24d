"""Regular expressions of JavaScript as Python's, where they provably match the same in bounded time.

Read are literals, classes, `.`, groups, alternatives, `^`, `$`, `\\b` and quantifiers of single characters, with the
flags g, i, m and s. Not read: back references, looking around, named groups, repeated groups, and what matches nothing.

Python has no limit on the time of a match, so that the longest text depends on the pattern. A quantifier without bound
that something has to follow may be tried with every length at every start. Each costs a power of the text's length.
"""

from __future__ import annotations

import re
from functools import lru_cache

from jackfield.api.javascript import BLANK
from jackfield.api.records import record

_LINES = "\\n\\r\\u2028\\u2029"
_BLANKS = "".join(re.escape(letter) for letter in BLANK)
_CLASSES = {
    "d": "0-9", "w": "A-Za-z0-9_", "s": _BLANKS, "D": "^0-9", "W": "^A-Za-z0-9_", "S": "^" + _BLANKS,
}  # fmt: skip
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}
_HEX = re.compile(r"u([0-9a-fA-F]{4})")
_COUNT = re.compile(r"\{(\d{1,3})(?:(,)(\d{1,3})?)?\}")
_MOST = 200
_MOST_CHOICES = 64
WORK = 1_000_000
"""Steps that a match may take, about; one takes some 10 ns."""
_STEP = 8
"""Characters of a pattern that are matched in a step."""
LONGEST = 1 << 16
"""Characters of a text that any pattern is matched with."""


class NotSame(Exception):
    """More than is read here."""


@record
class ScriptPattern:
    """`every`: whether all matches are meant. `longest`: characters of a text that it is matched with in bounded time.
    `wide`: whether it may meet characters beyond U+FFFF, which are two to JavaScript."""

    compiled: re.Pattern[str]
    every: bool
    longest: int
    wide: bool


@record
class _Atom:
    """One thing that matches a character, or a place between two. `open`: whether it may match half of a character
    beyond U+FFFF. `empty`: whether it may match nothing. `sure`: whether it matches anywhere, which `$` does not
    although it matches nothing. `endless`: how many quantifiers without a bound are in it that nothing in it has to
    follow. `greedy`: whether it takes as much as it can. `group`: whether it is one."""

    text: str
    open: bool = False
    empty: bool = False
    sure: bool = False
    endless: int = 0
    greedy: bool = True
    group: bool = False


def _bounds(mark: str, match: re.Match[str] | None) -> tuple[int, int | None]:
    """How often a quantified thing comes at least and at most."""
    if match is None:
        return (1 if mark == "+" else 0), (1 if mark == "?" else None)
    least = int(match.group(1))
    most = least if match.group(2) is None else int(match.group(3)) if match.group(3) else None
    if least > 100 or (most is not None and not least <= most <= 100):
        raise NotSame
    return least, most


class _Reader:
    def __init__(self, source: str, flags: str) -> None:
        self._source = source
        self._at = 0
        self._lines = "m" in flags
        self._dot = r"[\s\S]" if "s" in flags else f"[^{_LINES}]"
        self.powers = 0
        self.choices = 1
        self.size = 0
        self.wide = True
        self._depth = 0

    def whole(self) -> _Atom:
        found = self._alternatives()
        if self._at < len(self._source):
            raise NotSame
        return found

    def _peek(self) -> str:
        return self._source[self._at : self._at + 1]

    def _alternatives(self) -> _Atom:
        self._depth += 1
        if self._depth > 5:
            raise NotSame
        sides = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            sides.append(self._sequence())
        self._depth -= 1
        self._choose(len(sides))
        return _Atom(
            "|".join(side.text for side in sides),
            open=any(side.open for side in sides),
            empty=any(side.empty for side in sides),
            sure=any(side.sure for side in sides),
            endless=sum(side.endless for side in sides),
        )

    def _choose(self, count: int) -> None:
        """The pattern goes on in that many ways from here."""
        self.choices *= count
        if self.choices > _MOST_CHOICES:
            raise NotSame

    def _sequence(self) -> _Atom:
        atoms: list[_Atom] = []
        while self._peek() not in ("", "|", ")"):
            atoms.append(self._quantified(self._atom()))
        if not atoms:
            raise NotSame
        return _Atom(
            "".join(atom.text for atom in atoms),
            open=any(atom.open for atom in atoms),
            empty=all(atom.empty for atom in atoms),
            sure=all(atom.sure for atom in atoms),
            endless=self._most_repeats(atoms),
        )

    def _most_repeats(self, atoms: list[_Atom]) -> int:
        """Sees to what the sequence costs, and whether it may meet characters beyond U+FFFF. Gives the number of
        quantifiers without a bound that are tried with one length alone, unless something follows the sequence."""
        endless = 0
        for place, atom in enumerate(atoms):
            if any(not later.sure for later in atoms[place + 1 :]):
                self.powers += atom.endless
            else:
                endless += atom.endless
            near = [*atoms[max(0, place - 1) : place], *atoms[place + 1 : place + 2]]
            held = atom.greedy or place + 1 < len(atoms)
            lone = self._depth == 1 and atom.endless and held and not any(other.open or other.empty for other in near)
            if atom.open and not lone:
                self.wide = False
        return endless

    def _quantified(self, atom: _Atom) -> _Atom:
        mark = self._peek()
        match = _COUNT.match(self._source, self._at) if mark == "{" else None
        if mark not in ("*", "+", "?") and match is None:
            self.size += 1
            return atom
        if (atom.group and mark != "?") or (atom.empty and not atom.group):
            raise NotSame
        text = match.group() if match else mark
        self._at += len(text)
        least, most = _bounds(mark, match)
        self.size += max(1, least)
        if atom.open and least > 1:
            self.wide = False  # two halves of a character are enough
        if most is not None:
            self._choose(most - least + 1)
        greedy = self._peek() != "?"
        if not greedy:
            self._at += 1
            text += "?"
        if self._peek() in ("*", "+", "?", "{"):
            raise NotSame
        return _Atom(
            atom.text + text,
            open=atom.open,
            empty=atom.empty or not least,
            sure=atom.sure or not least,
            endless=atom.endless + (most is None),
            greedy=greedy,
            group=atom.group,
        )

    def _atom(self) -> _Atom:
        letter = self._peek()
        self._at += 1
        if letter == "(":
            return self._group()
        if letter == "[":
            return self._class()
        if letter == ".":
            return _Atom(self._dot, open=True)
        if letter == "^":
            return _Atom(f"(?<![^{_LINES}])" if self._lines else r"\A", empty=True)
        if letter == "$":
            return _Atom(f"(?![^{_LINES}])" if self._lines else r"\Z", empty=True)
        if letter == "\\":
            return self._escape()
        if letter in ("*", "+", "?", "{", "}"):
            raise NotSame
        return _Atom(_literal(letter))

    def _group(self) -> _Atom:
        plain = self._source.startswith("?:", self._at)
        if self._peek() == "?" and not plain:
            raise NotSame
        self._at += 2 if plain else 0
        inner = self._alternatives()
        if self._peek() != ")":
            raise NotSame
        self._at += 1
        text = f"({'?:' if plain else ''}{inner.text})"
        return _Atom(text, inner.open, inner.empty, inner.sure, inner.endless, group=True)

    def _escape(self) -> _Atom:
        letter = self._peek()
        if letter == "b":
            self._at += 1
            return _Atom(r"\b", empty=True)
        if letter in _CLASSES and letter:
            self._at += 1
            return _Atom(f"[{_CLASSES[letter]}]", open=letter.isupper())
        return _Atom(_literal(self._escaped()))

    def _escaped(self) -> str:
        """The character that an escape stands for."""
        letter = self._peek()
        match = _HEX.match(self._source, self._at)
        if match is not None:
            self._at = match.end()
            return chr(int(match.group(1), 16))
        if not letter or (letter.isalnum() and letter not in _ESCAPES) or letter == "_" or not letter.isascii():
            raise NotSame
        self._at += 1
        return _ESCAPES.get(letter, letter)

    def _class(self) -> _Atom:
        negative = self._peek() == "^"
        self._at += int(negative)
        parts: list[str] = []
        named: set[str] = set()
        while (letter := self._peek()) != "]":
            if not letter:
                raise NotSame
            if letter == "\\" and self._source[self._at + 1 : self._at + 2] in ("d", "w", "s", "D", "W", "S"):
                named.add(self._source[self._at + 1])
                parts.append(_CLASSES[self._source[self._at + 1]])
                self._at += 2
            else:
                parts.append(self._range())
        self._at += 1
        if named & {"D", "W", "S"}:
            if named not in ({"s", "S"}, {"d", "D"}, {"w", "W"}) or negative:
                raise NotSame
            return _Atom("[\\s\\S]", open=True)
        if not parts:
            raise NotSame
        return _Atom(f"[{'^' if negative else ''}{''.join(parts)}]", open=negative)

    def _range(self) -> str:
        first = self._member()
        if self._peek() != "-" or self._source[self._at + 1 : self._at + 2] in ("]", ""):
            return _literal(first)
        self._at += 1
        if self._source[self._at : self._at + 2] in ("\\d", "\\w", "\\s", "\\D", "\\W", "\\S"):
            raise NotSame
        last = self._member()
        if first > last or first < "\ud800" < last:
            raise NotSame  # halves of characters would be among them
        return f"{_literal(first)}-{_literal(last)}"

    def _member(self) -> str:
        letter = self._peek()
        self._at += 1
        if letter != "\\":
            return _whole(letter)
        if self._peek() in ("b", "-"):
            self._at += 1
            return "\b" if self._source[self._at - 1] == "b" else "-"
        return _whole(self._escaped())


def _whole(letter: str) -> str:
    """A character that is one to JavaScript too."""
    if not letter or letter > "\uffff" or "\ud800" <= letter <= "\udfff":
        raise NotSame
    return letter


def _literal(letter: str) -> str:
    return re.escape(_whole(letter))


@lru_cache(256)
def pattern_of(source: str, flags: str) -> ScriptPattern:
    """The pattern. Raises `NotSame`."""
    if len(source) > _MOST or not set(flags) <= set("gims") or len(set(flags)) < len(flags):
        raise NotSame
    if "i" in flags and (not source.isascii() or "\\u" in source):
        raise NotSame  # Python knows other pairs of letters
    options = re.ASCII | (re.IGNORECASE if "i" in flags else 0)
    opening, rest = _opening(source, flags)
    reader = _Reader(rest, flags)
    found = reader.whole()
    if found.empty:
        raise NotSame
    work = WORK / reader.choices / max(1, reader.size / _STEP)
    longest = min(LONGEST, int(work ** (1 / (reader.powers + 1))))
    compiled = re.compile(opening + found.text, options)
    return ScriptPattern(compiled, "g" in flags, longest, reader.wide and not (opening and rest[0] in "([.\\"))


_EVERYTHING = "[\\s\\S]*"


def _opening(source: str, flags: str) -> tuple[str, str]:
    """The text before the rest in Python: a search that begins with anything at all is one from the start."""
    rest = source.removeprefix(_EVERYTHING)
    if rest == source or "g" in flags or "|" in source or rest[:1] in ("", "?", "*", "+", "{"):
        return "", source
    return r"\A[\s\S]*", rest
