"""A terminal as far as its text goes: an xterm's cursor, margins, modes and screens. Compared with tmux in the tests.

The output of a program is not to be trusted: every call has a limit of time, and everything that is kept one of size.

Source: ECMA-48; xterm's control sequences; DEC STD 070 for what happens at the last column.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from wcwidth import wcwidth

from jackfield_terminal.screen.grid import Grid
from jackfield_terminal.screen.sequences import ScreenToken, Sequences
from jackfield_terminal.screen.snapshot import Snapshot

BUDGET = 3.0
"""Seconds of a processor that one feed may take; what is left then is left out. Three bytes can fill a million
cells."""
SLICE = 4096
"""Bytes after which it is looked at in any case."""
MARKS = 8
"""Combining characters that one cell may have."""
TITLE = 1000
"""Characters."""
TAB = 8
_JOINER = "\u200d"
_VARIATIONS = range(0xFE00, 0xFE10)
_REGIONAL = range(0x1F1E6, 0x1F200)
_GRAPHICS = str.maketrans("`abcdefghijklmnopqrstuvwxyz{|}~", "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
"""DEC's line drawing."""
Numbers = tuple[int, ...]


class _Spent(Exception):
    """A feed has used its time."""


@dataclass(slots=True)
class _Cursor:
    """col is the number of columns after the last one was written: the next character wraps."""

    row: int = 0
    col: int = 0
    origin: bool = False
    graphics: list[bool] = field(default_factory=lambda: [False, False])
    shifted: int = 0

    def copy(self) -> _Cursor:
        return replace(self, graphics=list(self.graphics))


@lru_cache(4096)
def _width(character: str) -> int:
    return wcwidth(character)


class Emulator:
    """Fed with output; its screen is asked for with `snapshot`."""

    def __init__(self, cols: int, rows: int) -> None:
        self._sequences = Sequences()
        self._until = 0.0
        self._grid = Grid(cols, rows)
        self._reset()

    def _reset(self) -> None:
        self._grid = Grid(self._grid.cols, self._grid.rows)
        self._main: Grid | None = None
        """While the alternate screen is shown."""
        self._cursor, self._saved = _Cursor(), _Cursor()
        self._top, self._bottom = 0, self._grid.rows - 1
        self._wraps, self._inserts, self._returns, self._visible = True, False, False, True
        self._tabs = set(range(0, self._grid.cols, TAB))
        self._last = ""
        self._title = ""

    def _soft_reset(self, _: Numbers) -> None:
        self._top, self._bottom = 0, self._grid.rows - 1
        self._wraps, self._inserts, self._visible = True, False, True
        self._cursor.origin, self._cursor.graphics, self._cursor.shifted = False, [False, False], 0
        self._saved = _Cursor()

    def resize(self, cols: int, rows: int) -> None:
        grid, cursor = self._grid, self._cursor
        if (grid.cols, grid.rows) == (cols, rows):
            return
        self._tabs.update(range(-(-grid.cols // TAB) * TAB, cols, TAB))
        cursor.row -= grid.resize(cols, rows, cursor.row)
        if self._main is not None:
            self._saved.row -= self._main.resize(cols, rows, min(self._saved.row, self._main.rows - 1))
        self._top, self._bottom = 0, rows - 1
        self._clamp(cursor)
        self._clamp(self._saved)

    def _clamp(self, cursor: _Cursor) -> None:
        cursor.row = max(0, min(cursor.row, self._grid.rows - 1))
        cursor.col = max(0, min(cursor.col, self._grid.cols))

    def feed(self, data: bytes) -> None:
        """At most `BUDGET` seconds of it."""
        self._until = time.thread_time() + BUDGET
        try:
            for start in range(0, len(data), SLICE):
                for token in self._sequences.feed(data[start : start + SLICE]):
                    if time.thread_time() > self._until:
                        raise _Spent
                    self._obey(token)
        except _Spent:
            self._sequences = Sequences()

    def snapshot(self, offset: int) -> Snapshot:
        grid, cursor = self._grid, self._cursor
        return Snapshot(
            cols=grid.cols,
            rows=grid.rows,
            lines=tuple(grid.text(row) for row in range(grid.rows)),
            row=cursor.row,
            col=min(cursor.col, grid.cols - 1),
            cursor_visible=self._visible,
            alternate=self._main is not None,
            title=self._title,
            offset=offset,
        )

    def _obey(self, token: ScreenToken) -> None:
        if token.kind == "text":
            self._draw(token.value)
        elif token.kind == "command":
            number, _, text = token.value.partition(";")
            if number in ("0", "2"):
                self._title = text[:TITLE]
        elif token.kind == "sequence":
            found = _SEQUENCES.get(token.value)
            if found is not None:
                found(self, token.numbers)
        else:
            simple = (_CONTROLS if token.kind == "control" else _ESCAPES).get(token.value)
            if simple is not None:
                simple(self)

    # -- characters

    def _draw(self, text: str) -> None:
        if self._cursor.graphics[self._cursor.shifted]:
            text = text.translate(_GRAPHICS)
        if text.isascii() and not self._inserts:
            self._draw_narrow(text)
        else:
            for character in text:
                self._draw_one(character)

    def _draw_narrow(self, text: str) -> None:
        cursor, grid, at = self._cursor, self._grid, 0
        while at < len(text):
            self._wrap_before(1)
            room = grid.cols - cursor.col
            piece = text[at : at + room]
            if not self._wraps and len(text) - at > room:
                piece, at = piece[:-1] + text[-1], len(text)
            grid.write(cursor.row, cursor.col, piece)
            cursor.col += len(piece)
            at += len(piece)
        self._last = text[-1]

    def _draw_one(self, character: str) -> None:
        width = _width(character)
        if width <= 0 or self._joins(character):
            self._mark(character)
            return
        cursor, grid = self._cursor, self._grid
        if width > grid.cols:
            return
        self._wrap_before(width)
        if self._inserts:
            grid.insert(cursor.row, cursor.col, width)
        if width == 2:
            grid.write_wide(cursor.row, cursor.col, character)
        else:
            grid.write(cursor.row, cursor.col, character)
        cursor.col += width
        self._last = character

    def _wrap_before(self, width: int) -> None:
        """Room for what is `width` columns wide."""
        cursor = self._cursor
        if cursor.col + width <= self._grid.cols:
            return
        if self._wraps:
            cursor.col = 0
            self._index()
        else:
            cursor.col = self._grid.cols - width

    def _before(self) -> tuple[int, str]:
        """Column and text of the character before the cursor; -1 when there is none."""
        col = self._cursor.col - 1
        if col > 0 and not self._grid.cell(self._cursor.row, col):
            col -= 1
        return col, self._grid.cell(self._cursor.row, col) if col >= 0 else ""

    def _joins(self, character: str) -> bool:
        """To the character before it: behind a joiner, or as the second half of a flag."""
        if character.isascii():
            return False
        _, before = self._before()
        return before.endswith(_JOINER) or (
            ord(character) in _REGIONAL and len(before) == 1 and ord(before) in _REGIONAL
        )

    def _mark(self, character: str) -> None:
        """On the character before it. A joiner joins pictures, and whatever else takes no room is left out."""
        col, before = self._before()
        if col < 0 or len(before) > MARKS or ord(character) in _VARIATIONS:
            return
        if character == _JOINER:
            if not before or _width(before[0]) < 2:
                return
        elif unicodedata.category(character) in ("Cf", "Cc", "Cn"):
            return
        self._grid.set_cell(self._cursor.row, col, unicodedata.normalize("NFC", before + character))

    def _repeat(self, numbers: Numbers) -> None:
        if self._last:
            count = min(_count(numbers), self._grid.cols * self._grid.rows)
            if self._last.isascii() and not self._inserts:
                self._draw_narrow(self._last * count)
            else:
                for _ in range(count):
                    self._draw_one(self._last)

    # -- the cursor

    def _move(self, row: int, col: int) -> None:
        """Within the screen."""
        self._cursor.row = max(0, min(row, self._grid.rows - 1))
        self._cursor.col = max(0, min(col, self._grid.cols - 1))

    def _by(self, rows: int, cols: int) -> None:
        """Margins stop what is inside of them."""
        cursor = self._cursor
        row = cursor.row + rows
        if rows < 0 and cursor.row >= self._top:
            row = max(row, self._top)
        elif rows > 0 and cursor.row <= self._bottom:
            row = min(row, self._bottom)
        self._move(row, min(cursor.col, self._grid.cols - 1) + cols)

    def _to(self, row: int, col: int) -> None:
        """As a program counts: from the upper margin where it has asked for that."""
        if self._cursor.origin:
            self._move(min(row + self._top, self._bottom), col)
        else:
            self._move(row, col)

    def _back(self) -> None:
        self._by(0, -1)

    def _return(self) -> None:
        self._cursor.col = 0

    def _tab(self) -> None:
        self._tabulate((1,))

    def _tabulate(self, numbers: Numbers) -> None:
        col, last = self._cursor.col, self._grid.cols - 1
        for _ in range(min(_count(numbers), last)):
            col = next((stop for stop in range(col + 1, last) if stop in self._tabs), last)
        self._move(self._cursor.row, col)

    def _tabulate_back(self, numbers: Numbers) -> None:
        col = min(self._cursor.col, self._grid.cols - 1)
        for _ in range(min(_count(numbers), self._grid.cols)):
            col = next((stop for stop in range(col - 1, 0, -1) if stop in self._tabs), 0)
        self._move(self._cursor.row, col)

    def _set_tab(self) -> None:
        self._tabs.add(min(self._cursor.col, self._grid.cols - 1))

    def _clear_tabs(self, numbers: Numbers) -> None:
        if _first(numbers) == 3:
            self._tabs.clear()
        elif _first(numbers) == 0:
            self._tabs.discard(self._cursor.col)

    def _save(self) -> None:
        self._saved = self._cursor.copy()

    def _restore(self) -> None:
        self._cursor = self._saved.copy()
        self._clamp(self._cursor)

    def _shift(self, to: int) -> None:
        self._cursor.shifted = to

    def _choose(self, which: int, *, graphics: bool) -> None:
        self._cursor.graphics[which] = graphics

    # -- lines

    def _index(self) -> None:
        cursor = self._cursor
        if cursor.row == self._bottom:
            self._grid.scroll_up(self._top, self._bottom, 1)
        elif cursor.row < self._grid.rows - 1:
            cursor.row += 1

    def _reverse_index(self) -> None:
        cursor = self._cursor
        if cursor.row == self._top:
            self._grid.scroll_down(self._top, self._bottom, 1)
        elif cursor.row > 0:
            cursor.row -= 1

    def _feed_line(self) -> None:
        if self._returns:
            self._return()
        self._index()

    def _next_line(self) -> None:
        self._return()
        self._index()

    def _set_margins(self, numbers: Numbers) -> None:
        last = self._grid.rows - 1
        top, bottom = max(0, _first(numbers) - 1), min((_second(numbers) or last + 1) - 1, last)
        if top < bottom:
            self._top, self._bottom = top, bottom
            self._to(0, 0)

    def _insert_lines(self, numbers: Numbers) -> None:
        if self._top <= self._cursor.row <= self._bottom:
            self._grid.scroll_down(self._cursor.row, self._bottom, _count(numbers))
            self._return()

    def _delete_lines(self, numbers: Numbers) -> None:
        if self._top <= self._cursor.row <= self._bottom:
            self._grid.scroll_up(self._cursor.row, self._bottom, _count(numbers))
            self._return()

    def _scroll_down(self, numbers: Numbers) -> None:
        if len(numbers) <= 1:  # with more it is about a mouse
            self._grid.scroll_down(self._top, self._bottom, _count(numbers))

    def _erase_in_line(self, numbers: Numbers) -> None:
        row, col, cols = self._cursor.row, self._cursor.col, self._grid.cols
        match _first(numbers):
            case 0:
                self._grid.erase(row, col, cols)
            case 1:
                self._grid.erase(row, 0, min(col + 1, cols))
            case 2:
                self._grid.erase(row, 0, cols)

    def _erase_in_display(self, numbers: Numbers) -> None:
        row, how = self._cursor.row, _first(numbers)
        if how in (0, 1):
            self._erase_in_line((how,))
        match how:
            case 0:
                self._grid.erase_rows(row + 1, self._grid.rows)
            case 1:
                self._grid.erase_rows(0, row)
            case 2:
                self._grid.erase_rows(0, self._grid.rows)

    def _align(self) -> None:
        self._top, self._bottom = 0, self._grid.rows - 1
        self._move(0, 0)
        self._grid.fill("E")

    # -- modes

    def _switch(self, numbers: Numbers, *, on: bool) -> None:
        for number in numbers:
            if number == 4:
                self._inserts = on
            elif number == 20:
                self._returns = on

    def _switch_private(self, numbers: Numbers, *, on: bool) -> None:
        for number in numbers:
            match number:
                case 6:
                    self._cursor.origin = on
                    self._to(0, 0)
                case 7:
                    self._wraps = on
                case 25:
                    self._visible = on
                case 47 | 1047 | 1049:
                    self._alternate(on=on, cursor=number == 1049)
                case 1048:
                    self._save() if on else self._restore()

    def _alternate(self, *, on: bool, cursor: bool) -> None:
        if on and self._main is None:
            if cursor:
                self._save()
            self._main, self._grid = self._grid, Grid(self._grid.cols, self._grid.rows)
        elif not on and self._main is not None:
            self._grid, self._main = self._main, None
            if cursor:
                self._restore()


def _first(numbers: Numbers) -> int:
    return numbers[0] if numbers else 0


def _second(numbers: Numbers) -> int:
    return numbers[1] if len(numbers) > 1 else 0


def _count(numbers: Numbers) -> int:
    return max(1, _first(numbers))


_CONTROLS: dict[str, Callable[[Emulator], None]] = {
    "\b": Emulator._back,
    "\t": Emulator._tab,
    "\n": Emulator._feed_line,
    "\v": Emulator._feed_line,
    "\f": Emulator._feed_line,
    "\r": Emulator._return,
    "\x0e": lambda it: it._shift(1),
    "\x0f": lambda it: it._shift(0),
}
_ESCAPES: dict[str, Callable[[Emulator], None]] = {
    "7": Emulator._save,
    "8": Emulator._restore,
    "D": Emulator._index,
    "E": Emulator._next_line,
    "H": Emulator._set_tab,
    "M": Emulator._reverse_index,
    "c": Emulator._reset,
    "#8": Emulator._align,
    "(0": lambda it: it._choose(0, graphics=True),
    "(B": lambda it: it._choose(0, graphics=False),
    ")0": lambda it: it._choose(1, graphics=True),
    ")B": lambda it: it._choose(1, graphics=False),
}
_SEQUENCES: dict[str, Callable[[Emulator, Numbers], None]] = {
    "@": lambda it, n: it._grid.insert(it._cursor.row, it._cursor.col, _count(n)),
    "A": lambda it, n: it._by(-_count(n), 0),
    "B": lambda it, n: it._by(_count(n), 0),
    "C": lambda it, n: it._by(0, _count(n)),
    "D": lambda it, n: it._by(0, -_count(n)),
    "E": lambda it, n: it._by(_count(n), -it._grid.cols),
    "F": lambda it, n: it._by(-_count(n), -it._grid.cols),
    "G": lambda it, n: it._move(it._cursor.row, _count(n) - 1),
    "H": lambda it, n: it._to(_count(n) - 1, max(1, _second(n)) - 1),
    "I": Emulator._tabulate,
    "J": Emulator._erase_in_display,
    "K": Emulator._erase_in_line,
    "L": Emulator._insert_lines,
    "M": Emulator._delete_lines,
    "P": lambda it, n: it._grid.delete(it._cursor.row, it._cursor.col, _count(n)),
    "S": lambda it, n: it._grid.scroll_up(it._top, it._bottom, _count(n)),
    "T": Emulator._scroll_down,
    "X": lambda it, n: it._grid.erase(it._cursor.row, it._cursor.col, min(it._cursor.col + _count(n), it._grid.cols)),
    "Z": Emulator._tabulate_back,
    "`": lambda it, n: it._move(it._cursor.row, _count(n) - 1),
    "a": lambda it, n: it._by(0, _count(n)),
    "b": Emulator._repeat,
    "d": lambda it, n: it._to(_count(n) - 1, it._cursor.col),
    "e": lambda it, n: it._by(_count(n), 0),
    "f": lambda it, n: it._to(_count(n) - 1, max(1, _second(n)) - 1),
    "g": Emulator._clear_tabs,
    "h": lambda it, n: it._switch(n, on=True),
    "l": lambda it, n: it._switch(n, on=False),
    "r": Emulator._set_margins,
    "s": lambda it, _: it._save(),
    "u": lambda it, _: it._restore(),
    "?J": Emulator._erase_in_display,
    "?K": Emulator._erase_in_line,
    "?h": lambda it, n: it._switch_private(n, on=True),
    "?l": lambda it, n: it._switch_private(n, on=False),
    "!p": Emulator._soft_reset,
}
