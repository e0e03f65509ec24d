"""Tables in HTML."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from html import escape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.tables import Cell, number_or_text
from jackfield_nodes.values.conversions import text_of


def read_html(text: str, budget: FileBudget) -> Iterator[Sequence[Cell]]:
    """The rows of the first table. Raises `NodeError` when there is none."""
    found = LexborHTMLParser(text).css_first("table")
    if found is None:
        raise NodeError("The file has no HTML table.")
    rows = ([number_or_text(cell.text(deep=True)) for cell in _inside(row, {"th", "td"})] for row in _own_rows(found))
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
    lines = ("<tr>" + "".join(f"<td>{escape(text_of(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    head = f'<!doctype html>\n<html><head><meta charset="utf-8"/><title>{escape(title)}</title></head><body>'
    return f"{head}<table>{''.join(lines)}</table></body></html>\n"
