"""pyte's screen, with the alternate screen that full-screen programs use, and with bounds: what a program prints is
not to be trusted, and pyte trusts it.
"""

from __future__ import annotations

import contextlib
import copy
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any
from unicodedata import combining

import pyte
from pyte import modes as pyte_modes
from pyte.screens import StaticDefaultDict, wcwidth

from jackfield_terminal.screen import Snapshot

BUDGET = 3.0
"""Seconds of a processor that one feed may take, seven times what an ordinary one does; what is left then is left out.
Three bytes can fill a million cells."""
SLICE = 4096
"""Bytes after which it is looked at in any case."""
SILENT = 64 * 1024
"""Bytes of one escape sequence, after which it is given up: pyte keeps all of an unfinished one."""
MARKS = 8
"""Combining characters that one cell may have."""
SAVED = 32
"""Cursors that may be saved at a time."""
TITLE = 1000
"""Characters."""
_ALTERNATE = frozenset((47, 1047, 1049))


class _Spent(BaseException):
    """A feed has used its time. Not an `Exception`, which is an event that failed."""


class _Screen(pyte.Screen):
    """Entering the alternate screen keeps the main one aside."""

    def __init__(self, columns: int, lines: int) -> None:
        self._main: tuple[Any, Any] | None = None  # pyte's buffer and cursor
        super().__init__(columns, lines)

    @property
    def alternate(self) -> bool:
        return self._main is not None

    def set_mode(self, *modes: int, **options: Any) -> None:  # pyte's signature
        if options.get("private") and _ALTERNATE.intersection(modes) and self._main is None:
            self._main = (self.buffer, copy.copy(self.cursor))
            self.buffer = defaultdict(lambda: StaticDefaultDict(self.default_char))
            self.dirty.update(range(self.lines))
        super().set_mode(*modes, **options)

    def reset_mode(self, *modes: int, **options: Any) -> None:  # pyte's signature
        super().reset_mode(*modes, **options)
        if options.get("private") and _ALTERNATE.intersection(modes) and self._main is not None:
            self.buffer, self.cursor = self._main
            self._main = None
            self.cursor.y = min(self.cursor.y, self.lines - 1)
            self.cursor.x = min(self.cursor.x, self.columns - 1)
            self.dirty.update(range(self.lines))

    def reset(self) -> None:
        self._main = None
        super().reset()

    def draw(self, data: str) -> None:
        """pyte leaves out all that follows a character which takes no room, such as a variation selector."""
        super().draw(data if data.isascii() and data.isprintable() else self._drawable(data))

    def _drawable(self, data: str) -> str:
        """What takes room, each with a few marks."""
        kept: list[str] = []
        marks = len(self.buffer[self.cursor.y][max(0, self.cursor.x - 1)].data)
        for character in data:
            if wcwidth(character) > 0:
                marks = 0
            elif not combining(character) or marks >= MARKS:
                continue
            else:
                marks += 1
            kept.append(character)
        return "".join(kept)

    def save_cursor(self) -> None:
        super().save_cursor()
        del self.savepoints[:-SAVED]

    def set_title(self, param: str) -> None:
        super().set_title(param[:TITLE])

    def set_icon_name(self, param: str) -> None:
        super().set_icon_name(param[:TITLE])


class _Listener:
    """Hands events on to the screen. One that it does not understand, such as a private form of a sequence, does
    nothing."""

    def __init__(self, screen: _Screen) -> None:
        self._screen = screen
        self.until = 0.0
        """On the clock of the thread."""
        self.events = 0

    def __getattr__(self, name: str) -> Callable[..., None]:
        found = getattr(self._screen, name)

        def heed(*values: Any, **options: Any) -> None:  # pyte's events have many signatures
            self.events += 1
            if time.thread_time() > self.until:
                raise _Spent
            with contextlib.suppress(Exception):
                found(*values, **options)

        return heed


class Emulator:
    """One screen and the stream that draws on it."""

    def __init__(self, cols: int, rows: int) -> None:
        self._screen = _Screen(cols, rows)
        self._listener = _Listener(self._screen)
        self._stream = pyte.ByteStream(self._listener)
        self._silent = 0

    def resize(self, cols: int, rows: int) -> None:
        if (self._screen.columns, self._screen.lines) != (cols, rows):
            self._screen.resize(rows, cols)

    def feed(self, data: bytes) -> None:
        """At most `BUDGET` seconds of it."""
        self._listener.until = time.thread_time() + BUDGET
        for start in range(0, len(data), SLICE):
            before = self._listener.events
            try:
                self._stream.feed(data[start : start + SLICE])
            except _Spent:
                self._begin_anew()
                return
            except Exception:  # whatever the parser trips over, such as a number of 5,000 digits
                self._begin_anew()
            self._silent = 0 if self._listener.events > before else self._silent + SLICE
            if self._silent >= SILENT:
                self._begin_anew()

    def _begin_anew(self) -> None:
        """With the next text, whatever the sequence was."""
        self._stream = pyte.ByteStream(self._listener)
        self._silent = 0

    def snapshot(self, offset: int) -> Snapshot:
        screen = self._screen
        return Snapshot(
            cols=screen.columns,
            rows=screen.lines,
            lines=tuple(_text(screen.buffer[row], screen.columns) for row in range(screen.lines)),
            row=min(screen.cursor.y, screen.lines - 1),
            col=min(screen.cursor.x, screen.columns - 1),
            cursor_visible=pyte_modes.DECTCEM in screen.mode and not screen.cursor.hidden,
            alternate=screen.alternate,
            title=screen.title,
            offset=offset,
        )


def _text(line: Mapping[int, Any], columns: int) -> str:
    """A row without trailing spaces. A wide character has an empty cell behind it; of one that was half overwritten a
    space is left, as terminals have it."""
    found: list[str] = []
    wide = False
    for column in range(columns):
        text = line[column].data
        if text and wide:
            found[-1] = " "
        found.append(text if text or wide else " ")
        wide = bool(text) and not text.isascii() and wcwidth(text[0]) == 2
    return "".join(found).rstrip()
