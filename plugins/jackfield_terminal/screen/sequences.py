"""Output of a program, taken apart: texts, controls and escape sequences, whole ones only.

Source: ECMA-48 section 5; xterm's control sequences. The output of a program is not to be trusted: nothing here fails,
and nothing is kept without bounds.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

SILENT = 64 * 1024
"""Characters of one unfinished escape sequence; of a longer one, such as a picture, nothing counts but its end."""
LARGEST = 9999
"""The largest value of a number in a sequence."""
_DIGITS = 8
_PARAMETERS = 32

_TOKEN = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    r"|\x1b\[(?P<parameters>[0-?\x00-\x17\x19\x1c-\x1f]*)(?P<middle>[ -/]*)(?P<final>[@-~])"
    r"|\x1b\](?P<command>[^\x07\x18\x1a\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1b[PX^_](?P<string>[^\x18\x1a\x1b]*)\x1b\\"
    r"|\x1b(?P<escape>[ -/]*[0-OQ-WYZ\\`-~])"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f-\x9f])"
)
_UNFINISHED = re.compile(
    r"\x1b(?:\[[0-?\x00-\x17\x19\x1c-\x1f]*[ -/]*|\][^\x07\x18\x1a\x1b]*\x1b?|[PX^_][^\x18\x1a\x1b]*\x1b?|[ -/]*)\Z"
)
_BROKEN_OFF = re.compile(
    r"\x1b(?:\[[0-?\x00-\x17\x19\x1c-\x1f]*[ -/]*|\][^\x07\x18\x1a\x1b]*|[PX^_][^\x18\x1a\x1b]*|[ -/]*)[\x18\x1a]?"
)
_INSIDE = re.compile(r"[\x00-\x1f]")


class ScreenToken(NamedTuple):
    """Kind and value: `text`, its characters.

    `control`, one. `escape`, the characters after the escape character. `sequence`, its private mark, intermediate
    characters and last one, such as `?h`. `command`, the text of an OSC. `numbers`: of a sequence; of one with parts,
    the first.
    """

    kind: Literal["text", "control", "escape", "sequence", "command"]
    value: str
    numbers: tuple[int, ...] = ()


class Sequences:
    """Takes bytes as they come, and keeps what is unfinished."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""

    def feed(self, data: bytes) -> Iterator[ScreenToken]:
        text = self._pending + self._decoder.decode(data)
        self._pending = ""
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is not None:
                at = found.end()
                yield from _tokens(found)
            elif (rest := _UNFINISHED.match(text, at)) is not None:
                self._pending = text[at:] if rest.end() - at <= SILENT else _shortened(text[at:])
                return
            else:  # broken off by another one, or cancelled
                broken = _BROKEN_OFF.match(text, at)
                at = broken.end() if broken is not None else at + 1


def _shortened(pending: str) -> str:
    """A text that ends where the sequence ends, and means nothing."""
    mark = {"]": "?", "[": "="}.get(pending[1], "")
    return pending[:2] + mark + ("\x1b" if pending.endswith("\x1b") else "")


def _tokens(found: re.Match[str]) -> Iterator[ScreenToken]:
    match found.lastgroup:
        case "text":
            yield ScreenToken("text", found["text"])
        case "control":
            yield ScreenToken("control", found["control"])
        case "final":
            parameters = found["parameters"]
            if not parameters.isprintable():  # controls count although they are inside of a sequence
                for control in _INSIDE.findall(parameters):
                    yield ScreenToken("control", control)
                parameters = _INSIDE.sub("", parameters)
            mark = parameters[:1] if parameters[:1] in "<=>?" else ""
            numbers = _numbers(parameters[len(mark) :])
            yield ScreenToken("sequence", mark + found["middle"] + found["final"], numbers)
        case "escape":
            yield ScreenToken("escape", found["escape"])
        case "command":
            yield ScreenToken("command", found["command"])


def _numbers(parameters: str) -> tuple[int, ...]:
    """A missing one is 0."""
    if not parameters:
        return ()
    firsts = (part.partition(":")[0] for part in parameters.split(";")[:_PARAMETERS])
    return tuple(min(int(first[:_DIGITS]), LARGEST) if first.isdecimal() else 0 for first in firsts)
