"""Body of `/v1/responses` -> `ModelRequest`. Its flat items become turns; `turns.repaired` joins neighbours later."""

from __future__ import annotations

from ...jsontext import Json
from .. import fields
from ..chat.parse import openai_choice, schema_format
from ..fields import dumps_text, invalid, need_text, objects, opt_bool, opt_count, opt_number, opt_object, opt_text
from ..media import document_of, image_of
from ..model import (
    Block,
    ChatTurn,
    DocumentBlock,
    Foreign,
    ImageBlock,
    ModelRequest,
    Object,
    OutputFormat,
    Reasoning,
    ResultBlock,
    Role,
    TextBlock,
    Thinking,
    ToolDefinition,
    ToolResult,
    ToolUse,
)
from ..models import effort_named
from ..names import untag_signature

KNOWN = frozenset(
    {
        "model",
        "instructions",
        "input",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "max_output_tokens",
        "temperature",
        "top_p",
        "reasoning",
        "text",
        "stream",
        "user",
        "prompt_cache_key",
    }
)


def parse_body(body: Object) -> ModelRequest:
    system, turns = _input(body)
    shape = opt_object(body, "text") or {}
    return ModelRequest(
        dialect="responses",
        model=need_text(body, "model"),
        system=system,
        turns=turns,
        tools=tuple(parse_tools(objects(body.get("tools"), "tools"), "tools")),
        tool_choice=openai_choice(body.get("tool_choice")),
        parallel_tools=opt_bool(body, "parallel_tool_calls"),
        max_tokens=opt_count(body, "max_output_tokens", least=1),
        temperature=opt_number(body, "temperature"),
        top_p=opt_number(body, "top_p"),
        reasoning=_reasoning(opt_object(body, "reasoning")),
        format=_format(opt_object(shape, "format", "text.")),
        verbosity=opt_text(shape, "verbosity", "text."),
        stream=opt_bool(body, "stream") or False,
        include_usage=True,
        user=opt_text(body, "user"),
        cache_key=opt_text(body, "prompt_cache_key"),
        extra={key: value for key, value in body.items() if key not in KNOWN},
    )


# ---------------------------------------------------------------------------------------------------------------- input


def _input(body: Object) -> tuple[tuple[TextBlock, ...], tuple[ChatTurn, ...]]:
    instructions = opt_text(body, "instructions")
    system = [TextBlock(instructions)] if instructions else []
    given = body.get("input")
    if type(given) is str:
        return tuple(system), (ChatTurn("user", (TextBlock(given),)),)
    turns: list[ChatTurn] = []
    for n, item in enumerate(objects(given, "input")):
        where = f"input.{n}."
        if item.get("type", "message") == "message" and item.get("role") in ("system", "developer"):
            system += [part for part in _content(item.get("content"), f"{where}content") if isinstance(part, TextBlock)]
        else:
            turns.append(_item(item, where))
    return tuple(system), tuple(turns)


def _item(item: Object, where: str) -> ChatTurn:
    kind = item.get("type", "message")
    match kind:
        case "message":
            return ChatTurn(_role(item, where), _content(item.get("content"), f"{where}content"))
        case "function_call" | "custom_tool_call":
            return ChatTurn("assistant", (parse_call(item, where),))
        case "function_call_output" | "custom_tool_call_output":
            return ChatTurn("user", (_output(item, where),))
        case "reasoning":
            return ChatTurn("assistant", (parse_reasoning(item),))
        case str():
            return ChatTurn("user" if kind.endswith("_output") else "assistant", (Foreign("responses", item),))
    raise invalid(f"{where}type", "must be a text")


def _role(item: Object, where: str) -> Role:
    match item.get("role"):
        case "user":
            return "user"
        case "assistant":
            return "assistant"
    raise invalid(f"{where}role", "must be one of user, assistant, system, developer")


def _content(value: Json, where: str) -> tuple[Block, ...]:
    if type(value) is str:
        return (TextBlock(value),) if value else ()
    return tuple(_part(part, f"{where}.{n}.") for n, part in enumerate(objects(value, where)))


def _part(part: Object, where: str) -> Block:
    match part.get("type"):
        case "input_text" | "output_text" | "text":
            return TextBlock(opt_text(part, "text", where) or "")
        case "refusal":
            return TextBlock(opt_text(part, "refusal", where) or "", refusal=True)
        case "input_image":
            detail = opt_text(part, "detail", where)
            if file_id := opt_text(part, "file_id", where):
                return ImageBlock(file_id=file_id, detail=detail)
            return image_of(need_text(part, "image_url", where), detail)
        case "input_file":
            return _file(part, where)
        case str():
            return Foreign("responses", part)
    raise invalid(f"{where}type", "a text is required")


def _file(part: Object, where: str) -> DocumentBlock:
    title = opt_text(part, "filename", where)
    if file_id := opt_text(part, "file_id", where):
        return DocumentBlock(file_id=file_id, title=title)
    if url := opt_text(part, "file_url", where):
        return DocumentBlock(url=url, title=title)
    return document_of(need_text(part, "file_data", where), title)


def parse_call(item: Object, where: str) -> ToolUse:
    call_id = need_text(item, "call_id", where)
    name = need_text(item, "name", where)
    namespace = opt_text(item, "namespace", where)
    if item.get("type") == "custom_tool_call":
        return ToolUse(call_id, name, opt_text(item, "input", where) or "", kind="custom", namespace=namespace)
    return ToolUse(call_id, name, opt_text(item, "arguments", where) or "", namespace=namespace)


def _output(item: Object, where: str) -> ToolResult:
    value = item.get("output")
    content: tuple[ResultBlock, ...]
    if type(value) is str:
        content = (TextBlock(value),) if value else ()
    elif type(value) is list:
        parts = _content(value, f"{where}output")
        content = tuple(part for part in parts if isinstance(part, (TextBlock, ImageBlock, DocumentBlock, Foreign)))
    else:  # older Codex sends an object
        content = () if value is None else (TextBlock(dumps_text(value)),)
    call_id = need_text(item, "call_id", where)
    return ToolResult(call_id, content, kind="custom" if item["type"] == "custom_tool_call_output" else "function")


def parse_reasoning(item: Object) -> Thinking:
    signature, origin = untag_signature(fields.text(item.get("encrypted_content")), "responses")
    text = reasoning_text(item)
    return Thinking(text, signature, origin, redacted=bool(signature) and not text)


def reasoning_text(item: Object) -> str:
    parts = fields.arr(item.get("summary")) or fields.arr(item.get("content"))
    return "\n\n".join(fields.text(fields.obj(part).get("text")) for part in parts)


# ---------------------------------------------------------------------------------------------------------------- tools


def parse_tools(tools: list[Object], where: str, namespace: str | None = None) -> list[ToolDefinition]:
    found: list[ToolDefinition] = []
    for n, tool in enumerate(tools):
        inside = f"{where}.{n}."
        if tool.get("type") == "namespace" and namespace is None:
            nested = objects(tool.get("tools"), f"{inside}tools")
            found += parse_tools(nested, f"{inside}tools", need_text(tool, "name", inside))
        else:
            found.append(_tool(tool, inside, namespace))
    return found


def _tool(tool: Object, where: str, namespace: str | None) -> ToolDefinition:
    kind = need_text(tool, "type", where)
    if kind not in ("function", "custom"):
        family = "web_search" if kind.startswith("web_search") else kind
        return ToolDefinition(family, kind="hosted", dialect="responses", raw=tool)
    name = need_text(tool, "name", where)
    description = opt_text(tool, "description", where)
    if kind == "custom":
        grammar = opt_object(tool, "format", where)
        return ToolDefinition(name, description, kind="custom", namespace=namespace, dialect="responses", raw=grammar)
    return ToolDefinition(
        name,
        description,
        opt_object(tool, "parameters", where) or {},
        strict=opt_bool(tool, "strict", where),
        namespace=namespace,
        dialect="responses",
    )


def _reasoning(value: Object | None) -> Reasoning | None:
    if value is None:
        return None
    word = opt_text(value, "effort", "reasoning.")
    if word == "none":
        return Reasoning(enabled=False)
    summary = opt_text(value, "summary", "reasoning.")
    return Reasoning(effort=effort_named(word), summary=summary) if word or summary else None


def _format(value: Object | None) -> OutputFormat | None:
    match (value or {}).get("type"):
        case "json_object":
            return OutputFormat("json_object")
        case "json_schema":
            return schema_format(value or {}, "text.format.")
    return None
