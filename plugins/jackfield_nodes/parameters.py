"""The base of this plugin's parameter models, and shapes that several nodes share."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from jackfield.api.nodes import NodeParameters


class Parameters(NodeParameters):
    """camelCase as in the document; a number or a truth value where text is expected is taken as its text."""

    model_config = ConfigDict(alias_generator=to_camel, coerce_numbers_to_str=True)


class NoParameters(Parameters):
    """A node without parameters; what the document has is kept."""


class NameValue(Parameters):
    """One row of a list of fields, headers or query parameters."""

    name: str = ""
    value: object = None
