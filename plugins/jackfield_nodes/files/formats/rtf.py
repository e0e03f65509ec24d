"""Rich text (RTF)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from striprtf.striprtf import rtf_to_text

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.tables import Cell, number_or_text, shown

_BEFORE_RTF = re.compile(rb"\s*\{\\rtf")


def read_rtf(content: bytes, budget: FileBudget) -> Iterator[Sequence[Cell]]:
    """The rows of its tables; a document without tables has one cell, named text. Raises `NodeError`."""
    if not _BEFORE_RTF.match(content):
        raise NodeError("The file is not in RTF format.")
    try:
        text = str(rtf_to_text(content.decode("latin-1"), errors="replace"))  # type: ignore[no-untyped-call]
    except Exception as exc:  # whatever a damaged file makes of the library
        raise NodeError(f"The file cannot be read as rtf ({type(exc).__name__}).") from exc
    if b"\\trowd" not in content:
        yield from (["text"], [text.strip()])
        return
    lines = (line for line in text.split("\n") if "|" in line)
    yield from budget.counted_rows([number_or_text(cell) for cell in line.rstrip("|").split("|")] for line in lines)


def write_rtf(rows: Iterable[Sequence[Cell]]) -> bytes:
    """A document with one table."""
    parts = ["{\\rtf1\\ansi"]
    for row in rows:
        ends = "".join(f"\\cellx{number}" for number in range(1, len(row) + 1))
        cells = "".join(" \\cell" if cell is None else f" {_rtf(shown(cell))}\\cell" for cell in row)
        parts.append(f"\\trowd\\trautofit1{ends}\\pard\\intbl{cells}\\pard\\intbl\\row")
    return "".join([*parts, "}"]).encode("ascii")


def _rtf(text: str) -> str:
    """Escaped; characters beyond ASCII by their UTF-16 numbers."""
    made: list[str] = []
    for char in text:
        if char in "\\{}":
            made.append(f"\\{char}")
        elif char == "\n":
            made.append("\\par ")
        elif " " <= char <= "~":
            made.append(char)
        elif char >= "\x80":
            units = char.encode("utf-16-le", "replace")
            numbers = (int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2))
            made += [f"\\u{number}?" for number in numbers]
    return "".join(made)
