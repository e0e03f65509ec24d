"""The cells of a terminal's screen, and what erases, shifts and scrolls them. Texts alone: nobody asks for colours.

A cell has one character with its marks. A wide character stands in the first of two cells, the second is empty text. A
character that overwrites one half leaves a blank in the other, as terminals have it.
"""

from __future__ import annotations

BLANK = " "


class Grid:
    """Rows and columns count from 0. The caller keeps them within the screen."""

    def __init__(self, cols: int, rows: int) -> None:
        self.cols, self.rows = cols, rows
        self._cells = [self._blank() for _ in range(rows)]

    def _blank(self) -> list[str]:
        return [BLANK] * self.cols

    def text(self, row: int) -> str:
        """Without trailing spaces."""
        return "".join(self._cells[row]).rstrip()

    def cell(self, row: int, col: int) -> str:
        return self._cells[row][col]

    def set_cell(self, row: int, col: int, text: str) -> None:
        """Of a character that is there already, with another mark."""
        self._cells[row][col] = text

    def _part(self, row: int, col: int) -> None:
        """No wide character lies across this border."""
        cells = self._cells[row]
        if 0 < col < self.cols and not cells[col]:
            cells[col - 1] = cells[col] = BLANK

    def write(self, row: int, col: int, text: str) -> None:
        """Narrow characters, all within the row."""
        end = col + len(text)
        self._part(row, col)
        self._part(row, end)
        self._cells[row][col:end] = text

    def write_wide(self, row: int, col: int, text: str) -> None:
        self._part(row, col)
        self._part(row, col + 2)
        self._cells[row][col : col + 2] = (text, "")

    def erase(self, row: int, start: int, end: int) -> None:
        """Columns from start up to end, without it."""
        if start >= end:
            return
        self._part(row, start)
        self._part(row, end)
        self._cells[row][start:end] = [BLANK] * (end - start)

    def erase_rows(self, start: int, end: int) -> None:
        for row in range(start, end):
            self._cells[row] = self._blank()

    def fill(self, text: str) -> None:
        for row in range(self.rows):
            self._cells[row] = [text] * self.cols

    def insert(self, row: int, col: int, count: int) -> None:
        """Blanks; what follows is shifted, and lost at the end."""
        count = min(count, self.cols - col)
        self._part(row, col)
        self._part(row, self.cols - count)
        cells = self._cells[row]
        cells[col:col] = [BLANK] * count
        del cells[self.cols :]

    def delete(self, row: int, col: int, count: int) -> None:
        """The cells after them are shifted; blanks come in at the end."""
        count = min(count, self.cols - col)
        self._part(row, col)
        self._part(row, col + count)
        cells = self._cells[row]
        del cells[col : col + count]
        cells += [BLANK] * count

    def scroll_up(self, top: int, bottom: int, count: int) -> None:
        """The rows from top to bottom, with both."""
        count = min(count, bottom - top + 1)
        del self._cells[top : top + count]
        place = bottom - count + 1
        self._cells[place:place] = [self._blank() for _ in range(count)]

    def scroll_down(self, top: int, bottom: int, count: int) -> None:
        count = min(count, bottom - top + 1)
        del self._cells[bottom - count + 1 : bottom + 1]
        self._cells[top:top] = [self._blank() for _ in range(count)]

    def resize(self, cols: int, rows: int, cursor: int) -> int:
        """Rows below the cursor go first, then those at the top. Gives how far the text has moved up."""
        below = min(max(0, self.rows - rows), self.rows - 1 - cursor)
        above = max(0, self.rows - rows - below)
        self._cells = self._cells[above : self.rows - below]
        for row, cells in enumerate(self._cells):
            if cols < self.cols:
                self._part(row, cols)
            self._cells[row] = cells[:cols] + [BLANK] * (cols - len(cells))
        self.cols = cols
        self._cells += [self._blank() for _ in range(rows - len(self._cells))]
        self.rows = rows
        return above
