"""The base of parameter models, and shapes that nodes share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

from .nodes import NodeParameters


def _flag(value: object) -> object:
    """As JavaScript has it, what an expression does not give is false."""
    return False if value is None or value == "" else value


Flag: TypeAlias = Annotated[bool, BeforeValidator(_flag)]
"""A truth value that an expression may give: null and empty text, which also an empty expression gives, are false."""


class Parameters(NodeParameters):
    """camelCase as in the document; a number or a truth value where text is expected is taken as its text."""

    model_config = ConfigDict(alias_generator=to_camel, coerce_numbers_to_str=True, protected_namespaces=())


class NoParameters(Parameters):
    """A node without parameters that count; what the document has is kept."""
