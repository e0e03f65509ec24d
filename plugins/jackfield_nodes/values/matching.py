"""When values of two items count as the same, and finding items by their values without comparing each with each.

Exact: as JSON values, 1 and 1.0 are the same, 1 and true are not. Fuzzy: a number or truth value and its text are the
same too, as are JSON text and its value. All empty values are the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import TypeAlias

from jackfield.api.errors import InvalidInput
from jackfield.api.javascript import UNDEFINED, number_text
from jackfield.api.jsontext import Json, loads
from jackfield.api.workflows import Items
from jackfield_nodes.values.conversions import type_name
from jackfield_nodes.values.fields import field_value, identity

Values: TypeAlias = "tuple[object, ...]"
"""The values of an item in the fields that are compared."""

_EMPTY = ("empty",)
_TRUE = ("true",)


def same_value(left: object, right: object) -> bool:
    """Exactly the same."""
    return identity(left) == identity(right)


def _said(text: str) -> Json:
    """The value of a JSON text of a list or an object; other texts stay."""
    if text[:1] not in {"[", "{"}:
        return text
    try:
        return loads(text)
    except InvalidInput:
        return text


def _rough_text(text: str) -> Hashable:
    if text.lower() == "true" or text == "1":
        return _TRUE
    if text.lower() == "false" or text == "0":
        return _EMPTY
    said = _said(text)
    return text if isinstance(said, str) else _rough(said)


def _rough(value: object) -> Hashable:
    """Equal for values that may be alike: what differs here is never alike."""
    if value is None or value is UNDEFINED or value in ("", [], {}):
        return _EMPTY
    if isinstance(value, str):
        return _rough_text(value)
    if isinstance(value, bool) or value in (0, 1):
        return _TRUE if value else _EMPTY
    if isinstance(value, int | float):
        return number_text(value)
    return identity(value)


def _alike_text(text: str, other: object) -> bool:
    if isinstance(other, bool):
        return text.lower() == ("true" if other else "false") or text == str(int(other))
    if isinstance(other, int | float):
        return text == number_text(other)
    return isinstance(other, dict | list) and same_value(_said(text), other)


def _sort(value: object) -> str:
    """The type in JavaScript."""
    if value is UNDEFINED:
        return "undefined"
    return "object" if isinstance(value, list) else type_name(value)


def _is_blank(value: object) -> bool:
    return value is None or value == "" or value == []


def _is_zero(value: object) -> bool:
    return value == "0" or (value == 0 and not isinstance(value, bool))


def alike(left: object, right: object, *, zero: bool = False) -> bool:
    """Fuzzily the same. zero: whether null is like 0."""
    if _sort(left) == _sort(right):
        return same_value(left, right)
    if zero and ((left is None and _is_zero(right)) or (right is None and _is_zero(left))):
        return True
    if (_is_blank(left) or left is UNDEFINED) and (_is_blank(right) or right is UNDEFINED):
        return True
    if isinstance(left, str):
        return _alike_text(left, right)
    if isinstance(right, str):
        return _alike_text(right, left)
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    return numbers and left == right


def values_of(items: Items, names: Sequence[str], *, dots: bool) -> list[Values | None]:
    """Per item its values; None where a field is missing, for such an item looks for nothing."""
    rows = all_values_of(items, names, dots=dots)
    return [None if any(value is UNDEFINED for value in row) else row for row in rows]


def all_values_of(items: Items, names: Sequence[str], *, dots: bool) -> list[Values]:
    """Per item its values, `UNDEFINED` where a field is missing."""
    return [tuple(field_value(item["json"], name, dots=dots) for name in names) for item in items]


class ExactLookup:
    """Rows by their values."""

    def __init__(self, rows: Sequence[Values]) -> None:
        self._rows: dict[Hashable, list[int]] = {}
        for index, values in enumerate(rows):
            self._rows.setdefault(tuple(map(identity, values)), []).append(index)

    def find(self, values: Values) -> Sequence[int]:
        """The rows with the same values, in order."""
        return self._rows.get(tuple(map(identity, values)), ())


class FuzzyLookup:
    """Rows by values that are alike. Being alike is not transitive ("TRUE", true, "true"), so rough groups are made
    first, and the different values of a group are compared."""

    def __init__(self, rows: Sequence[Values], *, zero: bool = False) -> None:
        """zero: see `alike`."""
        self._alike = partial(alike, zero=zero)
        self._groups: dict[Hashable, dict[Hashable, tuple[Values, list[int]]]] = {}
        self._found: dict[Hashable, Sequence[int]] = {}
        for index, values in enumerate(rows):
            group = self._groups.setdefault(tuple(map(_rough, values)), {})
            group.setdefault(tuple(map(identity, values)), (values, []))[1].append(index)

    def find(self, values: Values) -> Sequence[int]:
        """The rows with values that are alike, in order."""
        key = tuple(map(identity, values))
        if key not in self._found:
            self._found[key] = self._compared(values)
        return self._found[key]

    def _compared(self, values: Values) -> Sequence[int]:
        group = self._groups.get(tuple(map(_rough, values)), {})
        fitting = [rows for other, rows in group.values() if all(map(self._alike, values, other))]
        return fitting[0] if len(fitting) == 1 else sorted(index for rows in fitting for index in rows)


Lookup: TypeAlias = "ExactLookup | FuzzyLookup"


def lookup_of(rows: Sequence[Values], *, fuzzy: bool, zero: bool = False) -> Lookup:
    """zero: see `alike`."""
    return FuzzyLookup(rows, zero=zero) if fuzzy else ExactLookup(rows)
