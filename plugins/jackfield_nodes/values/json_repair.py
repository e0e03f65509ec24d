"""JSON that was written with mistakes, as people and models write it, read as it was meant.

The rules are those of jsonrepair, which n8n uses where a parameter holds JSON. They fix line breaks and quotation marks
inside of texts, single and typographic ones around them, and names and texts without any. They also fix commas and
brackets that are missing or too many, comments, and values that JSON has no word for.
"""

from __future__ import annotations

import json
import re

from jackfield.api.jsontext import Json

QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "’": "’", "”": "”", "´": "´"}
"""Opening mark -> closing mark."""
WORDS: dict[str, Json] = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "undefined": None,
}  # fmt: skip
BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,:\]}]|$)")
ADDRESS = re.compile(r"[A-Za-z][A-Za-z+.-]*://[^\s,\"}\]]*")
BARE = re.compile(r"[^,:\[\]{}\n\"/]+|/(?![/*])")
ENDS = re.compile(r"\s*(?:[,:\]}]|$)")
ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
NAME = re.compile(r"[^\s:,{}\[\]\"]+")
DEEPEST = 200


class Hopeless(ValueError):
    """Nobody can say what was meant."""

    def __str__(self) -> str:
        return "not valid JSON"


def repaired(text: str) -> Json:
    """Raises `Hopeless`."""
    reader = _Reader(text)
    found = reader.value(0)
    reader.skip()
    if reader.place < len(text):
        raise Hopeless
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def skip(self) -> str:
        """The next letter that is no blank and in no comment."""
        found = BLANK.match(self.text, self.place)
        self.place = found.end() if found else self.place
        return self.text[self.place : self.place + 1]

    def value(self, depth: int) -> Json:
        if depth > DEEPEST:
            raise Hopeless
        letter = self.skip()
        if letter == "{":
            return self._object(depth)
        if letter == "[":
            return self._list(depth)
        if letter in QUOTES:
            return self._text(letter)
        if number := NUMBER.match(self.text, self.place):
            self.place = number.end()
            return json.loads(number[0])  # type: ignore[no-any-return]  # a number
        return self._bare()

    def _object(self, depth: int) -> Json:
        self.place += 1
        made: dict[str, Json] = {}
        while (letter := self.skip()) not in ("}", ""):
            if letter == ",":
                self.place += 1
                continue
            name = self._text(letter) if letter in QUOTES else self._name()
            if self.skip() != ":":
                raise Hopeless
            self.place += 1
            made[name] = None if self.skip() in (",", "}") else self.value(depth + 1)
        self.place += 1
        return made

    def _list(self, depth: int) -> Json:
        self.place += 1
        made: list[Json] = []
        while (letter := self.skip()) not in ("]", ""):
            if letter == ",":
                self.place += 1
                continue
            if letter in "}:":
                raise Hopeless
            made.append(self.value(depth + 1))
        self.place += 1
        return made

    def _name(self) -> str:
        found = NAME.match(self.text, self.place)
        if found is None:
            raise Hopeless
        self.place = found.end()
        return found[0]

    def _bare(self) -> Json:
        """A word, or a text without quotation marks."""
        start = self.place
        if address := ADDRESS.match(self.text, start):
            self.place = address.end()
            return address[0]
        while found := BARE.match(self.text, self.place):
            self.place = found.end()
        word = self.text[start : self.place].strip()
        if not word:
            raise Hopeless
        return WORDS.get(word, word)

    def _text(self, mark: str) -> str:
        """A quotation mark ends the text where something follows that may follow a text."""
        closing, made = QUOTES[mark], []
        self.place += 1
        while self.place < len(self.text):
            letter = self.text[self.place]
            self.place += 1
            if letter == "\\":
                made.append(self._escape())
            elif letter == closing and ENDS.match(self.text, self.place):
                return "".join(made)
            else:
                made.append(letter)
        raise Hopeless

    def _escape(self) -> str:
        letter = self.text[self.place : self.place + 1]
        self.place += 1
        code = self.text[self.place : self.place + 4]
        if letter == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", code):
            self.place += 4
            return chr(int(code, 16))
        return ESCAPES.get(letter, letter)
