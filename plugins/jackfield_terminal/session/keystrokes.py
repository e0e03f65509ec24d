"""The last text that people have typed into a session: an agent answers that as well."""

from __future__ import annotations

import re

KEPT = 4096
"""Bytes."""
_SEQUENCES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
_RETURN = re.compile(r"[\r\n]")
_ERASE, _EMPTY = "\x08\x7f", "\x03\x15"
"""Keys that take back the last character, and all of them."""


class Keystrokes:
    """count: of all bytes so far."""

    def __init__(self) -> None:
        self.count = 0
        self._last = bytearray()

    def add(self, data: bytes) -> None:
        self.count += len(data)
        self._last += data[-KEPT:]
        del self._last[:-KEPT]

    def lines_since(self, count: int) -> list[str]:
        """Those that were sent off by a return, as far as they are kept."""
        new = min(self.count - count, len(self._last))
        text = self._last[len(self._last) - new :].decode(errors="replace")
        return [_edited(line) for line in _RETURN.split(_SEQUENCES.sub("", text))[:-1]]


def _edited(line: str) -> str:
    made: list[str] = []
    for character in line:
        if character in _EMPTY:
            made.clear()
        elif character not in _ERASE:
            made.append(character)
        elif made:
            made.pop()
    return "".join(made)
