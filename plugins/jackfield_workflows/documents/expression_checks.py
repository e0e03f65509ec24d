"""What can be told of expressions without running them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jackfield.api.jsontext import Json
from jackfield_workflows.documents.mistakes import member
from jackfield_workflows.templates import split


def is_expression(value: object) -> bool:
    """Whether a parameter's value is computed at run time: a text that begins with `=`."""
    return isinstance(value, str) and value.startswith("=")


def unclosed(parameters: Mapping[str, Json]) -> Iterator[str]:
    """Paths, each with its leading `.` or `[`, of the expressions in which a `{{` is never closed."""
    for name, value in parameters.items():
        yield from _unclosed(value, member(".", name)[1:])


def _unclosed(value: Json, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _unclosed(inner, path + member(".", name)[1:])
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _unclosed(inner, f"{path}[{index}]")
    elif isinstance(value, str) and value.startswith("=") and "{{" in value and _is_open(value[1:]):
        yield path


def _is_open(template: str) -> bool:
    return any(chunk.code and not chunk.raw.endswith("}}") for chunk in split(template))
