"""Tables and rows as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.clock import iso
from jackfield.api.jsontext import Json
from jackfield.api.storage import SHARED as PROJECT
from jackfield.api.storage.tables import Cell, Cells, ColumnType, DataColumn, DataRow, DataTable, RowMark, RowOrder

DRY_RUN = "dryRunState"
"""The field of rows of a dry run: `before` or `after`."""


def shown_cell(cell: Cell, kind: ColumnType) -> Json:
    return iso(int(cell)) if kind == "date" and cell is not None else cell


def shown_cells(cells: Cells, types: Mapping[str, ColumnType]) -> dict[str, Json]:
    return {name: shown_cell(cell, types[name]) for name, cell in cells.items()}


def shown_row(row: DataRow, types: Mapping[str, ColumnType]) -> dict[str, Json]:
    """types: of the table's columns."""
    return {
        **shown_cells(row.cells, types),
        "id": row.id,
        "createdAt": iso(row.created_at),
        "updatedAt": iso(row.updated_at),
    }


def last_mark(rows: Sequence[DataRow], order: RowOrder) -> RowMark | None:
    """Where the rows end in their order; None: there are none."""
    if not rows:
        return None
    row = rows[-1]
    system: Cells = {"id": row.id, "createdAt": row.created_at, "updatedAt": row.updated_at}
    return RowMark({**row.cells, **system}[order.column], row.id)


def column_view(column: DataColumn, table_id: str, index: int) -> dict[str, Json]:
    return {
        "id": column.id,
        "dataTableId": table_id,
        "name": column.name,
        "type": column.type,
        "index": index,
        "createdAt": iso(column.created_at),
        "updatedAt": iso(column.updated_at),
    }


def column_views(table: DataTable) -> list[Json]:
    return [column_view(column, table.id, index) for index, column in enumerate(table.columns)]


def table_view(table: DataTable) -> dict[str, Json]:
    """As our own clients get it."""
    return {
        "id": table.id,
        "name": table.name,
        "columns": column_views(table),
        "rows": table.rows,
        "sizeBytes": table.size,
        "createdAt": iso(table.created_at),
        "updatedAt": iso(table.updated_at),
    }


def n8n_view(table: DataTable) -> dict[str, Json]:
    """As n8n's public API has it."""
    return {
        "id": table.id,
        "name": table.name,
        "projectId": PROJECT,
        "columns": column_views(table),
        "sizeBytes": table.size,
        "createdAt": iso(table.created_at),
        "updatedAt": iso(table.updated_at),
    }


def node_view(table: DataTable) -> dict[str, Json]:
    """As the node gives it."""
    shown = n8n_view(table)
    del shown["sizeBytes"]
    return {**shown, "project": {"id": PROJECT, "name": "Jackfield", "type": "team", "icon": None}}


def listed_view(table: DataTable) -> dict[str, Json]:
    """As the node gives it among others."""
    columns: list[Json] = []
    for index, column in enumerate(table.columns):
        shown = column_view(column, table.id, index)
        del shown["dataTableId"]
        columns.append(shown)
    return {**node_view(table), "columns": columns}


def dry_run(before: Mapping[str, Json] | None, after: Mapping[str, Json] | None) -> Sequence[dict[str, Json]]:
    """A row as it is and as it would be. None: it is not there."""
    nothing: dict[str, Json] = dict.fromkeys(before or after or {})
    return ({**(before or nothing), DRY_RUN: "before"}, {**(after or nothing), DRY_RUN: "after"})
