"""Tables of spreadsheets: rows with a header into items, and items into the cells that change."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError

ROW_NUMBER = "row_number"
_A1 = re.compile(r"^\$?([A-Za-z]*)\$?(\d*)")


def found(given: Mapping[str, Json]) -> Json:
    """sheets: `sheets` of Google's answer; value, mode: of the locator. The properties of the sheet."""
    listed = given.get("sheets")
    rows = [row.get("properties") for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    sheets = [row for row in rows if isinstance(row, dict)]
    value, mode = text(given.get("value")), given.get("mode")
    by_id = re.search(r"gid=(\d+)", value)
    number = by_id[1] if by_id else value
    titled = next((row for row in sheets if row.get("title") == value), None)
    numbered = next((row for row in sheets if text(row.get("sheetId")) == number), None)
    chosen = (titled or numbered) if mode == "name" else (numbered or titled)
    if chosen is None:
        known = ", ".join(text(row.get("title")) for row in sheets) or "none"
        raise NodeError(f"The document has no sheet {value}; it has: {known}.")
    return chosen


def cell_range(given: Mapping[str, Json]) -> Json:
    """title and cells (`A1:B2`) as a range; the whole sheet without cells."""
    title = text(given.get("title")).replace("'", "''")
    cells = text(given.get("cells"))
    if not title:
        return cells
    return f"'{title}'!{cells}" if cells else f"'{title}'"


def letters(index: int) -> str:
    """A column's letters; index from 0."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name


def column(name: str) -> int:
    """The index, from 0, of a column's letters."""
    index = 0
    for letter in name.upper():
        index = index * 26 + ord(letter) - 64
    return max(index - 1, 0)


def text(value: Json) -> str:
    """As it is compared: whole numbers without a point, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else dumps(value).decode()


def cell(value: Json) -> Json:
    """As it is written: objects and lists as JSON texts."""
    return dumps(value).decode() if isinstance(value, dict | list) else value


class SheetTable:
    """Rows of a range with a header. header and first: rows, from 1, of the range."""

    def __init__(self, rows: Json, header: int, first: int, cells: str = "") -> None:
        self.rows: list[list[Json]] = [r if isinstance(r, list) else [] for r in rows] if isinstance(rows, list) else []
        self.header, self.first = header, max(first, header + 1)
        begin = _A1.match(cells)
        self.left = column(begin[1]) if begin and begin[1] else 0
        self.top = int(begin[2]) if begin and begin[2] else 1
        names = self.rows[header - 1] if len(self.rows) >= header else []
        self.names = [text(name) or f"col_{index + 1}" for index, name in enumerate(names)]
        self.blank = not any(text(name) for name in names)

    def number(self, index: int) -> int:
        """The row of the sheet, from 1, of a row of the range, from 0."""
        return index + self.top

    def body(self) -> list[tuple[int, list[Json]]]:
        """Row of the sheet and cells of the rows below the header."""
        return [(self.number(index), row) for index, row in enumerate(self.rows) if index >= self.first - 1]

    def value(self, row: Sequence[Json], index: int) -> Json:
        return row[index] if index < len(row) and row[index] is not None else ""

    def place(self, name: str) -> int:
        """Raises `NodeError`."""
        if name not in self.names:
            raise NodeError(f"The sheet has no column {name}; it has: {', '.join(self.names) or 'none'}.")
        return self.names.index(name)


def _table(given: Mapping[str, Json]) -> SheetTable:
    header = whole(given.get("header"), 1)
    return SheetTable(given.get("rows"), header, whole(given.get("first"), header + 1), text(given.get("cells")))


def whole(value: Json, default: int) -> int:
    try:
        return int(float(text(value))) if text(value) else default
    except ValueError:
        return default


def items(given: Mapping[str, Json]) -> Json:
    """`rows`, `header`, `first`, `cells` (range they came from).

    `filters`: rows of `lookupColumn` and `lookupValue`. `combine`: `AND` or `OR`. `one`: only the first that matches.
    `numbered`: with `row_number`. `until`: `firstEmptyRow`.
    """
    table = _table(given)
    width = max([len(table.names), *(len(row) for _, row in table.body())], default=0)
    names = [*table.names, *(f"col_{index + 1}" for index in range(len(table.names), width))]
    wanted = _conditions(table, given.get("filters"))
    some = any if given.get("combine") == "OR" else all
    out: list[Json] = []
    for number, row in table.body():
        if given.get("until") == "firstEmptyRow" and not any(text(value) for value in row):
            break
        if wanted and not some(text(table.value(row, place)) == value for place, value in wanted):
            continue
        item: dict[str, Json] = {ROW_NUMBER: number} if given.get("numbered") is not False else {}
        out.append(item | {name: table.value(row, index) for index, name in enumerate(names)})
        if wanted and given.get("one") is True:
            break
    return out


def _conditions(table: SheetTable, filters: Json) -> list[tuple[int, str]]:
    found = []
    for row in filters if isinstance(filters, list) else []:
        name = text(row.get("lookupColumn")) if isinstance(row, dict) else ""
        if isinstance(row, dict) and name and table.rows:
            found.append((table.place(name), text(row.get("lookupValue"))))
    return found


def plan(given: Mapping[str, Json]) -> Json:
    """The changes that writing `entries` (objects by column) makes.

    `rows`, `header`, `first`: as the sheet has them. `title`. `match`: columns that find the row of an entry. `range`:
    where the rows are from, instead of title. `mode`: append, update, upsert or appendOrUpdate. `extra`: the treatment
    of keys that are no column: insert (a column), ignore, error. `sheet`: its properties. `atomic`: new rows are left
    to the service. Result: data (`range`, `values` of what changes), grow (requests that make room for it), appends
    (rows for the table at `range`), items (as written).
    """
    title, _, area = text(given.get("range")).rpartition("!")
    table = _table({"cells": area, **given})
    entries = given.get("entries")
    listed = [row for row in entries if isinstance(row, dict)] if isinstance(entries, list) else []
    changes = _Changes(table, text(given.get("title")) or title.strip("'").replace("''", "'"))
    changes.columns(listed, text(given.get("extra")) or "insert")
    names = given.get("match")
    match = [text(name) for name in names if text(name)] if isinstance(names, list) else []
    mode = text(given.get("mode"))
    if mode != "append" and not match:
        raise NodeError("No column to match on is chosen.")
    for entry in listed:
        changes.add(entry, match, mode)
    return changes.result(listed, given.get("sheet"), atomic=given.get("atomic") is True)


class _Changes:
    def __init__(self, table: SheetTable, title: str) -> None:
        self.table, self.title = table, title
        self.updates: list[Json] = []
        self.appends: list[list[Json]] = []
        self._rows: dict[tuple[str, ...], dict[tuple[str, ...], int]] = {}
        self._new: dict[tuple[str, ...], int] = {}

    def columns(self, entries: Sequence[Mapping[str, Json]], extra: str) -> None:
        """Columns that the entries have and the sheet has not. Raises `NodeError`."""
        table = self.table
        if table.blank:
            table.names = []
        new = [key for key in dict.fromkeys(key for row in entries for key in row) if key != ROW_NUMBER]
        new = [key for key in new if key not in table.names]
        if not new or (extra == "ignore" and not table.blank):
            return
        if extra == "error" and not table.blank:
            raise NodeError(f"The sheet has no column {new[0]}; it has: {', '.join(table.names)}.")
        at = len(table.names)
        table.names += new
        self._write(table.number(table.header - 1), at, list(new))

    def add(self, entry: Mapping[str, Json], match: Sequence[str], mode: str) -> None:
        if mode == "append":
            self.appends.append(self._line(entry))
            return
        row = self._row(entry, match)
        if row is not None:
            for index, name in enumerate(self.table.names):
                if name in entry and entry[name] is not None and name not in match:
                    self._write(row, index, [cell(entry[name])])
        elif mode in ("upsert", "appendOrUpdate"):
            self._upsert(entry, tuple(text(entry.get(name)) for name in match))

    def _upsert(self, entry: Mapping[str, Json], key: tuple[str, ...]) -> None:
        """Two entries of one new key are one row."""
        at = self._new.get(key) if any(key) else None
        if at is None:
            self._new[key] = len(self.appends)
            self.appends.append(self._line(entry))
            return
        for index, name in enumerate(self.table.names):
            if name in entry:
                self.appends[at][index] = cell(entry[name])

    def _line(self, entry: Mapping[str, Json]) -> list[Json]:
        return ["" if entry.get(name) is None else cell(entry[name]) for name in self.table.names]

    def _row(self, entry: Mapping[str, Json], match: Sequence[str]) -> int | None:
        """The row of the sheet. Raises `NodeError` for a column that there is not."""
        if list(match) == [ROW_NUMBER]:
            number = whole(entry.get(ROW_NUMBER), 0)
            return number if number > 0 else None
        key = tuple(text(entry.get(name)) for name in match)
        if not any(key):
            return None
        names = tuple(match)
        if names not in self._rows:
            places = [self.table.place(name) for name in match]
            known: dict[tuple[str, ...], int] = {}
            for number, row in self.table.body():
                known.setdefault(tuple(text(self.table.value(row, place)) for place in places), number)
            self._rows[names] = known
        return self._rows[names].get(key)

    def _write(self, row: int, index: int, values: list[Json]) -> None:
        first, last = letters(self.table.left + index), letters(self.table.left + index + len(values) - 1)
        cells = f"{first}{row}" if len(values) == 1 else f"{first}{row}:{last}{row}"
        self.updates.append({"range": cell_range({"title": self.title, "cells": cells}), "values": [values]})

    def result(self, entries: Sequence[Mapping[str, Json]], sheet: Json, *, atomic: bool) -> Json:
        table = self.table
        below = table.number(max(len(table.rows), table.first - 1))
        lines: list[Json] = [list(line) for line in self.appends]
        data = list(self.updates)
        if lines and not atomic:
            data.append({"range": self._area(below, below + len(lines) - 1), "values": lines})
        header = table.number(table.header - 1)
        return {
            "data": data,
            "grow": self._grow(sheet, below + len(lines) - 1) if data else [],
            "appends": lines if atomic else [],
            "range": self._area(header, max(below - 1, header)),
            "items": [dict(entry) for entry in entries],
        }

    def _area(self, first: int, last: int) -> str:
        table = self.table
        left, right = letters(table.left), letters(table.left + max(len(table.names), 1) - 1)
        return str(cell_range({"title": self.title, "cells": f"{left}{first}:{right}{last}"}))

    def _grow(self, sheet: Json, rows: int) -> list[Json]:
        """Values go only into cells that there are."""
        grid = sheet.get("gridProperties") if isinstance(sheet, dict) else None
        if not isinstance(sheet, dict) or not isinstance(grid, dict):
            return []
        columns = self.table.left + len(self.table.names)
        more = {"ROWS": rows - whole(grid.get("rowCount"), rows), "COLUMNS": columns}
        more["COLUMNS"] -= whole(grid.get("columnCount"), columns)
        return [
            {"appendDimension": {"sheetId": sheet.get("sheetId"), "dimension": name, "length": length}}
            for name, length in more.items()
            if length > 0
        ]


def entry(given: Mapping[str, Json]) -> Json:
    """One object by column. fields: rows of `column` or `fieldId` and `fieldValue`; key and value: one more."""
    out: dict[str, Json] = {}
    if key := text(given.get("key")):
        out[key] = given.get("value", "")
    fields = given.get("fields")
    for row in fields if isinstance(fields, list) else []:
        if isinstance(row, dict) and (name := text(row.get("column") or row.get("fieldId"))):
            out[name] = row.get("fieldValue", "")
    return out


def lines(given: Mapping[str, Json]) -> Json:
    """Rows or columns as Google's `DimensionRange`. sheet: id; what: rows or columns; start: a row from 1, or a
    column's letters; count. Raises `NodeError`."""
    start, count = text(given.get("start")), max(whole(given.get("count"), 1), 1)
    if given.get("what") == "columns":
        if not re.fullmatch(r"[A-Za-z]{1,3}", start or "A"):
            raise NodeError(f"The parameter startIndex must be a column's letters, not {start}.")
        begin, dimension = column(start or "A"), "COLUMNS"
    else:
        begin, dimension = whole(start, 2) - 1, "ROWS"
        if begin < 0 or not (start or "2").replace(".0", "").isdecimal():
            raise NodeError(f"The parameter startIndex must be a row from 1, not {start}.")
    return {"sheetId": given.get("sheet"), "dimension": dimension, "startIndex": begin, "endIndex": begin + count}


def spans(given: Mapping[str, Json]) -> Json:
    """rows and columns: of `sheetId`, `startIndex` (from 0) and `amount`; the same, those further behind first, so
    that deleting one moves no other."""
    found: list[tuple[int, dict[str, Json]]] = []
    for name in ("columns", "rows"):
        listed = given.get(name)
        for row in listed if isinstance(listed, list) else []:
            if isinstance(row, dict):
                begin = whole(row.get("startIndex"), 0)
                end = begin + max(whole(row.get("amount"), 1), 1)
                place: dict[str, Json] = {"startIndex": begin, "endIndex": end}
                found.append((-begin, {"sheetId": whole(row.get("sheetId"), 0), "dimension": name.upper(), **place}))
    return [row for _, row in sorted(found, key=lambda one: one[0])]


def cells(given: Mapping[str, Json]) -> Json:
    """The cells that `clear` empties, or none for the whole sheet.

    `what`: specificRows, specificColumns, specificRange. `start`, `count`, `letter`, `range`. `keep`: keep the first
    row.
    """
    what = given.get("what")
    start, count = whole(given.get("start"), 1), max(whole(given.get("count"), 1), 1)
    if what == "specificRows":
        return f"{start}:{start + count - 1}"
    if what == "specificColumns":
        first = column(text(given.get("letter")) or "A")
        return f"{letters(first)}:{letters(first + count - 1)}"
    if what == "specificRange":
        return text(given.get("range")) or None
    return "A2:ZZZ" if given.get("keep") is True else None
