"""Items as an HTML table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_nodes.values.conversions import text_of

_TABLE = 'style="border-spacing:0; font-family:helvetica,arial,sans-serif"'
_HEADER = (
    'style="margin:0; padding:7px 20px 7px 0px; border-bottom:1px solid #eee; text-align:left; color:#888; '
    'font-weight:normal"'
)
_CELL = 'style="margin:0; padding:7px 20px 7px 0px; border-bottom:1px solid #eee"'


@record
class TableStyle:
    """Attributes of the elements, as written into their tags."""

    table: str = _TABLE
    header: str = _HEADER
    row: str = ""
    cell: str = _CELL


def html_table(
    rows: Sequence[Mapping[str, Json]], style: TableStyle, *, capitalize: bool = False, caption: str = ""
) -> str:
    """One column per field of any row, in order of appearance. All texts are escaped."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    heads = (_tag("th", style.header, escape(_title(name) if capitalize else name)) for name in columns)
    parts = [_open("table", style.table)]
    if caption:
        parts.append(_tag("caption", "", escape(caption)))
    parts += [_open("thead", style.header), _tag("tr", style.row, "".join(heads)), "</thead>", "<tbody>"]
    parts += (_tag("tr", style.row, _cells(row, columns, style)) for row in rows)
    return "".join([*parts, "</tbody>", "</table>"])


def _cells(row: Mapping[str, Json], columns: Iterable[str], style: TableStyle) -> str:
    return "".join(_tag("td", style.cell, _shown(row.get(name))) for name in columns)


def _shown(value: Json) -> str:
    if isinstance(value, bool):
        return f'<input type="checkbox" disabled{" checked" if value else ""}/>'
    return escape(text_of(value))


def _title(name: str) -> str:
    """`first_name` is First Name."""
    return " ".join(word[:1].upper() + word[1:] for word in name.replace("_", " ").split())


def _open(name: str, attributes: str) -> str:
    return f"<{name} {attributes}>" if attributes else f"<{name}>"


def _tag(name: str, attributes: str, content: str) -> str:
    return f"{_open(name, attributes)}{content}</{name}>"
