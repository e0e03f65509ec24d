"""Objects of one shape in less memory: dictionaries that share their keys, as those of a class's instances do.

An object of JSON with six members takes 272 bytes in CPython, and 120 with shared keys (PEP 412). It is a dictionary
like any other, and copies of it by `copy` share the keys, too. With another implementation of Python, nothing is saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .json_values import Json

ENOUGH = 100
"""Objects of one shape among those at hand, from which on sharing pays: a shape stays for the process's life."""
_MOST_SHAPES = 500
_MOST_KEYS = 30
"""As many as CPython shares."""
_LONGEST_KEY = 100
"""Characters. A shape keeps its keys."""
_LEVELS = 3
"""Of objects inside objects whose shapes are learnt; an item and its data are two."""


class _Shape(NamedTuple):
    """template: an object with these keys; within: keys whose values were objects in the first one."""

    template: dict[str, Json]
    within: tuple[str, ...]


class KnownShapes:
    """Shapes that came often enough. They are bounded and never given up: each needs a class, which only the cyclic
    collector could free. Several threads may use it at once."""

    def __init__(self, most: int = _MOST_SHAPES) -> None:
        self._most = most
        self._shapes: dict[tuple[str, ...], _Shape] = {}

    def __len__(self) -> int:
        return len(self._shapes)

    def shared(self, rows: Sequence[Json]) -> Sequence[Json]:
        """Equal values, in which objects of a shape that is frequent among them share their keys.

        The inside of an object gets the same treatment where the first one of its shape had an object.
        """
        if len(rows) < ENOUGH:
            return rows
        first = rows[0]
        if type(first) is dict and tuple(first) not in self._shapes:
            self._learn(first, rows)
        return [self._of(row, _LEVELS) if type(row) is dict else row for row in rows]

    def of(self, row: dict[str, Json]) -> dict[str, Json]:
        """One object by itself; as it is where its shape is not known."""
        return self._of(row, _LEVELS)

    def _of(self, row: dict[str, Json], levels: int) -> dict[str, Json]:
        shape = self._shapes.get(tuple(row))
        if shape is None:
            return row
        template, within = shape
        made = template.copy()
        made |= row
        if within and levels:
            for name in within:
                value = made[name]
                if type(value) is dict:
                    made[name] = self._of(value, levels - 1)
        return made

    def _learn(self, first: dict[str, Json], rows: Sequence[Json], levels: int = _LEVELS) -> None:
        """Know the first row's shape, and those inside of it, if enough rows have it: lists of data are mostly of one
        shape."""
        keys, alike = tuple(first), [row for row in rows if type(row) is dict and row.keys() == first.keys()]
        if len(alike) < ENOUGH or not self._fits(keys):
            return
        within = tuple(name for name, value in first.items() if levels > 1 and type(value) is dict and value)
        self._shapes[keys] = _Shape(_template(keys), within)
        for name in within:
            inside = [row[name] for row in alike]
            if type(found := inside[0]) is dict and tuple(found) not in self._shapes:
                self._learn(found, inside, levels - 1)

    def _fits(self, keys: tuple[str, ...]) -> bool:
        room = len(self._shapes) < self._most and 0 < len(keys) <= _MOST_KEYS
        return room and all(len(key) <= _LONGEST_KEY for key in keys)


class ComingObjects:
    """Objects that are made one after another: the first ones show which shape they have."""

    def __init__(self, shapes: KnownShapes | None = None) -> None:
        """shapes: the process's where none are given."""
        self._shapes = SHAPES if shapes is None else shapes
        self._first: list[Json] = []

    def of(self, row: dict[str, Json]) -> dict[str, Json]:
        """An equal object, which shares its keys where that pays."""
        if len(self._first) < ENOUGH:
            self._first.append(row)
            if len(self._first) == ENOUGH:
                self._shapes.shared(self._first)
            return row
        return self._shapes.of(row)


def _template(keys: tuple[str, ...]) -> dict[str, Json]:
    """CPython makes room for more keys than there are until a class has some instances."""
    made: dict[str, Json] = {}
    shape = type("Shape", (), {})
    for _ in range(_MOST_KEYS + 1):
        made = vars(shape())
        for key in keys:  # one by one: `update` would give the object keys of its own
            made[key] = None
    return made


SHAPES = KnownShapes()
"""The process's: what parses and what makes long lists share them."""
