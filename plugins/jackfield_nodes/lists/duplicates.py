"""Which items are the same as one before, by some of their fields."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from jackfield.api.javascript import UNDEFINED
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.lists.ordering import Column, compared
from jackfield_nodes.values.conversions import type_name
from jackfield_nodes.values.fields import field_value, identity

_SORTS = {"array": "object", "null": "object"}
"""JavaScript's names for these types."""
_RANKS = {"string": 1, "number": 2, "boolean": 4, "object": 7, "array": 9, "null": 10}


class Strictness(NamedTuple):
    """The demands on the fields of all items.

    `nulls`: whether null fits every type. `one_type`: whether all values of a field have one type. `by_type`: whether
    values are ordered by their types first.
    """

    nulls: bool = True
    one_type: bool = True
    by_type: bool = False


def flat_names(json: dict[str, Json]) -> Iterator[str]:
    """The paths of all values that are no objects and lists."""
    return _names(json, "")


def _names(value: Json, path: str) -> Iterator[str]:
    if not isinstance(value, dict | list):
        yield path
        return
    members = value.items() if isinstance(value, dict) else ((str(place), one) for place, one in enumerate(value))
    for name, member in members:
        yield from _names(member, f"{path}.{name}" if path else name)


def first_places(
    rows: Sequence[dict[str, Json]], names: Sequence[str], strictness: Strictness, *, dots: bool
) -> list[int]:
    """The places of the rows that differ from all before them in the values of these fields. Raises `NodeError`."""
    columns = [[field_value(row, name, dots=dots) for row in rows] for name in names]
    for name, column in zip(names, columns, strict=True):
        _check(name, column, strictness)
    if all(map(_is_plain, columns)):
        return _first_of_each(columns, len(rows))
    return _first_beside(columns, len(rows), strictness)


def _check(name: str, column: Column, strictness: Strictness) -> None:
    found = ""
    for index, value in enumerate(column):
        if value is UNDEFINED:
            raise NodeError(f"Item {index} lacks the field '{name}', which is compared.", item=index)
        kind = type_name(value)
        if value is None and strictness.nulls:
            continue
        kind = _SORTS.get(kind, kind)
        if strictness.one_type and found and found != kind:
            raise NodeError(f"The field '{name}' is a {found} in one item and a {kind} in item {index}.", item=index)
        found = kind


def _is_plain(column: Column) -> bool:
    """Whether the values are texts, numbers or truth values alone, which have an order."""
    kinds = {type_name(value) for value in column}
    return len(kinds) < 2 and kinds <= {"string", "number", "boolean"}


def _first_of_each(columns: Sequence[Column], count: int) -> list[int]:
    seen: set[Hashable] = set()
    kept: list[int] = []
    for place in range(count):
        known = tuple(identity(column[place]) for column in columns)
        if known not in seen:
            seen.add(known)
            kept.append(place)
    return kept


def _first_beside(columns: Sequence[Column], count: int, strictness: Strictness) -> list[int]:
    """Of rows that stand side by side once they are sorted. Values without an order may leave equal rows apart."""
    ranked: list[Column] = []
    for column in columns:
        if strictness.by_type:
            ranked.append([_RANKS[type_name(value)] for value in column])
        ranked.append(column)
    places = compared(list(range(count)), ranked, [False] * len(ranked))
    same = [[identity(value) for value in column] for column in columns]
    kept = places[:1]
    for place in places[1:]:
        if any(column[place] != column[kept[-1]] for column in same):
            kept.append(place)
    return sorted(kept)
