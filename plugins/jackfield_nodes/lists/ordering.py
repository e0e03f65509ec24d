"""The order of items by their fields, close to what JavaScript's comparison gives and the same whatever the order was.

Numbers and truth values come before text, text before objects and lists; text counts without upper and lower case. In a
field that holds numbers and otherwise only numeric text, the text counts as numbers. What has no value comes last, in
both directions.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.values.conversions import text_of, to_number
from jackfield_nodes.values.fields import read_field

Key: TypeAlias = "tuple[int, float | bytes]"
"""The value's sort and what is compared within it."""

PART = 4_096
"""So many keys are sorted at once: sorting holds the interpreter, which the event loop needs in between."""


class SortBy(NamedTuple):
    """One field."""

    name: str
    descending: bool = False


def order(rows: Sequence[dict[str, Json]], fields: Sequence[SortBy], *, dots: bool) -> list[int]:
    """The indexes of the rows in their order; equal ones stay as they are. Raises `NodeError` for a field of no row."""
    places = list(range(len(rows)))
    for field in reversed(fields):
        keys = _keys(rows, field.name, dots=dots)
        present = [place for place in places if keys[place] is not None]
        missing = [place for place in places if keys[place] is None]
        places = [*_sorted(present, keys.__getitem__, reverse=field.descending), *missing]
    return places


def _sorted(places: list[int], key: Callable[[int], Key | None], *, reverse: bool) -> list[int]:
    parts = [
        sorted(places[start : start + PART], key=key, reverse=reverse)  # type: ignore[arg-type]  # no key is None
        for start in range(0, len(places), PART)
    ]
    if len(parts) < 2:
        return parts[0] if parts else []
    return list(heapq.merge(*parts, key=key, reverse=reverse))  # type: ignore[arg-type]


def _keys(rows: Sequence[dict[str, Json]], name: str, *, dots: bool) -> list[Key | None]:
    values: list[Json] = []
    anywhere = False
    for row in rows:
        found, value = read_field(row, name, dots=dots)
        anywhere = anywhere or found
        values.append(value)
    if not anywhere:
        hint = " Dot notation is off, so that it is the name of one field." if not dots and "." in name else ""
        raise NodeError(f"No item has the field '{name}' to sort by.{hint}")
    numeric = any(isinstance(value, int | float) for value in values)
    numbers = [_number(value) for value in values] if numeric else []
    if numbers and all(value is None or number is not None for value, number in zip(values, numbers, strict=True)):
        return [None if number is None else (0, number) for number in numbers]
    return [_key(value) for value in values]


def _number(value: Json) -> float | None:
    """A number, a truth value, or what numeric text says."""
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        return to_number(value)
    except ValueError:
        return None


def _key(value: Json) -> Key | None:
    if value is None:
        return None
    if isinstance(value, int | float):
        return 0, value
    # JavaScript compares UTF-16 code units
    text = text_of(value).lower().encode("utf-16-be", "surrogatepass")
    return (1 if isinstance(value, str) else 2), text
