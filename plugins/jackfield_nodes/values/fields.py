"""Fields of items, named one by one or in comma-separated lists."""

from __future__ import annotations

from collections.abc import Hashable

from jackfield.api.javascript import UNDEFINED
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.values.paths import get_path


def field_names(given: object, parameter: str) -> list[str]:
    """The names in a list or a comma-separated text. Raises `NodeError` naming the parameter when there is none."""
    parts = given.split(",") if isinstance(given, str) else given if isinstance(given, list) else []
    found = [name for part in parts if isinstance(part, str) and (name := part.strip())]
    if not found:
        raise NodeError(f"The parameter {parameter} names no field; give one name or several with commas between.")
    return found


def read_field(json: dict[str, Json], name: str, *, dots: bool) -> tuple[bool, Json]:
    """(found, value). dots: whether `a.b` may mean the field b inside a."""
    return get_path(json, name) if dots else (name in json, json.get(name))


def field_value(json: dict[str, Json], name: str, *, dots: bool) -> object:
    """The value, or `UNDEFINED`. dots: see `read_field`."""
    found, value = read_field(json, name, dots=dots)
    return value if found else UNDEFINED


def identity(value: object) -> Hashable:
    """Equal for values that are deeply equal in JavaScript: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, bool):
        return ("truth", value)
    if isinstance(value, dict):
        return frozenset((key, identity(member)) for key, member in value.items())
    if isinstance(value, list):
        return ("list", *map(identity, value))
    return value
