"""Items as an HTML table, in n8n's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from jackfield.api.javascript import UNDEFINED, to_string
from jackfield.api.jsontext import Json
from jackfield.api.records import record

_TABLE = "style='border-spacing:0; font-family:helvetica,arial,sans-serif'"
_CELL = "style='margin:0; padding:7px 20px 7px 0px; border-bottom:1px solid #eee'"
_HEADER = f"{_CELL[:-1]}; text-align:left; color:#888; font-weight:normal'"


@record
class TableStyle:
    """table, header: attributes, as written into the tags; plain: without the default style."""

    table: str = ""
    header: str = ""
    plain: bool = False
    capitalize: bool = False
    caption: str = ""


class TableRow(NamedTuple):
    """Attributes of a row and of its cells."""

    row: str = ""
    cells: str = ""


def html_table(rows: Sequence[Mapping[str, Json]], own: Iterable[TableRow], style: TableStyle) -> str:
    """One column per field of any row, in order of appearance. Texts are markup: nothing is escaped."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    table, header, cell = ("", "", "") if style.plain else (_TABLE, _HEADER, _CELL)
    parts = [f"<table {table} {style.table}>"]
    if style.caption:
        parts.append(f"<caption>{style.caption}</caption>")
    parts.append(f"<thead {header} {style.header}><tr>")
    parts += (f"<th>{_title(name) if style.capitalize else name}</th>" for name in columns)
    parts.append("</tr></thead><tbody>")
    for row, attributes in zip(rows, own, strict=True):
        opening = f"<td {cell} {attributes.cells}>"
        cells = (f"{opening}{_shown(row.get(name, UNDEFINED))}</td>" for name in columns)
        parts.append(f"<tr  {attributes.row}>{''.join(cells)}</tr>")
    return "".join([*parts, "</tbody></table>"])


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return f'<input type="checkbox" {"checked=" + chr(34) + "checked" + chr(34) if value else ""}/>'
    return to_string(value)


def _title(name: str) -> str:
    """`first_name` is First Name."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split("_") if word)
