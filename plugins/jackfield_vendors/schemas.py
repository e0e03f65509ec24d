"""JSON Schemas of operations, straight from their descriptions.

They are what pydantic would give for the models of the same operations. Building some 2,000 models for their schemas
takes seconds and 80 MB; most of them are never used for anything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield_vendors.described.description import DescribedOperation, Parameter, Scalar

_TEXT: Json = {"type": "string"}
_OBJECT: Json = {"type": "object", "additionalProperties": True}
_LIST: Json = {"type": "array", "items": {}}
_NULL: Json = {"type": "null"}
_CHOICES: Mapping[str, Sequence[Json]] = {
    "text": (_TEXT, _NULL),
    "number": ({"type": "number"}, _NULL),
    "boolean": ({"type": "boolean"}, _NULL),
    "json": (_TEXT, _OBJECT, _LIST, _NULL),
    "list": (_LIST, _TEXT, _NULL),
    "object": (_OBJECT, _NULL),
    "locator": (_TEXT, _OBJECT, _NULL),
    "any": (),
}
"""Per type what a value may be; nothing: whatever."""


def operation_schema(title: str, rows: Sequence[Parameter], described: DescribedOperation) -> dict[str, Json]:
    """The parameters of one operation. rows: with those that all operations share."""
    properties: dict[str, Json] = {row.name: _field(row) for row in rows}
    properties["resource"] = {"const": described.resource}
    properties["operation"] = {"const": described.operation}
    required: list[Json] = [row.name for row in described.parameters if row.required]
    return {
        "type": "object",
        "title": title,
        "additionalProperties": True,
        "properties": properties,
        "required": required,
    }


def _field(row: Parameter) -> dict[str, Json]:
    choices = [_enumeration(row.options), _NULL] if row.options else list(_CHOICES[row.type])
    kind: dict[str, Json] = {"anyOf": choices} if choices else {}
    return {**kind, "default": row.default, "title": row.title or row.name}


_KINDS: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def _enumeration(options: Sequence[Scalar]) -> Json:
    """One of these values. A type goes without saying when they have several."""
    distinct = list(dict.fromkeys(options))
    made: dict[str, Json] = {"const": distinct[0]} if len(distinct) == 1 else {"enum": [*distinct]}
    kinds = {type(option) for option in distinct}
    if len(kinds) == 1 and (kind := _KINDS.get(kinds.pop())):
        made["type"] = kind
    return made
