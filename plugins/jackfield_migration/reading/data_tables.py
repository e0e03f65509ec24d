"""Data tables of n8n's database: each as documents with some of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice

from jackfield.api.jsontext import Json

TABLES, COLUMNS, ROWS = "data_table", "data_table_column", "data_table_user_"
"""The last is followed by the table's id."""
PIECE = 500
"""Rows of one document."""
Rows = Callable[[str], Iterable[Mapping[str, Json]]]


def table_documents(rows: Rows) -> Iterator[dict[str, Json]]:
    """`id`, `name`, `columns`, some `rows`, `part` from 0, and whether it is the `last` part."""
    columns: dict[str, list[Mapping[str, Json]]] = {}
    for column in rows(COLUMNS):
        columns.setdefault(str(column.get("dataTableId")), []).append(column)
    for table in rows(TABLES):
        ident = str(table.get("id"))
        own: list[Json] = [
            {"name": each.get("name"), "type": each.get("type")} for each in sorted(columns.get(ident, ()), key=_place)
        ]
        pieces = _pieces(rows(ROWS + ident))
        for part, (piece, last) in enumerate(pieces):
            yield {
                "id": ident, "name": table.get("name"), "columns": own, "rows": piece, "part": part, "last": last,
            }  # fmt: skip


def _place(column: Mapping[str, Json]) -> int:
    index = column.get("index")
    return index if isinstance(index, int) else 0


def _pieces(rows: Iterable[Mapping[str, Json]]) -> Iterator[tuple[list[Json], bool]]:
    """At least one."""
    left = iter(rows)
    piece: list[Json] = [dict(row) for row in islice(left, PIECE)]
    while True:
        following = next(left, None)
        yield piece, following is None
        if following is None:
            return
        piece = [dict(row) for row in chain([following], islice(left, PIECE - 1))]
