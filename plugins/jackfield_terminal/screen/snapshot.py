"""The content of a screen at one moment."""

from __future__ import annotations

from jackfield.api.records import record


@record
class Snapshot:
    """lines: the rows from the top, without trailing spaces; row, col: of the cursor, from 0. offset: how much output
    it has seen. Two of one offset are the same."""

    cols: int
    rows: int
    lines: tuple[str, ...]
    row: int
    col: int
    cursor_visible: bool
    alternate: bool
    title: str
    offset: int

    @property
    def text(self) -> str:
        return "\n".join(self.lines).rstrip("\n")
