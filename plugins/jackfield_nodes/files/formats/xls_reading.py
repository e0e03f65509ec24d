"""Reading Excel's older format (xls)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import xlrd

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.sheets import chosen_sheet, unreadable
from jackfield_nodes.files.formats.tables import Cell, cell_of


def read_xls(content: bytes, sheet: str, budget: FileBudget) -> Iterator[Sequence[Cell]]:
    """The rows of one sheet. Raises `NodeError`."""
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - the library prints its warnings
            book = xlrd.open_workbook(file_contents=content, on_demand=True, logfile=nowhere)
            found = book.sheet_by_name(chosen_sheet(book.sheet_names(), sheet))
    except NodeError:
        raise
    except Exception as exc:
        raise unreadable("xls", exc) from exc

    def value(row: int, column: int) -> Cell:
        kind, given = found.cell_type(row, column), found.cell_value(row, column)
        if kind == xlrd.XL_CELL_DATE:
            return cell_of(xlrd.xldate_as_datetime(float(given), book.datemode))
        if kind == xlrd.XL_CELL_BOOLEAN:
            return bool(given)
        return None if kind in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK, xlrd.XL_CELL_ERROR) else cell_of(given)

    try:
        rows = ([value(row, column) for column in range(found.row_len(row))] for row in range(found.nrows))
        yield from budget.counted_rows(rows)
    except NodeError:
        raise
    except Exception as exc:
        raise unreadable("xls", exc) from exc
