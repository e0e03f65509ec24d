"""Excel's present format (xlsx), and reading its older one (xls)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import Budget
from jackfield_nodes.files.formats.packed import Watched, unpacked
from jackfield_nodes.files.formats.tables import Cell, cell_of

if TYPE_CHECKING:
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

LONGEST_TEXT = 32_767
"""Characters of a cell."""
_FORBIDDEN_IN_NAME = re.compile(r"[\[\]:*?/\\]")
_FORBIDDEN_IN_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read_xlsx(content: bytes, sheet: str, budget: Budget) -> Iterator[Sequence[Cell]]:
    """The rows of one sheet; formulas as the value that was computed last. Raises `NodeError`."""
    from openpyxl import load_workbook

    with unpacked(content, "xlsx", budget):
        pass
    try:
        book = load_workbook(Watched(content, budget), read_only=True, data_only=True, keep_links=False)
    except NodeError:
        raise
    except Exception as exc:  # whatever a damaged file makes of the library
        raise _unreadable("xlsx", exc) from exc
    try:
        found = book[_chosen(book.sheetnames, sheet)]
        found.reset_dimensions()  # what the file says of its size may be wrong
        rows = found.iter_rows(values_only=True)
        yield from budget.counted_rows([cell_of(cell) for cell in row] for row in rows)
    except NodeError:
        raise
    except Exception as exc:
        raise _unreadable("xlsx", exc) from exc
    finally:
        book.close()


def read_xls(content: bytes, sheet: str, budget: Budget) -> Iterator[Sequence[Cell]]:
    """The same of the older format."""
    import os

    import xlrd

    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - the library prints its warnings
            book = xlrd.open_workbook(file_contents=content, on_demand=True, logfile=nowhere)
            found = book.sheet_by_name(_chosen(book.sheet_names(), sheet))
    except NodeError:
        raise
    except Exception as exc:
        raise _unreadable("xls", exc) from exc

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
        raise _unreadable("xls", exc) from exc


def write_xlsx(rows: Iterable[Sequence[Cell]], sheet: str) -> bytes:
    """A workbook with one sheet. Texts stay texts, also when they begin with `=`. Raises `NodeError`."""
    from openpyxl import Workbook

    if len(sheet) > 31 or _FORBIDDEN_IN_NAME.search(sheet):
        raise NodeError("The option sheetName has more than 31 characters or one of [ ] : * ? / \\.")
    book = Workbook(write_only=True)
    page = book.create_sheet(sheet)
    for row in rows:
        if len(row) > 16_384:
            raise NodeError("An Excel sheet has at most 16384 columns.")
        page.append([_cell(page, value) for value in row])
    made = BytesIO()
    book.save(made)
    return made.getvalue()


def _cell(page: WriteOnlyWorksheet, value: Cell) -> object:
    from openpyxl.cell import WriteOnlyCell

    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        value = str(value)  # Excel's numbers are floating point
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_TEXT:
        raise NodeError(f"A cell of an Excel sheet has at most {LONGEST_TEXT} characters.")
    cell = WriteOnlyCell(page, _FORBIDDEN_IN_TEXT.sub("", value))
    cell.data_type = "s"
    return cell


def _chosen(names: Sequence[str], wanted: str) -> str:
    if not names:
        raise NodeError("The file has no sheets.")
    if wanted and wanted not in names:
        raise NodeError(f"The file has no sheet '{wanted}'; it has: {', '.join(names)}.")
    return wanted or names[0]


def _unreadable(kind: str, exc: Exception) -> NodeError:
    return NodeError(f"The file cannot be read as {kind} ({type(exc).__name__}).")
