"""Tables in HTML."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.tables import Cell, column_letters, number_or_text, shown
from jackfield_nodes.values.conversions import text_of

_HEAD = '<html><head><meta charset="utf-8"/><title>SheetJS Table Export</title></head><body>'
_CONTROL = re.compile(r"[\x00-\x1f]")


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


def write_html(rows: Iterable[Sequence[Cell]]) -> str:
    """A document with one table, in the form of SheetJS: every cell has its value, type and place in attributes."""
    lines = (
        "".join(_written(cell, f"{column_letters(column)}{number}") for column, cell in enumerate(row))
        for number, row in enumerate(rows, 1)
    )
    return f"{_HEAD}<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table></body></html>"


def _written(cell: Cell, place: str) -> str:
    if cell is None:
        return f'<td id="sjs-{place}"></td>'
    kind = "b" if isinstance(cell, bool) else "s" if isinstance(cell, str) else "n"
    text = shown(cell)
    space = ' xml:space="preserve"' if text != text.strip() else ""
    return f'<td data-t="{kind}" data-v="{_escaped(text_of(cell))}" id="sjs-{place}"{space}>{_escaped(text)}</td>'


def _escaped(text: str) -> str:
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = plain.replace('"', "&quot;").replace("'", "&apos;").replace("\n", "<br/>")
    return _CONTROL.sub(lambda found: f"&#x{ord(found[0]):04x};", plain)
