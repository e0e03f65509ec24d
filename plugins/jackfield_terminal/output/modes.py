"""The state to know of output that was forgotten. These are the terminal's modes at the cut, and whether the cut is
inside of a character or an escape sequence.

Source: ECMA-48 (sequences), xterm's control sequences (private modes).
"""

from __future__ import annotations

import re

LONGEST = 4096
"""Bytes of an unfinished escape sequence that are kept; of a longer one, such as a picture, only how it begins."""

_SEQUENCE = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]"
    rb"|\][^\x07\x18\x1a\x1b]*(?:\x07|\x1b\\)"
    rb"|[PX^_][^\x18\x1a\x1b]*\x1b\\"
    rb"|[ -/]+[0-~]"
    rb"|[0-OQ-WYZ\\`-~])"
)
_UNFINISHED = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x18\x1a\x1b]*\x1b?|[PX^_][^\x18\x1a\x1b]*\x1b?|[ -/]*)\Z",
)
_BROKEN_OFF = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x18\x1a\x1b]*|[PX^_][^\x18\x1a\x1b]*|[ -/]*)[\x18\x1a]?")
_MODES = re.compile(rb"\x1b(?:\[\?([0-9;]{1,64})([hl])|(c)|([=>])|\[(!)p)")
_RESTORED = frozenset((1, 6, 7, 9, 25, 47, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1047, 1049, 2004))
"""Cursor keys, origin, wrap, mouse reports, cursor, alternate screens, keypad, focus reports, bracketed paste."""
_ON_AT_FIRST = frozenset((7, 25))
_ALTERNATE = frozenset((47, 1047, 1049))


class TerminalModes:
    """Private modes that differ from a fresh terminal's."""

    def __init__(self) -> None:
        self._changed: dict[int, bool] = {}

    def feed(self, data: bytes) -> None:
        if b"\x1b" not in data:
            return
        for match in _MODES.finditer(data):
            numbers, switch, reset, keypad, soft = match.groups()
            if reset or soft:
                self._changed.clear()
            elif keypad:
                self._set(66, on=keypad == b"=")
            else:
                for number in numbers.split(b";"):
                    if number:
                        self._set(int(number), on=switch == b"h")

    def _set(self, mode: int, *, on: bool) -> None:
        if mode not in _RESTORED:
            return
        if on == (mode in _ON_AT_FIRST):
            self._changed.pop(mode, None)
        else:
            self._changed[mode] = on

    def restoring(self) -> bytes:
        """The bytes that put a fresh terminal into these modes; nothing when there is nothing to change."""
        # The alternate screen comes first: entering it saves the cursor of the main one.
        ordered = sorted(self._changed.items(), key=lambda item: (item[0] not in _ALTERNATE, item[0]))
        return b"".join(b"\x1b[?%d%c" % (mode, b"h"[0] if on else b"l"[0]) for mode, on in ordered)

    def copy(self) -> TerminalModes:
        made = TerminalModes()
        made._changed = dict(self._changed)
        return made


class ForgottenOutput:
    """Output that is gone: its modes, and its last bytes as far as they may belong to what follows."""

    def __init__(self) -> None:
        self.modes = TerminalModes()
        self._pending = b""
        """An unfinished escape sequence or character at the end."""

    def feed(self, data: bytes) -> None:
        joined = self._pending + data
        pending = _unfinished(joined)
        self.modes.feed(joined[: len(joined) - len(pending)] if pending else joined)
        self._pending = _shortened(pending)

    def restoring(self) -> bytes:
        """The bytes that bring a fresh one into this state, when it is fed with them."""
        return self.modes.restoring() + self._pending

    def rest_of_sequence(self, following: bytes) -> int:
        """How many bytes of what follows end a sequence or a character that began before."""
        pending = self._pending
        if not pending:
            return 0
        if pending[0] != 0x1B:
            return min(_missing(pending), len(following))
        joined = pending + following
        match = _SEQUENCE.match(joined) or _BROKEN_OFF.match(joined)
        return max(0, match.end() - len(pending)) if match else 0

    def copy(self) -> ForgottenOutput:
        made = ForgottenOutput()
        made.modes = self.modes.copy()
        made._pending = self._pending
        return made


def _unfinished(text: bytes) -> bytes:
    """The unfinished sequence, or else the unfinished character, at the end of the text."""
    # Nothing goes on over an escape character but a string, which one begins to end.
    at = text.rfind(b"\x1b")
    before = text.rfind(b"\x1b", 0, at) if 0 <= at == len(text) - 1 else -1
    for start in (before, at):
        if start >= 0 and not _SEQUENCE.match(text, start) and _UNFINISHED.match(text, start):
            return text[start:]
    tail = text[-3:]
    for size in (1, 2, 3):
        if size <= len(tail) and tail[-size] >= 0xC0:
            return tail[-size:] if _missing(tail[-size:]) > 0 else b""
        if size <= len(tail) and tail[-size] < 0x80:
            break
    return b""


def _missing(character: bytes) -> int:
    """Bytes that the UTF-8 character still lacks."""
    first = character[0]
    length = 2 if 0xC2 <= first < 0xE0 else 3 if 0xE0 <= first < 0xF0 else 4 if 0xF0 <= first < 0xF5 else 1
    return length - len(character)


def _shortened(pending: bytes) -> bytes:
    """The bytes that end where the sequence ends, `LONGEST` at most."""
    if len(pending) <= LONGEST:
        return pending
    return pending[:2] + (b"\x1b" if pending.endswith(b"\x1b") else b"")
