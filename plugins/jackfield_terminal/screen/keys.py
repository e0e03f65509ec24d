"""The bytes that a terminal sends for a key.

Source: xterm's control sequences, normal cursor keys.
"""

from __future__ import annotations

from jackfield.api.errors import InvalidInput
from jackfield.api.key_names import KEYS_TOLD, key_named

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


def sequence(name: str) -> bytes:
    """The bytes of a key (`jackfield.api.key_names`). Raises `InvalidInput`."""
    found = key_named(name)
    if found is None:
        raise InvalidInput(f"There is no key {name[:40]!r}.", details={"keys": KEYS_TOLD})
    if found.kind == "named":
        return _NAMED[found.key]
    if found.kind == "ctrl":
        return bytes([ord(found.key) & 0x1F])
    return b"\x1b" + found.key.encode() if found.kind == "alt" else found.key.encode()
