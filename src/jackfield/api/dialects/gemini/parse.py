"""Body of `:generateContent`, `:streamGenerateContent` and `:countTokens` -> `ModelRequest`."""

from __future__ import annotations

from ...jsontext import Json
from .. import fields
from ..fields import invalid, objects, opt_count, opt_number, opt_object, opt_text
from ..model import (
    Block,
    ChatTurn,
    ModelRequest,
    Object,
    OutputFormat,
    Role,
    TextBlock,
    ToolChoice,
    ToolDefinition,
)
from .call_ids import CallIds
from .declarations import parse_tools, schema_in
from .naming import camel
from .parts import parse_part
from .thinking import parse_thinking

KNOWN = frozenset({"model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "stream"})
_SHAPE = frozenset({"responseMimeType", "responseSchema", "responseJsonSchema", "_responseJsonSchema"})
GENERATION = _SHAPE | {
    "candidateCount", "maxOutputTokens", "temperature", "topP", "topK", "stopSequences", "thinkingConfig",
}  # fmt: skip
CALLING = "functionCallingConfig"
_CONFIG = f"toolConfig.{CALLING}."
JSON = "application/json"
_CHOICE = "text/x.enum"
"""The answer is one of the schema's texts, bare."""
_LARGEST = 2**53 - 1


def parse_body(given: Object) -> ModelRequest:
    """Without the model, unless the body names it too."""
    body = camel(given)
    body = camel(opt_object(body, "generateContentRequest") or body)  # as a count has it
    generation = camel(opt_object(body, "generationConfig") or {})
    where = "generationConfig."
    if generation.get("candidateCount") not in (None, 1):
        raise invalid(f"{where}candidateCount", "only one answer can be asked for")
    choosing = camel(opt_object(body, "toolConfig") or {})
    calling = camel(opt_object(choosing, CALLING, "toolConfig.") or {})
    return ModelRequest(
        dialect="gemini",
        model=(opt_text(body, "model") or "").removeprefix("models/"),
        system=(*_system(body.get("systemInstruction")), *_told_choice(generation, where)),
        turns=_turns(body.get("contents")),
        tools=_allowed(parse_tools(body.get("tools")), calling),
        tool_choice=_tool_choice(calling),
        max_tokens=opt_count(generation, "maxOutputTokens", where, least=1),
        stop=fields.texts(generation.get("stopSequences"), f"{where}stopSequences"),
        temperature=opt_number(generation, "temperature", where),
        top_p=opt_number(generation, "topP", where),
        top_k=_top_k(opt_number(generation, "topK", where)),
        reasoning=parse_thinking(opt_object(generation, "thinkingConfig", where), f"{where}thinkingConfig."),
        format=_format(generation, where),
        include_usage=True,
        extra=_extra(body, generation, choosing),
    )


def _top_k(value: float | None) -> int | None:
    """Google's libraries write it as a fraction. No vocabulary is as large as the largest number that others take."""
    return None if value is None else int(min(max(0, value), _LARGEST))


def _extra(body: Object, generation: Object, choosing: Object) -> Object:
    extra: Object = {name: value for name, value in body.items() if name not in KNOWN}
    read = GENERATION - _SHAPE if generation.get("responseMimeType") == _CHOICE else GENERATION
    if rest := {name: value for name, value in generation.items() if name not in read}:
        extra["generationConfig"] = rest
    if left := {name: value for name, value in choosing.items() if name != CALLING}:
        extra["toolConfig"] = left
    return extra


def _system(value: Json) -> tuple[TextBlock, ...]:
    if value is None:
        return ()
    if type(value) is str:
        return (TextBlock(value),)
    if type(value) is not dict:
        raise invalid("systemInstruction", "must be an object with parts")
    where = "systemInstruction.parts"
    parts = objects(camel(value).get("parts"), where)
    said = [opt_text(part, "text", f"{where}.{n}.") for n, part in enumerate(parts)]
    return tuple(TextBlock(text) for text in said if text)


def _turns(value: Json) -> tuple[ChatTurn, ...]:
    contents = objects(value, "contents")
    if not contents:
        raise invalid("contents", "a list of at least one content is required")
    ids = CallIds()
    return tuple(_turn(content, ids, f"contents.{n}.") for n, content in enumerate(contents))


def _turn(content: Object, ids: CallIds, where: str) -> ChatTurn:
    role = _role(content.get("role"), where)
    ids.turn(role)
    found: list[Block] = []
    for n, part in enumerate(objects(content.get("parts"), f"{where}parts")):
        found += parse_part(part, ids, f"{where}parts.{n}.")
    return ChatTurn(role, tuple(found))


def _role(value: Json, where: str) -> Role:
    match value:
        case None | "" | "user" | "function" | "tool":
            return "user"
        case "model" | "assistant":
            return "assistant"
    raise invalid(f"{where}role", 'must be "user" or "model"')


def _allowed(tools: tuple[ToolDefinition, ...], config: Object) -> tuple[ToolDefinition, ...]:
    """Other dialects have no choice among some: those that may not be called are left out."""
    names = _names(config)
    if _mode(config) not in ("ANY", "VALIDATED") or not any(tool.name in names for tool in tools):
        return tools
    return tuple(tool for tool in tools if tool.kind == "hosted" or tool.name in names)


def _names(config: Object) -> tuple[str, ...]:
    return fields.texts(config.get("allowedFunctionNames"), f"{_CONFIG}allowedFunctionNames")


def _mode(config: Object) -> str:
    return (opt_text(config, "mode", _CONFIG) or "AUTO").upper()


def _tool_choice(config: Object) -> ToolChoice | None:
    if not config:
        return None
    allowed = _names(config)
    match _mode(config):
        case "AUTO" | "VALIDATED" | "MODE_UNSPECIFIED":
            return ToolChoice("auto")
        case "NONE":
            return ToolChoice("none")
        case "ANY":
            return ToolChoice("tool", allowed[0]) if len(allowed) == 1 else ToolChoice("any")
    raise invalid(f"{_CONFIG}mode", "must be one of AUTO, ANY, NONE, VALIDATED")


def _format(generation: Object, where: str) -> OutputFormat | None:
    if opt_text(generation, "responseMimeType", where) != JSON:
        return None
    schema = schema_in(generation, "responseSchema", where)
    return OutputFormat("json_object") if schema is None else OutputFormat("json_schema", schema=schema)


def _told_choice(generation: Object, where: str) -> tuple[TextBlock, ...]:
    """A choice of texts in words: other dialects have no such format."""
    if opt_text(generation, "responseMimeType", where) != _CHOICE:
        return ()
    values = fields.arr((schema_in(generation, "responseSchema", where) or {}).get("enum"))
    if not values:
        raise invalid(f"{where}responseSchema", f"{_CHOICE} needs a schema with enum")
    listed = fields.dumps_text(values)
    return (TextBlock(f"Answer with one of these values, without quotes, and with nothing else: {listed}"),)
