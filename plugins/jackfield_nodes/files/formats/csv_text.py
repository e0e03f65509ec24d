"""Comma-separated values (RFC 4180), with another delimiter where asked for."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import islice

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.tables import Cell, shown

_DELIMITERS = {"\\t": "\t", "tab": "\t", "": ","}
_LONGEST_FIELD = 2**31 - 1
_STRAY = "a quotation mark inside of a value that has none around it; the option relaxQuotes takes it for text"
_UNCLOSED = "a quotation mark is never closed"


@record
class CsvOptions:
    """`first_line`: counted from 1. `most`: rows besides the header; None: all. `relaxed`: quotes inside of fields that
    are not quoted are text. `skip_wrong`: rows that cannot be read are left out, up to that many; None: they are an
    error.
    """

    delimiter: str = ","
    first_line: int = 1
    most: int | None = None
    header: bool = True
    relaxed: bool = False
    skip_wrong: float | None = None


class WrongRow(NodeError):
    """A row that is not valid CSV."""


def read_csv(text: str, options: CsvOptions, budget: FileBudget) -> Iterator[Sequence[Cell]]:
    """Rows of texts, the header first. Raises `NodeError` that names the line."""
    csv.field_size_limit(_LONGEST_FIELD)  # the file as a whole is limited
    delimiter = _delimiter(options.delimiter)
    lines = _Lines(islice(StringIO(text, newline=""), max(options.first_line - 1, 0), None), delimiter, options.relaxed)
    reader = csv.reader(lines, delimiter=delimiter, strict=not options.relaxed)
    limit = None if options.most is None else options.most + options.header
    yield from budget.counted_rows(islice(_rows(reader, lines, options), limit))


class _Lines:
    """Lines of a text; it keeps those of the current row, as the csv module overlooks misplaced quotation marks."""

    def __init__(self, lines: Iterator[str], delimiter: str, relaxed: bool) -> None:
        self._lines = lines
        self._row: list[str] = []
        begin, end = f"(?:^|(?<={re.escape(delimiter)}))", f"(?={re.escape(delimiter)}|[\\r\\n]|\\Z)"
        self._quoted = re.compile(f'{begin}"(?:[^"]|"")*"{end}')
        self._open = re.compile(f'{begin}"(?:[^"]|"")*\\Z')
        self._relaxed = relaxed

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._row.append(line)
        return line

    def mistake(self) -> str:
        """Of the quotation marks of the row that was read last."""
        row = "".join(self._row)
        self._row.clear()
        if '"' not in row:
            return ""
        rest = self._quoted.sub("", row)
        if self._open.search(rest):
            return _UNCLOSED
        return _STRAY if '"' in rest and not self._relaxed else ""


def _rows(reader: Iterator[list[str]], lines: _Lines, options: CsvOptions) -> Iterator[Sequence[Cell]]:
    wrong = 0
    width: int | None = None
    while True:
        reason = ""
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as exc:
            row, reason = [], str(exc)
        reason = lines.mistake() or reason
        if not reason and not row:
            continue
        if not reason and width is not None and len(row) != width:
            reason = f"{len(row)} values in place of {width}"
        if not reason:
            width = len(row) if width is None else width
            yield row
            continue
        wrong += 1
        line = getattr(reader, "line_num", 0) + max(options.first_line - 1, 0)
        if options.skip_wrong is None:
            raise WrongRow(f"The CSV is not valid at line {line}: {reason}.")
        if wrong > options.skip_wrong:
            raise NodeError(f"More than {options.skip_wrong:g} rows of the CSV are not valid, the last at line {line}.")


def csv_objects(rows: Iterator[Sequence[Cell]], *, header: bool, empty: bool) -> Iterator[dict[str, Json]]:
    """One object per row; a later field takes the place of one of the same name. Without a header the fields are called
    by their places, in `row`. empty: values without text stay."""
    names = [str(cell) for cell in next(rows, ())] if header else []
    for row in rows:
        if not header and empty:
            yield {"row": list(row)}
            continue
        fields = zip(names if header else map(str, range(len(row))), row, strict=False)
        found: dict[str, Json] = {name: cell for name, cell in dict(fields).items() if empty or cell != ""}
        yield found if header else {"row": found}


def write_csv(rows: Iterable[Sequence[Cell]], delimiter: str) -> str:
    """Lines are separated by \\n; cells are as a spreadsheet shows them. The delimiter may have several characters."""
    separator = _DELIMITERS.get(delimiter, delimiter)
    special = re.compile(f'[{re.escape(separator[0])}"\\n]')

    def field(cell: Cell) -> str:
        text = shown(cell)
        return '"' + text.replace('"', '""') + '"' if special.search(text) else text

    text = "\n".join(separator.join(map(field, row)) for row in rows)
    # Excel takes a file that begins with ID for another format.
    return f'"ID"{text[2:]}' if text == "ID" or text.startswith((f"ID{separator}", "ID\n")) else text


def _delimiter(text: str) -> str:
    found = _DELIMITERS.get(text, text)
    if len(found) != 1 or found in '\r\n"':
        raise NodeError("The option delimiter must be one character, such as ; or \\t.")
    return found
