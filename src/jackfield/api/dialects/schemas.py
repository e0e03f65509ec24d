"""JSON schemas of tools and outputs as the stricter providers take them."""

from __future__ import annotations

from ..jsontext import Json
from .fields import arr, dumps, dumps_text, obj
from .model import ModelRequest, Object, OutputFormat

# What OpenAI's schemas may say; others answer 400 for any they do not know.
_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
_CHOICES = ("anyOf", "oneOf", "allOf")
_MAPS = ("properties", "$defs", "definitions", "patternProperties")  # name -> schema
_DEEPEST = 60  # levels that are looked into


def told_format(wanted: OutputFormat) -> str:
    """The format of an answer in words."""
    if wanted.kind == "json_object":
        return "Answer with one JSON object and nothing else."
    return f"Answer with one JSON document and nothing else. It must fit this JSON schema: {dumps_text(wanted.schema)}"


def told_to_openai(request: ModelRequest) -> str:
    """The format in words, where OpenAI would refuse its schema: the root is no object.

    A client of OpenAI's dialects knows the schemas that its provider takes. Empty: the model needs no words.
    """
    wanted = request.format
    if wanted is None or wanted.kind != "json_schema" or request.dialect in ("chat", "responses"):
        return ""
    return "" if _is_object(wanted.schema) else told_format(wanted)


def _is_object(schema: Object) -> bool:
    return schema.get("type") == "object" and not any(key in schema for key in (*_CHOICES, "$ref"))


def parameters(schema: Object) -> Object:
    """A tool's parameters: the root is an object without choices, and only common formats are named."""
    # Most schemas name no format: to look for the word is a tenth of the work of a deep copy.
    found = _cleaned(schema, _DEEPEST) if b'"format":' in dumps(schema) else dict(schema)
    found.pop("$schema", None)
    if any(key in found for key in _CHOICES):
        found = _merged(found)
    found["type"] = "object"
    if type(found.get("properties")) is not dict:
        found["properties"] = {}
    return found


def _cleaned(schema: Object, depth: int) -> Object:
    """A copy without unknown formats. A property may be named "format": names are never taken for keywords."""
    return {
        key: _cleaned_value(key, value, depth)
        for key, value in schema.items()
        if not (key == "format" and type(value) is str and value not in _FORMATS)
    }


def _cleaned_value(key: str, value: Json, depth: int) -> Json:
    if depth <= 0 or key in ("default", "const", "enum", "examples"):
        return value
    if type(value) is dict:
        if key in _MAPS:
            return {name: _cleaned(inner, depth - 1) if type(inner) is dict else inner for name, inner in value.items()}
        return _cleaned(value, depth - 1)
    if type(value) is list:
        return [_cleaned(item, depth - 1) if type(item) is dict else item for item in value]
    return value


def _merged(schema: Object) -> Object:
    """Both families refuse a choice at the root: all alternatives' properties, those of allOf as required as before."""
    found = {key: value for key, value in schema.items() if key not in _CHOICES}
    properties = dict(obj(found.get("properties")))
    required = list(arr(found.get("required")))
    for key in _CHOICES:
        for part in arr(schema.get(key)):
            properties = {**obj(obj(part).get("properties")), **properties}
            if key == "allOf":
                required += arr(obj(part).get("required"))
    found["properties"] = properties
    if required:
        found["required"] = required
    return found


def strict(schema: Object, depth: int = _DEEPEST) -> Object:
    """As OpenAI's strict mode wants it: every object closed, every property required.

    A value that fits the stricter schema fits the first one as well.
    """
    found: Object = {key: _strict_value(key, value, depth) for key, value in schema.items()}
    if found.get("type") == "object" or type(found.get("properties")) is dict:
        found["additionalProperties"] = False
        found["required"] = list(obj(found.get("properties")))
    return found


def _strict_value(key: str, value: Json, depth: int) -> Json:
    if depth <= 0 or key in ("default", "const", "enum", "examples", "required"):
        return value
    if type(value) is dict:
        if key in _MAPS:
            return {name: strict(inner, depth - 1) if type(inner) is dict else inner for name, inner in value.items()}
        return strict(value, depth - 1)
    if type(value) is list:
        return [strict(item, depth - 1) if type(item) is dict else item for item in value]
    return value


def closed(schema: Object, depth: int = _DEEPEST) -> Object:
    """Every object closed, as Anthropic's output format wants it."""
    found = strict(schema, depth)
    _restore_required(found, schema, depth)
    return found


def _restore_required(found: Object, first: Object, depth: int) -> None:
    if type(first) is not dict or depth <= 0:
        return
    if "required" in found and "required" not in first:
        del found["required"]
    elif "required" in first:
        found["required"] = first["required"]
    for key, value in first.items():
        inner = found.get(key)
        if type(inner) is dict and type(value) is dict:
            pairs = [(inner.get(name), part) for name, part in value.items()] if key in _MAPS else [(inner, value)]
        elif type(inner) is list and type(value) is list and key != "required":
            pairs = list(zip(inner, value, strict=True))
        else:
            continue
        for one, other in pairs:
            if type(one) is dict and type(other) is dict:
                _restore_required(one, other, depth - 1)
