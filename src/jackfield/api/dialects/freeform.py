"""Custom (freeform) tools, such as Codex's apply_patch, before providers that know functions alone.

The tool becomes a function with one text argument; the call's argument is unwrapped on its way back.
"""

from __future__ import annotations

from .fields import dumps_text, loads, obj
from .model import Object, ToolDefinition, ToolUse

ARGUMENT = "input"


def as_schema() -> Object:
    return {
        "type": "object",
        "properties": {ARGUMENT: {"type": "string", "description": "The whole input of the tool, as it is."}},
        "required": [ARGUMENT],
        "additionalProperties": False,
    }


def description(tool: ToolDefinition) -> str | None:
    """With the grammar, which the provider does not enforce, told in words."""
    definition = (tool.raw or {}).get("definition")
    if type(definition) is not str:
        return tool.description
    syntax = (tool.raw or {}).get("syntax")
    return f"{tool.description or ''}\n\nThe input follows this grammar ({syntax}):\n{definition}".strip()


def wrapped(text: str) -> str:
    return dumps_text({ARGUMENT: text})


def unwrapped(arguments: str) -> str:
    """The bare input. A provider that ignored the schema gets its arguments through as they are."""
    try:
        value = obj(loads(arguments)).get(ARGUMENT)
    except ValueError:
        return arguments
    return value if isinstance(value, str) else arguments


def input_of(call: ToolUse) -> Object:
    """For dialects whose calls have objects; arguments that are none become an empty one."""
    if call.kind == "custom":
        return {ARGUMENT: call.arguments}
    try:
        return obj(loads(call.arguments))
    except ValueError:
        return {}
