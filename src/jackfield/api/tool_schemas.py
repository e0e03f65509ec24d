"""JSON Schemas of tools' arguments, as models' APIs take them.

A tool whose schema an API refuses makes it refuse every request of the agent that has the tool. Source: Anthropic's
Messages API (`input_schema`: JSON Schema 2020-12, names of properties, no combination at the top), OpenAI's functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .jsontext import Json

LONGEST_PROPERTY = 64
PROPERTY = re.compile(rf"[A-Za-z0-9_.-]{{1,{LONGEST_PROPERTY}}}")
_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_NOT_AT_THE_TOP = ("anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref")
_ONE = ("additionalProperties", "not", "contains", "propertyNames", "if", "then", "else")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_SIZES = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_DEEPEST = 32


def schema_mistakes(schema: Json) -> Iterator[str]:
    """The mistakes that keep models' APIs from taking it as a tool's arguments."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        yield 'The schema must be a JSON Schema of an object: {"type": "object", "properties": {}}.'
        return
    for keyword in _NOT_AT_THE_TOP:
        if keyword in schema:
            yield f"Models take no {keyword} at the top of the schema; name properties, and say the rest in words."
    fields = schema.get("properties")
    for name in fields if isinstance(fields, dict) else ():
        if not PROPERTY.fullmatch(name):
            yield f"A property's name has 1 to {LONGEST_PROPERTY} letters, digits, _, . and -: {name[:100]!r} has not."
    yield from _mistakes(schema, "the schema", 0)


def _mistakes(schema: Json, path: str, depth: int) -> Iterator[str]:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{path} must be an object."
        return
    if depth > _DEEPEST:
        yield f"{path} is more than {_DEEPEST} levels deep."
        return
    yield from _members(schema, path)
    for name, below in _below(schema, path):
        yield from _mistakes(below, name, depth + 1)


def _members(schema: dict[str, Json], path: str) -> Iterator[str]:
    kinds = schema.get("type", [])
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if not isinstance(kind, str) or kind not in _TYPES:
            yield f"{path}.type must be one of {', '.join(sorted(_TYPES))}."
    needed = schema.get("required", [])
    texts = [name for name in needed if isinstance(name, str)] if isinstance(needed, list) else []
    if not isinstance(needed, list) or len(set(texts)) != len(needed):
        yield f"{path}.required must be a list of names, each once."
    if not isinstance(schema.get("enum", []), list):
        yield f"{path}.enum must be a list."
    for keyword in _NUMBERS:
        if isinstance(schema.get(keyword, 0), bool) or not isinstance(schema.get(keyword, 0), int | float):
            yield f"{path}.{keyword} must be a number."
    for keyword in _SIZES:
        size = schema.get(keyword, 0)
        if isinstance(size, bool) or not isinstance(size, int) or size < 0:
            yield f"{path}.{keyword} must be a whole number from 0 on."
    for keyword in ("title", "description", "pattern", "format", "$ref"):
        if not isinstance(schema.get(keyword, ""), str):
            yield f"{path}.{keyword} must be a text."


def _below(schema: dict[str, Json], path: str) -> Iterator[tuple[str, Json]]:
    """The schemas in it, with their places; None where there should be some."""
    for keyword in (*_ONE, "items"):
        if keyword in schema:
            yield f"{path}.{keyword}", schema[keyword]
    for keyword in _LISTS:
        if keyword in schema:
            several = schema[keyword]
            parts = several if isinstance(several, list) and several else [None]
            yield from ((f"{path}.{keyword}[{index}]", part) for index, part in enumerate(parts))
    for keyword in _MAPS:
        if keyword in schema:
            named = schema[keyword]
            if not isinstance(named, dict):
                yield f"{path}.{keyword}", None
            else:
                yield from ((f"{path}.{keyword}.{name[:100]}", part) for name, part in named.items())
