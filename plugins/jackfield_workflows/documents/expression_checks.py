"""The checks of expressions that need no run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jackfield.api.expressions import Expressions
from jackfield.api.jsontext import Json
from jackfield_workflows.documents.mistakes import member


def is_expression(value: object) -> bool:
    """Whether a parameter's value is computed at run time: a text that begins with `=`."""
    return isinstance(value, str) and value.startswith("=")


def unclosed(parameters: Mapping[str, Json], expressions: Expressions) -> Iterator[str]:
    """Paths, each with its leading `.` or `[`, of the expressions in which a `{{` is never closed."""
    for name, value in parameters.items():
        yield from _unclosed(value, member(".", name)[1:], expressions)


def _unclosed(value: Json, path: str, expressions: Expressions) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _unclosed(inner, path + member(".", name)[1:], expressions)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _unclosed(inner, f"{path}[{index}]", expressions)
    elif isinstance(value, str) and value.startswith("=") and "{{" in value and not expressions.is_closed(value[1:]):
        yield path
