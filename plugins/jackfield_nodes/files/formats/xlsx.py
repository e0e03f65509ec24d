"""Excel's present format (xlsx)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO

from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.packed import Watched, unpacked
from jackfield_nodes.files.formats.sheets import chosen_sheet, unreadable
from jackfield_nodes.files.formats.tables import Cell, cell_of

LONGEST_TEXT = 32_767
"""Characters of a cell."""
_FORBIDDEN_IN_NAME = re.compile(r"[\[\]:*?/\\]")
_FORBIDDEN_IN_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read_xlsx(content: bytes, sheet: str, budget: FileBudget) -> Iterator[Sequence[Cell]]:
    """The rows of one sheet; formulas as the value that was computed last. Raises `NodeError`."""
    with unpacked(content, "xlsx", budget):
        pass
    try:
        book = load_workbook(Watched(content, budget), read_only=True, data_only=True, keep_links=False)
    except NodeError:
        raise
    except Exception as exc:  # whatever a damaged file makes of the library
        raise unreadable("xlsx", exc) from exc
    try:
        found = book[chosen_sheet(book.sheetnames, sheet)]
        found.reset_dimensions()  # what the file says of its size may be wrong
        rows = found.iter_rows(values_only=True)
        yield from budget.counted_rows([cell_of(cell) for cell in row] for row in rows)
    except NodeError:
        raise
    except Exception as exc:
        raise unreadable("xlsx", exc) from exc
    finally:
        book.close()


def write_xlsx(rows: Iterable[Sequence[Cell]], sheet: str) -> bytes:
    """A workbook with one sheet. Texts stay texts, also when they begin with `=`. Raises `NodeError`."""
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
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        value = str(value)  # Excel's numbers are floating point
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_TEXT:
        raise NodeError(f"A cell of an Excel sheet has at most {LONGEST_TEXT} characters.")
    cell = WriteOnlyCell(page, _FORBIDDEN_IN_TEXT.sub("", value))
    cell.data_type = "s"
    return cell
