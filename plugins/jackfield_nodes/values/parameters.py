"""Shapes of parameters that several nodes share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator

from jackfield.api.javascript import UNDEFINED, to_string
from jackfield.api.nodes import Parameters


def _name(value: object) -> object:
    return to_string(value) if value is None or value is UNDEFINED else value


FieldName: TypeAlias = Annotated[str, BeforeValidator(_name)]
"""The name of a field that an expression may give: null and undefined are named so, as JavaScript does."""


class NameValue(Parameters):
    """One row of a list of fields, headers or query parameters."""

    name: str = ""
    value: object = None
