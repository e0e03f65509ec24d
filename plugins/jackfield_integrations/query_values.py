"""Queries in JSON with `$1`, `$2` and so on, for which values stand in their own list.

A placeholder counts where it is a whole text or a whole key, so that a value never adds to the query's structure. One
in a key's place is a plain name, and no operator. Source: n8n's nodes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError

_PLACEHOLDER = re.compile(r"\$([0-9]{1,9})")
_RESERVED = frozenset({"__proto__", "constructor", "prototype", "getPrototypeOf"})
"""Names that no key may have, as in n8n."""


def query_of(given: object, values: object, name: str) -> Json:
    """The query with its values. given: JSON as text, or what an expression gave; values: a list, or its JSON; name: of
    the query's parameter. Raises `NodeError`."""
    query = _parsed(given, name)
    listed = _values(values, f"{name}Parameters")
    if not listed:
        return query
    places = _Places(listed, name)
    made = places.filled(query)
    if (unused := places.unused()) is not None:
        raise NodeError(f"The parameter {name}Parameters has a value for ${unused}, which {name} does not have.")
    return made


def _parsed(given: object, name: str) -> Json:
    if not isinstance(given, str):
        return given  # type: ignore[return-value]  # what an expression gives is JSON
    try:
        return loads(given)
    except InvalidInput:
        raise NodeError(f"The parameter {name} is not valid JSON.") from None


def _values(given: object, name: str) -> list[Json]:
    values = [] if given is None or given == "" else _parsed(given, name)
    if not isinstance(values, list):
        raise NodeError(f"The parameter {name} must be a list.")
    for place, value in enumerate(values, 1):
        if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, dict | list) for one in value)):
            raise NodeError(f"Value {place} of the parameter {name} must be a plain value or a list of such.")
    return values


class _Places:
    """The placeholders of one query."""

    def __init__(self, values: Sequence[Json], name: str) -> None:
        self._values = values
        self._name = name
        self._used: set[int] = set()

    def unused(self) -> int | None:
        """The number of the first value that nothing stands for."""
        return next((place for place in range(1, len(self._values) + 1) if place not in self._used), None)

    def filled(self, value: Json) -> Json:
        """Raises `NodeError`."""
        if isinstance(value, str):
            found = _PLACEHOLDER.fullmatch(value)
            return self._value(int(found[1])) if found else value
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if isinstance(value, dict):
            return self._object(value)
        return value

    def _value(self, place: int) -> Json:
        if not 0 < place <= len(self._values):
            raise NodeError(f"The parameter {self._name} has ${place}; add its value to {self._name}Parameters.")
        self._used.add(place)
        return self._values[place - 1]

    def _object(self, given: dict[str, Json]) -> dict[str, Json]:
        made: dict[str, Json] = {}
        for key, value in given.items():
            name = self._key(key)
            if name in made:
                raise NodeError(f"The parameter {self._name} has the field {name} twice, once as {key}.")
            made[name] = self.filled(value)
        return made

    def _key(self, key: str) -> str:
        found = _PLACEHOLDER.fullmatch(key)
        if found is None:
            return key
        name = self._value(int(found[1]))
        if not isinstance(name, str) or not name or name.startswith("$") or name in _RESERVED:
            raise NodeError(
                f"The value for {key} stands for a field's name in the parameter {self._name}. It must be a text "
                "that is not empty, does not begin with $, and is no reserved name."
            )
        return name
