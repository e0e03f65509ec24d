"""Where a page of rows begins, as a text of queries and answers: the id and the cell that orders, as JSON."""

from __future__ import annotations

import math

from jackfield.api.errors import InvalidInput
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json, loads
from jackfield.api.storage.tables import Cell, ColumnType, DataTable, RowMark, RowOrder

LONGEST = 2_000
"""Characters: a mark is a part of an address."""
_LARGEST = 2**53


def mark_text(mark: RowMark | None) -> str | None:
    """None: there is no row, or its cell is too long for an address."""
    if mark is None or (isinstance(mark.cell, str) and len(mark.cell) > LONGEST):
        return None
    text = dumps([mark.id, mark.cell]).decode()
    return text if len(text) <= LONGEST else None


def read_mark(table: DataTable, order: RowOrder, text: str) -> RowMark:
    """Raises `InvalidInput`."""
    try:
        found = loads(text.encode())
    except InvalidInput:
        found = None
    if isinstance(found, list) and len(found) == 2:
        row_id, cell = found
        if _whole(row_id) and isinstance(row_id, int) and _fits(cell, table.types()[order.column]):
            return RowMark(cell, row_id)  # type: ignore[arg-type]  # a cell of its kind
    details = {"after": "give the `after` of a page in the same order"}
    raise InvalidInput("This is no place in the order of the rows.", details=details)


def _fits(cell: Json, kind: ColumnType) -> bool:
    if cell is None:
        return True
    if kind in ("string", "boolean"):
        return isinstance(cell, str if kind == "string" else bool)
    if kind == "date":
        return _whole(cell)
    return isinstance(cell, int | float) and not isinstance(cell, bool) and _finite(cell)


def _whole(cell: Json | Cell) -> bool:
    return isinstance(cell, int) and not isinstance(cell, bool) and abs(cell) < _LARGEST


def _finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False
