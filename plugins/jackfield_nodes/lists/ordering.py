"""The order of items by their fields: what JavaScript's comparison gives, text without upper and lower case.

Values of different types have no order there. A merge sort compares each with each as numbers, in the sequence in which
it meets them. Fields that hold numbers alone or texts alone are sorted by keys, which is faster.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Any, NamedTuple, TypeAlias, cast

from jackfield.api.javascript import UNDEFINED
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.values.comparing import less
from jackfield_nodes.values.fields import field_value, identity

Column: TypeAlias = "list[object]"
"""The values of one field, by item."""

Key: TypeAlias = Callable[[int], Any]  # of any type that compares with itself
PART = 4_096
"""That many keys are sorted at once: sorting holds the interpreter, which the event loop needs in between."""


class SortBy(NamedTuple):
    """One field."""

    name: str
    descending: bool = False


def order(rows: Sequence[dict[str, Json]], fields: Sequence[SortBy], *, dots: bool) -> list[int]:
    """The indexes of the rows in their order; equal ones stay as they are. Raises `NodeError` for a field of no row."""
    columns = [_column(rows, field.name, dots=dots) for field in fields]
    keys = [_keys(column) for column in columns]
    places = list(range(len(rows)))
    sortable = [(field, found) for field, found in zip(fields, keys, strict=True) if found is not None]
    if len(sortable) == len(fields):
        for field, found in reversed(sortable):
            places = _sorted(places, found.__getitem__, reverse=field.descending)
        return places
    return compared(places, columns, [field.descending for field in fields])


def compared(places: list[int], columns: Sequence[Column], descending: Sequence[bool]) -> list[int]:
    """The places in the order that comparing item with item gives."""
    identities = [[identity(value) for value in column] for column in columns]
    rows = list(zip(columns, identities, descending, strict=True))

    def compare(left: int, right: int) -> int:
        for column, same, reverse in rows:
            if same[left] != same[right]:
                return -1 if less(column[left], column[right]) is not reverse else 1
        return 0

    return sorted(places, key=cmp_to_key(compare))


def _sorted(places: list[int], key: Key, *, reverse: bool) -> list[int]:
    given = places[::-1] if reverse else places  # so that equal ones come out as they stood
    parts = [sorted(given[start : start + PART], key=key) for start in range(0, len(given), PART)]
    made = merged(parts, key) if len(parts) > 1 else [place for part in parts for place in part]
    return made[::-1] if reverse else made


def merged(parts: Sequence[list[int]], key: Key) -> list[int]:
    """Sorted parts as one list: range of keys after range of keys, each with about as many as a part.

    `sorted` is fast with values that are sorted in parts. Equal ones stay in the order of the parts.
    """
    step = max(PART // len(parts), 1)
    marks = sorted(key(part[place]) for part in parts for place in range(0, len(part), step))
    begins, made = [0] * len(parts), list[int]()
    for mark in [*marks[:: max(PART // step, 1)], None]:
        row: list[int] = []
        for number, part in enumerate(parts):
            end = len(part) if mark is None else bisect_left(part, mark, begins[number], key=key)
            row += part[begins[number] : end]
            begins[number] = end
        made += sorted(row, key=key)
    return made


def _column(rows: Sequence[dict[str, Json]], name: str, *, dots: bool) -> Column:
    values = [field_value(row, name, dots=dots) for row in rows]
    if all(value is UNDEFINED for value in values):
        hint = " Dot notation is off, so that it is the name of one field." if not dots and "." in name else ""
        raise NodeError(f"No item has the field '{name}' to sort by.{hint}")
    return [value.lower() if isinstance(value, str) else value for value in values]


def _keys(column: Column) -> Sequence[object] | None:
    """The keys that order values of one type; None for others."""
    if all(isinstance(value, str) for value in column):
        if all(map(str.isascii, cast("Sequence[str]", column))):
            return column
        # JavaScript compares code units of UTF-16.
        return [str(value).encode("utf-16-be", "surrogatepass") for value in column]
    if all(type(value) is int or type(value) is float for value in column):
        return column
    return None
