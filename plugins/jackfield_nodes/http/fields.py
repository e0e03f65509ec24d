"""Names and values of queries, headers and forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.http.call import Pairs
from jackfield_nodes.values.conversions import text_of, to_object
from jackfield_nodes.values.parameters import NameValue

ArrayStyle: TypeAlias = "Literal['brackets', 'indices', 'repeat']"


def collected(rows: Iterable[NameValue], *, repeat: bool) -> dict[str, Json]:
    """Rows with a name as an object; of a repeated name the last counts, or with `repeat` all as a list."""
    found: dict[str, Json] = {}
    for row in rows:
        value: Json = row.value  # type: ignore[assignment]  # resolved parameters are JSON
        if not row.name:
            continue
        if repeat and row.name in found:
            present = found[row.name]
            value = [*present, value] if isinstance(present, list) else [present, value]
        found[row.name] = value
    return found


def object_from(value: object, parameter: str) -> dict[str, Json]:
    """An object or its JSON text; nothing is an empty one. Raises `NodeError` naming the parameter."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return {}
    try:
        return to_object(value)
    except ValueError as exc:
        raise NodeError(f"The parameter {parameter} must be one JSON object; it is {exc}.") from None


def pairs(fields: Mapping[str, Json], style: ArrayStyle = "repeat") -> Pairs:
    """As text; a list becomes several pairs: `a=1&a=2`, `a[]=1&a[]=2` or `a[0]=1&a[1]=2`."""
    made: Pairs = []
    for name, value in fields.items():
        if not isinstance(value, list):
            made.append((name, text_of(value)))
            continue
        for index, element in enumerate(value):
            suffix = {"brackets": "[]", "indices": f"[{index}]", "repeat": ""}[style]
            made.append((name + suffix, text_of(element)))
    return made
