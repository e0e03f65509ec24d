"""Texts on a screen: without frames, wrapped anywhere, and compared with what was typed."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence

_FRAME = "│┃║▌▎╎┆"
_DRAWN = "─━═╌┄╭╮╰╯┌┐└┘├┤┬┴┼▀▄█╹╻"
"""The characters that make up lines of a frame."""


def unframed(line: str) -> str:
    """Without the frame at its sides; a line that is only frame becomes empty."""
    inner = line.rstrip().rstrip(_FRAME).rstrip()
    bare = inner.lstrip()
    if bare[:1] and bare[0] in _FRAME:
        inner = bare[1:]
    return "" if inner.strip() and not inner.strip().strip(_DRAWN + _FRAME + " ") else inner


def dedented(lines: Sequence[str]) -> str:
    """Without empty lines around it, more than one inside, and what all lines are indented by."""
    made: list[str] = []
    for line in lines:
        if line.strip() or (made and made[-1].strip()):
            made.append(line.rstrip())
    return textwrap.dedent("\n".join(made)).strip("\n")


def letters(text: str) -> str:
    """Letters and digits alone."""
    return "".join(character for character in unicodedata.normalize("NFC", text) if character.isalnum())


def key(text: str) -> str:
    """The part of a text that a screen shows in any case: letters and digits; of one that has none, its other
    characters.
    """
    return letters(text) or "".join(unicodedata.normalize("NFC", text).split())
