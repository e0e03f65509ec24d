"""Errors of a node's parameters, which name the parameter and the item."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.expressions import CompiledParameters
from jackfield.api.nodes import NodeError
from jackfield.api.scripts import ExpressionError


def check_scripted(parameters: CompiledParameters, index: int, row: Sequence[object]) -> None:
    """Raises `NodeError` for the first of an item's expressions that failed."""
    for source, value in enumerate(row):
        if isinstance(value, ExpressionError):
            raise invalid(parameters.path_of(source), index, value.message)


def invalid(path: str | None, index: int | None, message: str) -> NodeError:
    parameter = f"The parameter {path}" if path else "A parameter"
    item = "" if index is None else f" of item {index}"
    return NodeError(f"{parameter}{item} is not valid: {message}", item=index)
