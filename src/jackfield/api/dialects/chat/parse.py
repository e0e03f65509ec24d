"""Body of `/v1/chat/completions` -> `ModelRequest`."""

from __future__ import annotations

from ...jsontext import Json
from ...records import replace
from .. import fields
from ..fields import invalid, need_text, objects, opt_bool, opt_count, opt_number, opt_object, opt_text
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
    TextBlock,
    Thinking,
    ToolChoice,
    ToolDefinition,
    ToolResult,
    ToolUse,
)
from ..models import effort_named
from ..names import untag_signature

KNOWN = frozenset(
    {
        "model",
        "messages",
        "tools",
        "functions",
        "tool_choice",
        "function_call",
        "parallel_tool_calls",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "temperature",
        "top_p",
        "top_k",
        "reasoning_effort",
        "reasoning",
        "response_format",
        "verbosity",
        "stream",
        "stream_options",
        "user",
        "prompt_cache_key",
        "web_search_options",
        "n",
    }
)


def parse_body(body: Object) -> ModelRequest:
    if body.get("n") not in (None, 1):
        raise invalid("n", "only one answer can be asked for")
    system, turns = _messages(body)
    return ModelRequest(
        dialect="chat",
        model=need_text(body, "model"),
        system=system,
        turns=turns,
        tools=_tools(body),
        tool_choice=_tool_choice(body),
        parallel_tools=opt_bool(body, "parallel_tool_calls"),
        max_tokens=opt_count(body, "max_completion_tokens", least=1) or opt_count(body, "max_tokens", least=1),
        stop=fields.texts(body.get("stop"), "stop"),
        temperature=opt_number(body, "temperature"),
        top_p=opt_number(body, "top_p"),
        top_k=opt_count(body, "top_k"),
        reasoning=_reasoning(body),
        format=_format(opt_object(body, "response_format")),
        verbosity=opt_text(body, "verbosity"),
        stream=opt_bool(body, "stream") or False,
        include_usage=(opt_object(body, "stream_options") or {}).get("include_usage") is True,
        user=opt_text(body, "user"),
        cache_key=opt_text(body, "prompt_cache_key"),
        extra={key: value for key, value in body.items() if key not in KNOWN},
    )


# ------------------------------------------------------------------------------------------------------------- messages


def _messages(body: Object) -> tuple[tuple[TextBlock, ...], tuple[ChatTurn, ...]]:
    system: list[TextBlock] = []
    turns: list[ChatTurn] = []
    for n, message in enumerate(objects(body.get("messages"), "messages")):
        where = f"messages.{n}."
        match message.get("role"):
            case "system" | "developer":
                system += [part for part in _content(message, where) if isinstance(part, TextBlock)]
            case "user":
                turns.append(ChatTurn("user", _content(message, where)))
            case "assistant":
                turns.append(ChatTurn("assistant", _assistant(message, where)))
            case "tool":
                turns.append(ChatTurn("user", (_result(message, need_text(message, "tool_call_id", where), where),)))
            case "function":
                turns.append(ChatTurn("user", (_result(message, need_text(message, "name", where), where),)))
            case _:
                raise invalid(f"{where}role", "must be one of system, developer, user, assistant, tool")
    return tuple(system), tuple(turns)


def _content(message: Object, where: str) -> tuple[Block, ...]:
    value = message.get("content")
    if type(value) is str:
        return (TextBlock(value),) if value else ()
    where += "content"
    return tuple(_part(part, f"{where}.{n}.") for n, part in enumerate(objects(value, where)))


def _part(part: Object, where: str) -> Block:
    match part.get("type"):
        case "text":
            return TextBlock(opt_text(part, "text", where) or "", opt_object(part, "cache_control", where))
        case "refusal":
            return TextBlock(opt_text(part, "refusal", where) or "", refusal=True)
        case "image_url":
            source = part.get("image_url")
            if type(source) is str:
                return image_of(source)
            source = opt_object(part, "image_url", where) or {}
            found = image_of(need_text(source, "url", f"{where}image_url."), opt_text(source, "detail", where))
            return replace(found, cache=opt_object(part, "cache_control", where))
        case "file":
            return _file(opt_object(part, "file", where) or {}, where)
        case str():
            return Foreign("chat", part)
    raise invalid(f"{where}type", "a text is required")


def _file(source: Object, where: str) -> Block:
    where += "file."
    title = opt_text(source, "filename", where)
    if (file_id := opt_text(source, "file_id", where)) is not None:
        return DocumentBlock(file_id=file_id, title=title)
    return document_of(need_text(source, "file_data", where), title)


def _assistant(message: Object, where: str) -> tuple[Block, ...]:
    blocks: list[Block] = []
    thought = message.get("reasoning_content") or message.get("reasoning")
    if type(thought) is str:
        signature, origin = untag_signature(fields.text(message.get("reasoning_signature")), "chat")
        blocks.append(Thinking(thought, signature, origin))
    blocks += _content(message, where)
    if refusal := opt_text(message, "refusal", where):
        blocks.append(TextBlock(refusal, refusal=True))
    for n, call in enumerate(objects(message.get("tool_calls"), f"{where}tool_calls")):
        blocks.append(_call(call, f"{where}tool_calls.{n}."))
    if (legacy := opt_object(message, "function_call", where)) is not None:
        name = need_text(legacy, "name", f"{where}function_call.")
        blocks.append(ToolUse(name, name, fields.text(legacy.get("arguments"))))
    return tuple(blocks)


def _call(call: Object, where: str) -> ToolUse:
    call_id = need_text(call, "id", where)
    if (custom := opt_object(call, "custom", where)) is not None:
        name = need_text(custom, "name", f"{where}custom.")
        return ToolUse(call_id, name, fields.text(custom.get("input")), kind="custom")
    function = opt_object(call, "function", where) or {}
    name = need_text(function, "name", f"{where}function.")
    return ToolUse(call_id, name, fields.text(function.get("arguments")), signature=signature_of(call))


def signature_of(call: Object) -> str | None:
    """Gemini's, through its OpenAI surface."""
    google = fields.obj(fields.obj(call.get("extra_content")).get("google"))
    return fields.text(google.get("thought_signature")) or None


def _result(message: Object, call_id: str, where: str) -> ToolResult:
    content: list[ResultBlock] = [
        part for part in _content(message, where) if isinstance(part, (TextBlock, ImageBlock))
    ]
    return ToolResult(call_id, tuple(content))


# ---------------------------------------------------------------------------------------------------------------- tools


def _tools(body: Object) -> tuple[ToolDefinition, ...]:
    found = [_tool(tool, f"tools.{n}.") for n, tool in enumerate(objects(body.get("tools"), "tools"))]
    for n, function in enumerate(objects(body.get("functions"), "functions")):
        found.append(_function(function, f"functions.{n}."))
    if (search := opt_object(body, "web_search_options")) is not None:
        found.append(ToolDefinition("web_search", kind="hosted", dialect="chat", raw=search))
    return tuple(found)


def _tool(tool: Object, where: str) -> ToolDefinition:
    match tool.get("type", "function"):
        case "function":
            return _function(opt_object(tool, "function", where) or {}, f"{where}function.")
        case "custom":
            custom = opt_object(tool, "custom", where) or {}
            where += "custom."
            described = opt_text(custom, "description", where)
            grammar = fields.obj(fields.obj(custom.get("format")).get("grammar")) or None
            return ToolDefinition(
                need_text(custom, "name", where), described, kind="custom", dialect="chat", raw=grammar
            )
        case str() as kind:
            return ToolDefinition(kind, kind="hosted", dialect="chat", raw=tool)
    raise invalid(f"{where}type", "must be a text")


def _function(function: Object, where: str) -> ToolDefinition:
    return ToolDefinition(
        need_text(function, "name", where),
        opt_text(function, "description", where),
        opt_object(function, "parameters", where) or {},
        strict=opt_bool(function, "strict", where),
        dialect="chat",
    )


def _tool_choice(body: Object) -> ToolChoice | None:
    choice = body.get("tool_choice", body.get("function_call"))
    return openai_choice(choice)


def openai_choice(choice: Json) -> ToolChoice | None:
    """As Chat and Responses have it: a word, or an object that names one tool."""
    match choice:
        case None:
            return None
        case "auto":
            return ToolChoice("auto")
        case "required":
            return ToolChoice("any")
        case "none":
            return ToolChoice("none")
        case {"type": "allowed_tools", "mode": mode} | {"type": "allowed_tools", "allowed_tools": {"mode": mode}}:
            return ToolChoice("any" if mode == "required" else "auto")
        case {"type": "web_search" | "web_search_preview"}:
            return ToolChoice("tool", "web_search")
        case {"function": {"name": str(name)}} | {"custom": {"name": str(name)}} | {"name": str(name)}:
            return ToolChoice("tool", name)
    raise invalid("tool_choice", "must be auto, required, none, or name a tool")


def _reasoning(body: Object) -> Reasoning | None:
    nested = opt_object(body, "reasoning") or {}
    word = opt_text(body, "reasoning_effort") or opt_text(nested, "effort", "reasoning.")
    budget = opt_count(nested, "max_tokens", "reasoning.", least=1)
    if word == "none" or nested.get("enabled") is False:
        return Reasoning(enabled=False)
    if word is None and budget is None:
        return None
    return Reasoning(effort=effort_named(word), budget=budget)


def _format(value: Object | None) -> OutputFormat | None:
    match (value or {}).get("type"):
        case "json_object":
            return OutputFormat("json_object")
        case "json_schema":
            return schema_format(opt_object(value or {}, "json_schema", "response_format.") or {}, "response_format.")
    return None


def schema_format(source: Object, where: str) -> OutputFormat:
    return OutputFormat(
        "json_schema",
        opt_text(source, "name", where) or "output",
        opt_object(source, "schema", where) or {},
        opt_bool(source, "strict", where),
        opt_text(source, "description", where),
    )
