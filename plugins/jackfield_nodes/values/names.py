"""Lists of names as parameters have them, and objects made by names with or without dot notation."""

from __future__ import annotations

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.values.conversions import text_of
from jackfield_nodes.values.fields import read_field
from jackfield_nodes.values.paths import remove_path, set_path


def names_of(value: object) -> list[str]:
    """A comma separated list, or a list of names."""
    parts = value if isinstance(value, list) else text_of(value).split(",")
    names = (text_of(part).strip() for part in parts)
    return list(dict.fromkeys(name for name in names if name))


def put(json: dict[str, Json], name: str, value: Json, *, dots: bool) -> None:
    """Write into `json`, which must be the caller's own. Raises `NodeError` that names the field."""
    if not dots:
        json[name] = value
        return
    try:
        set_path(json, name, value)
    except ValueError as exc:
        raise NodeError(f"The field '{name}' cannot be set: {exc}.") from None


def without(json: dict[str, Json], names: list[str], *, dots: bool) -> dict[str, Json]:
    """A copy without these fields."""
    made = dict(json)
    for name in names:
        if dots:
            remove_path(made, name)
        else:
            made.pop(name, None)
    return made


def only(json: dict[str, Json], names: list[str], *, dots: bool) -> dict[str, Json]:
    """A new object with those of these fields that there are."""
    made: dict[str, Json] = {}
    for name in names:
        found, value = read_field(json, name, dots=dots)
        if found:
            put(made, name, value, dots=dots)
    return made
