"""Tables in HTML, and rich text (RTF)."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import Budget
from jackfield_nodes.files.formats.tables import Cell
from jackfield_nodes.values.conversions import text_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{0,15}[1-9])?")
_BEFORE_RTF = re.compile(rb"\s*\{\\rtf")


def read_html(text: str, budget: Budget) -> Iterator[Sequence[Cell]]:
    """The rows of the first table. Raises `NodeError` when there is none."""
    from selectolax.lexbor import LexborHTMLParser

    found = LexborHTMLParser(text).css_first("table")
    if found is None:
        raise NodeError("The file has no HTML table.")
    rows = ([_number_or_text(cell.text(deep=True)) for cell in _inside(row, {"th", "td"})] for row in _own_rows(found))
    yield from budget.counted_rows(rows)


def _own_rows(table: LexborNode) -> Iterator[LexborNode]:
    """Not those of tables in its cells: with many levels of these, each text would be read once per level."""
    for part in _inside(table, {"thead", "tbody", "tfoot", "tr"}):
        if part.tag == "tr":
            yield part
        else:
            yield from _inside(part, {"tr"})


def _inside(node: LexborNode, tags: Container[str | None]) -> Iterator[LexborNode]:
    return (child for child in node.iter() if child.tag in tags)


def write_html(rows: Iterable[Sequence[Cell]], title: str) -> str:
    """A document with one table; all texts are escaped."""
    from html import escape

    lines = ("<tr>" + "".join(f"<td>{escape(text_of(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    head = f'<!doctype html>\n<html><head><meta charset="utf-8"/><title>{escape(title)}</title></head><body>'
    return f"{head}<table>{''.join(lines)}</table></body></html>\n"


def read_rtf(content: bytes, budget: Budget) -> Iterator[Sequence[Cell]]:
    """The rows of its tables; a document without tables has one cell, named text. Raises `NodeError`."""
    from striprtf.striprtf import rtf_to_text

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
    yield from budget.counted_rows([_number_or_text(cell) for cell in line.rstrip("|").split("|")] for line in lines)


def write_rtf(rows: Iterable[Sequence[Cell]]) -> bytes:
    """A document with one table."""
    parts = ["{\\rtf1\\ansi\n"]
    for row in rows:
        ends = "".join(f"\\cellx{number * 2000}" for number in range(1, len(row) + 1))
        parts.append(f"\\trowd{ends}\n" + "".join(f"\\pard\\intbl {_rtf(text_of(cell))}\\cell\n" for cell in row))
        parts.append("\\row\n")
    return "".join([*parts, "}"]).encode("ascii")


def _rtf(text: str) -> str:
    """Escaped; characters beyond ASCII by their UTF-16 numbers."""
    made: list[str] = []
    for char in text:
        if char in "\\{}":
            made.append(f"\\{char}")
        elif char == "\n":
            made.append("\\line ")
        elif " " <= char <= "~":
            made.append(char)
        elif char >= "\x80":
            units = char.encode("utf-16-le", "replace")
            numbers = (int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2))
            made += [f"\\u{number}?" for number in numbers]
    return "".join(made)


def _number_or_text(text: str) -> Cell:
    """A number that is written as JSON would write it; anything else stays text."""
    text = " ".join(text.split())
    if not _NUMBER.fullmatch(text) or text == "-0":
        return text
    return float(text) if "." in text else int(text)
