"""Names of keys, as a script gives them, and what a terminal sends for them.

Source: xterm's control sequences, normal cursor keys.
"""

from __future__ import annotations

import re

from jackfield.api.errors import InvalidInput

_NAMED = {
    "enter": b"\r",
    "tab": b"\t",
    "backtab": b"\x1b[Z",
    "space": b" ",
    "escape": b"\x1b",
    "backspace": b"\x7f",
    "delete": b"\x1b[3~",
    "insert": b"\x1b[2~",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "home": b"\x1b[H",
    "end": b"\x1b[F",
    "pageup": b"\x1b[5~",
    "pagedown": b"\x1b[6~",
}
_NAMED |= {f"f{n}": b"\x1bO" + bytes([0x4F + n]) for n in range(1, 5)}
_NAMED |= {f"f{n}": b"\x1b[%d~" % code for n, code in zip(range(5, 13), (15, 17, 18, 19, 20, 21, 23, 24), strict=True)}
_CHORD = re.compile(r"(ctrl|alt)-(.)\Z", re.DOTALL)


def sequence(name: str) -> bytes:
    """What a key sends: a name of the table, `ctrl-c`, `alt-x`, or one character. Raises `InvalidInput`."""
    lower = name.lower()
    if lower in _NAMED:
        return _NAMED[lower]
    chord = _CHORD.fullmatch(lower)
    if chord is not None:
        kind, character = chord.groups()
        if kind == "alt":
            return b"\x1b" + name[-1].encode()
        # Not every upper-case form is one character: the one of sharp s is two.
        if character.isascii() and "@" <= character.upper() <= "_":
            return bytes([ord(character.upper()) & 0x1F])
    if len(name) == 1:
        return name.encode()
    known = ", ".join(sorted(_NAMED))
    raise InvalidInput(
        f"There is no key {name[:40]!r}.", details={"keys": f"give one of {known}, ctrl-c, alt-x, or one character"}
    )
