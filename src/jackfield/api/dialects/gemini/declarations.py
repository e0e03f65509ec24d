"""Schemas of functions and answers in Google's own notation -> JSON Schema. Google takes JSON Schema itself
(`parametersJsonSchema`, `responseJsonSchema`), so that there is no way back."""

from __future__ import annotations

from ...jsontext import Json
from ..fields import invalid, need_text, obj, objects, opt_object, opt_text
from ..model import Object, ToolDefinition
from .naming import camel

_DEEPEST = 60
"""Levels that are looked into."""
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
"""Whole numbers, which Google's libraries write as texts."""
_NOT_JSON = ("nullable", "propertyOrdering", "example")
_FUNCTIONS = "functionDeclarations"
_FAMILIES = {
    "googleSearch": "web_search",
    "googleSearchRetrieval": "web_search",
    "enterpriseWebSearch": "web_search",
    "codeExecution": "code_execution",
    "urlContext": "url_context",
    "computerUse": "computer",
    "fileSearch": "file_search",
    "googleMaps": "google_maps",
}


def parse_tools(value: Json) -> tuple[ToolDefinition, ...]:
    found: list[ToolDefinition] = []
    for n, tool in enumerate(objects(value, "tools")):
        tool = camel(tool)
        where = f"tools.{n}.{_FUNCTIONS}"
        found += [_function(camel(one), f"{where}.{m}.") for m, one in enumerate(objects(tool.get(_FUNCTIONS), where))]
        for name, raw in tool.items():
            if name != _FUNCTIONS:
                own: Object = {name: raw}
                found.append(ToolDefinition(_FAMILIES.get(name, name), kind="hosted", dialect="gemini", raw=own))
    return tuple(found)


def _function(function: Object, where: str) -> ToolDefinition:
    return ToolDefinition(
        need_text(function, "name", where),
        opt_text(function, "description", where),
        schema_in(function, "parameters", where) or {},
        dialect="gemini",
    )


def schema_in(source: Object, name: str, where: str) -> Object | None:
    """Of `parameters` or `responseSchema`, or of its like in JSON Schema."""
    own = opt_object(source, name, where)
    if own is not None:
        return json_schema(own)
    stem = name.removesuffix("Schema")
    given = source.get(f"{stem}JsonSchema", source.get(f"_{stem}JsonSchema"))
    if given is None or type(given) is dict:
        return given
    raise invalid(f"{where}{stem}JsonSchema", "must be an object")


def json_schema(schema: Object, depth: int = _DEEPEST) -> Object:
    """Types in lower case, `nullable` as a type, and texts that are numbers as numbers."""
    schema = camel(schema)
    found = {name: _value(name, value, depth) for name, value in schema.items() if name not in _NOT_JSON}
    kind = found.get("type")
    if found.get("format") == "enum":
        del found["format"]
    if kind == "type_unspecified":
        del found["type"]
    elif type(kind) is str and schema.get("nullable") is True:
        found["type"] = [kind, "null"]
    return found


def _value(name: str, value: Json, depth: int) -> Json:
    if name == "type" and type(value) is str:
        return value.lower()
    if name in _COUNTS and type(value) is str and value.isdigit():
        return int(value)
    if depth <= 0 or name in ("default", "enum", "const"):
        return value
    if name in ("properties", "$defs", "defs"):
        return {key: json_schema(one, depth - 1) if type(one) is dict else one for key, one in obj(value).items()}
    if type(value) is dict:
        return json_schema(value, depth - 1)
    if type(value) is list:
        return [json_schema(one, depth - 1) if type(one) is dict else one for one in value]
    return value
