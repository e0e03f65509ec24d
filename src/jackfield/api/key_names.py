"""Names of keys, as scripts and manifests give them: a name of `NAMED_KEYS`, `ctrl-c`, `alt-x`, or one character."""

from __future__ import annotations

import re
from typing import Literal

from .records import record

NAMED_KEYS = (
    "enter", "tab", "backtab", "space", "escape", "backspace", "delete", "insert", "up", "down", "right", "left",
    "home", "end", "pageup", "pagedown", *(f"f{number}" for number in range(1, 13)),
)  # fmt: skip
KEYS_TOLD = f"give one of {', '.join(sorted(NAMED_KEYS))}, ctrl-c, alt-x, or one character"
"""The remedy for a name that is none."""
_CHORD = re.compile(r"(ctrl|alt)-(.)\Z", re.DOTALL | re.IGNORECASE)


@record
class Key:
    """key: a name in lower case, or the character."""

    kind: Literal["named", "ctrl", "alt", "character"]
    key: str


def key_named(name: str) -> Key | None:
    """Case does not matter, except for the character of `alt-X`. None: there is no such key."""
    if name.lower() in NAMED_KEYS:
        return Key("named", name.lower())
    chord = _CHORD.fullmatch(name)
    if chord is not None:
        character = chord[2]
        if chord[1].lower() == "alt":
            return Key("alt", character)
        # Not every upper-case form is one character: the one of sharp s is two.
        if character.isascii() and "@" <= character.upper() <= "_":
            return Key("ctrl", character.upper())
    return Key("character", name) if len(name) == 1 else None
