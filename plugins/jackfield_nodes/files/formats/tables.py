"""Rows of cells as objects, and objects as rows of cells."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import TypeAlias

from jackfield.api.javascript import whole
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record

Cell: TypeAlias = "str | int | float | bool | None"
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{0,15}[1-9])?")
_RANGE = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})(?::\$?([A-Za-z]{1,3})\$?(\d{1,7}))?")


@record
class TableOptions:
    """`header`: the first row has the names. `empty`: cells without a value become empty texts instead of being left
    out. `sheet`: the first one unless named. `range`: such as A1:D20, or the number of rows to leave out.
    """

    header: bool = True
    empty: bool = False
    sheet: str = ""
    range: str = ""


def cell_of(value: object) -> Cell:
    """A value that a library read: dates as ISO 8601, days without a time as 2026-01-31."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return whole(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() and value.tzinfo is None else value.isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value)


def clipped(rows: Iterable[Sequence[Cell]], area: str) -> Iterator[Sequence[Cell]]:
    """The part of a sheet that an area names. Raises `NodeError`."""
    if not area:
        yield from rows
        return
    left, top, right, bottom = _area(area)
    for number, row in enumerate(rows):
        if number > bottom:
            return
        if number >= top:
            yield row[left : right + 1]


def _area(text: str) -> tuple[int, int, int, int]:
    """First column, first row, last column, last row, counted from 0."""
    endless = 10**9
    if text.strip().isascii() and text.strip().isdigit():
        return 0, int(text.strip()[:9]), endless, endless
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise NodeError(f"The option range is '{text}'; use an area such as A1:D20, or a number of rows to leave out.")
    left, top = _column(match[1]), int(match[2]) - 1
    return (left, top, _column(match[3]), int(match[4]) - 1) if match[3] else (left, top, left, top)


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number - 1


def column_letters(number: int) -> str:
    """The name of a column, counted from 0: A, Z, AA."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def objects(rows: Iterable[Sequence[Cell]], options: TableOptions) -> list[dict[str, Json]]:
    """One object per row; rows without any value are left out. Without a header a row stands in the field `row`."""
    found = (row for row in rows if any(cell not in (None, "") for cell in row))
    if not options.header:
        return [{"row": ["" if cell is None and options.empty else cell for cell in row]} for row in found]
    names = column_names(next(found, ()))
    return [_object(names, row, empty=options.empty) for row in found]


def column_names(header: Sequence[Cell]) -> list[str]:
    """Each name once: a repeated one gets a number, an empty one is called after its place."""
    names: list[str] = []
    used: dict[str, int] = {}
    for number, cell in enumerate(header, 1):
        name = first = shown(cell) if cell not in (None, "") else f"column_{number}"
        while name in used:
            used[first] += 1
            name = f"{first}_{used[first]}"
        used[name] = 0
        names.append(name)
    return names


def _object(names: Sequence[str], row: Sequence[Cell], *, empty: bool) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for number, name in enumerate(names):
        cell = row[number] if number < len(row) else None
        if cell not in (None, ""):
            made[name] = cell
        elif empty:
            made[name] = ""
    return made


def table(items: Iterable[Mapping[str, Json]], *, header: bool = True) -> list[list[Cell]]:
    """One row per object, under the names of all fields in order of appearance; what is nested gets names such as
    `address.city`."""
    flat = [flattened(item) for item in items]
    names = list(dict.fromkeys(name for row in flat for name in row))
    rows: list[list[Cell]] = [list(names)] if header else []
    rows += [[row.get(name) for name in names] for row in flat]
    return rows


def flattened(value: Mapping[str, Json]) -> dict[str, Cell]:
    """Nested objects and lists as fields with dots in their names."""
    made: dict[str, Cell] = {}
    open_: list[tuple[str, Json]] = [("", dict(value))]
    while open_:
        path, found = open_.pop()
        if isinstance(found, dict):
            open_ += reversed([(f"{path}{key}.", child) for key, child in found.items()])
        elif isinstance(found, list):
            open_ += reversed([(f"{path}{key}.", child) for key, child in enumerate(found)])
        else:
            made[path[:-1]] = found
    return made


def shown(cell: Cell) -> str:
    """A cell as a spreadsheet shows it in Excel's format General: numbers in at most 11 characters."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, str) or cell is None:
        return cell or ""
    if isinstance(cell, int) and abs(cell) < 2**31:
        return str(cell)
    return _general(float(cell))


def _general(value: float) -> str:
    """Source: ECMA-376, 18.8.30 (numFmt), format General."""
    if not math.isfinite(value):
        return "#NUM!" if math.isnan(value) else "#DIV/0!"
    power = math.floor(math.log10(abs(value))) if value else 0
    most = 12 if value < 0 else 11
    if -4 <= power <= -1:
        made = f"{value:#.{10 + power}g}"
    elif abs(power) <= 9:
        made = next((text for text in (_short(f"{value:.12f}"), f"{value:#.10g}") if len(text) <= most), f"{value:.5e}")
    elif power == 10:
        made = f"{value:.10f}"[:12]
    else:
        made = _short(f"{value:.11f}")
        made = f"{value:#.6g}" if len(made) > most or made in ("0", "-0") else made
    mantissa, mark, exponent = made.upper().partition("E")
    return f"{_short(mantissa)}{mark}{exponent}"


def _short(text: str) -> str:
    """Without zeros at the end of the fraction."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def number_or_text(text: str) -> Cell:
    """A number that is written as JSON would write it; anything else stays text."""
    text = " ".join(text.split())
    if not _NUMBER.fullmatch(text) or text == "-0":
        return text
    return float(text) if "." in text else int(text)
