"""The base of this plugin's parameter models, and shapes that several nodes share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

from jackfield.api.nodes import NodeParameters


def _flag(value: object) -> object:
    """As JavaScript has it, what an expression does not give is false."""
    return False if value is None or value == "" else value


Flag: TypeAlias = Annotated[bool, BeforeValidator(_flag)]
"""A truth value that an expression may give: null and empty text, which also an empty expression gives, are false."""


class Parameters(NodeParameters):
    """camelCase as in the document; a number or a truth value where text is expected is taken as its text."""

    model_config = ConfigDict(alias_generator=to_camel, coerce_numbers_to_str=True)


class NoParameters(Parameters):
    """A node without parameters; what the document has is kept."""


class NameValue(Parameters):
    """One row of a list of fields, headers or query parameters."""

    name: str = ""
    value: object = None
