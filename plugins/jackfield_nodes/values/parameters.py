"""Shapes of parameters that several nodes share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from jackfield.api.javascript import UNDEFINED, to_string
from jackfield.api.nodes import Parameters


class _Named:
    """Of a name that is nearly always a text: pydantic's own code takes it, and Python the rest."""

    def __get_pydantic_core_schema__(self, source: type, handler: GetCoreSchemaHandler) -> CoreSchema:
        rest = core_schema.no_info_plain_validator_function(_name)
        both: list[CoreSchema | tuple[CoreSchema, str]] = [core_schema.str_schema(), rest]
        return core_schema.union_schema(both, mode="left_to_right", custom_error_type="string_type")

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(core_schema.str_schema())


def _name(value: object) -> str:
    if value is None or value is UNDEFINED:
        return to_string(value)
    raise ValueError("no name")


FieldName: TypeAlias = Annotated[str, _Named()]
"""The name of a field that an expression may give: null and undefined are named so, as JavaScript does."""


class NameValue(Parameters):
    """One row of a list of fields, headers or query parameters."""

    name: str = ""
    value: object = None
