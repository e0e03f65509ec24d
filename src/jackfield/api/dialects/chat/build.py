"""`ModelRequest` -> body of `/v1/chat/completions`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...jsontext import Json
from .. import freeform, schemas
from ..history import check_whole, system_parts
from ..hosted import is_there
from ..media import data_url, file_name, titled_text, url_of
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
    ToolDefinition,
    ToolResult,
    ToolUse,
    UpstreamModel,
)
from ..models import clamped, effort_of, is_openai_reasoning, replays_reasoning, takes_reasoning
from ..names import called_name, chosen_name, fit_call_id, fit_name, upstream_name
from ..turns import repaired

MAX_STOPS = 4
MAX_USER = 64
NOT_RECORDED = "The reasoning was not recorded."  # where a provider insists on some


def build_body(request: ModelRequest, target: UpstreamModel) -> Object:
    check_whole(request, "chat")
    body: Object = {"model": target.model, "messages": _messages(request, target)}
    _tools(body, request, target)
    _limits(body, request, target)
    if wants_reasoning(request, target):
        body["reasoning_effort"] = effort_of(request.reasoning or Reasoning())
    if request.format is not None and not schemas.told_to_openai(request):
        body["response_format"] = _format(request.format)
    if request.user:
        body["user"] = fit_name(request.user, MAX_USER) if len(request.user) > MAX_USER else request.user
    if request.cache_key and target.cache_key:
        body["prompt_cache_key"] = fit_name(request.cache_key)
    if request.stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    if request.dialect == "chat":
        body.update({key: value for key, value in request.extra.items() if key not in body})
    return body


def wants_reasoning(request: ModelRequest, target: UpstreamModel) -> bool:
    """An effort alone counts: Anthropic's has a meaning without thinking as well."""
    reasoning = request.reasoning
    return reasoning is not None and (reasoning.enabled or reasoning.effort is not None) and takes_reasoning(target)


def _limits(body: Object, request: ModelRequest, target: UpstreamModel) -> None:
    reasons = is_openai_reasoning(target.model)
    max_tokens = clamped(request.max_tokens, target)
    if max_tokens is not None:
        body["max_completion_tokens" if reasons else "max_tokens"] = max_tokens
    if reasons:  # they refuse sampling and stop sequences
        if request.verbosity is not None:
            body["verbosity"] = request.verbosity
        return
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.top_p is not None:
        body["top_p"] = request.top_p
    if request.stop:
        body["stop"] = list(request.stop[:MAX_STOPS])


def _format(wanted: OutputFormat) -> Object:
    if wanted.kind == "json_object":
        return {"type": "json_object"}
    strict = wanted.strict is not False
    schema = schemas.strict(wanted.schema) if strict else wanted.schema
    made: Object = {"name": fit_name(wanted.name), "schema": schema, "strict": strict}
    if wanted.description:
        made["description"] = wanted.description
    return {"type": "json_schema", "json_schema": made}


# ------------------------------------------------------------------------------------------------------------- messages


def _messages(request: ModelRequest, target: UpstreamModel) -> list[Json]:
    found: list[Json] = []
    told = schemas.told_to_openai(request)
    if system := [*system_parts(request), *([TextBlock(told)] if told else [])]:
        found.append({"role": "system", "content": _system(system, target)})
    for turn in repaired(request.turns):
        if turn.role == "assistant":
            found += _assistant(turn, target)
        else:
            found += _user(turn, target)
    return found


def _system(parts: Sequence[TextBlock], target: UpstreamModel) -> Json:
    """Parts only where one is marked: some backends take no others than texts."""
    if target.cache_marks and any(part.cache for part in parts):
        return [_marked({"type": "text", "text": part.text}, part.cache, target) for part in parts]
    return "\n\n".join(part.text for part in parts)


def _user(turn: ChatTurn, target: UpstreamModel) -> list[Json]:
    """Results first, each its own message; their images follow, which a result cannot hold."""
    found: list[Json] = []
    rest: list[Block] = []
    for block in turn.content:
        if isinstance(block, ToolResult):
            call_id = fit_call_id(block.id, "chat")
            found.append({"role": "tool", "tool_call_id": call_id, "content": _result(block, target)})
            rest += [part for part in block.content if _is_media(part)]
    rest += [block for block in turn.content if not isinstance(block, ToolResult)]
    if content := _content(rest, target):
        found.append({"role": "user", "content": content})
    return found


def _is_media(block: ResultBlock) -> bool:
    return isinstance(block, ImageBlock) or (isinstance(block, DocumentBlock) and bool(block.data))


def result_text(result: ToolResult) -> str:
    texts = [block.text for block in result.content if isinstance(block, TextBlock)]
    texts += [titled_text(block) for block in result.content if isinstance(block, DocumentBlock) and not block.data]
    text = "\n".join(texts)
    return f"Error: {text}" if result.is_error else text


def _result(result: ToolResult, target: UpstreamModel) -> Json:
    text = result_text(result)
    if not target.cache_marks or result.cache is None:
        return text
    return [_marked({"type": "text", "text": text}, result.cache, target)]


def _content(blocks: Iterable[Block], target: UpstreamModel) -> Json:
    """A bare text where there is nothing else: some backends take no parts."""
    parts = [part for block in blocks if (part := _part(block, target)) is not None]
    if all(len(part) == 2 and "text" in part and "type" in part for part in parts):
        return "\n".join(str(part["text"]) for part in parts)
    return [*parts]


def _marked(part: Object, cache: Object | None, target: UpstreamModel) -> Object:
    return {**part, "cache_control": cache} if cache is not None and target.cache_marks else part


def _part(block: Block, target: UpstreamModel) -> Object | None:
    match block:
        case TextBlock():
            return _marked({"type": "text", "text": block.text}, block.cache, target) if block.text else None
        case ImageBlock():
            if not (url := url_of(block)):
                return {"type": "text", "text": "[image: a file of another provider]"}
            source: Object = {"url": url}
            if block.detail:
                source["detail"] = block.detail
            return _marked({"type": "image_url", "image_url": source}, block.cache, target)
        case DocumentBlock() if block.data:
            data = data_url(block.media_type or "application/pdf", block.data)
            file: Object = {"filename": file_name(block), "file_data": data}
            return _marked({"type": "file", "file": file}, block.cache, target)
        case DocumentBlock() if block.file_id:
            return {"type": "file", "file": {"file_id": block.file_id}}
        case DocumentBlock():
            return {"type": "text", "text": titled_text(block)}
        case Foreign():
            return block.raw if block.dialect == "chat" else None
    return None


def _assistant(turn: ChatTurn, target: UpstreamModel) -> list[Json]:
    calls: list[Json] = [_call(block, target) for block in turn.content if isinstance(block, ToolUse)]
    text = "".join(block.text for block in turn.content if isinstance(block, TextBlock))
    if not calls and not text:
        return []
    message: Object = {"role": "assistant", "content": text or None}
    if replays_reasoning(target):
        thought = "".join(block.text for block in turn.content if isinstance(block, Thinking))
        if thought or calls:
            message["reasoning_content"] = thought or NOT_RECORDED
    if calls:
        message["tool_calls"] = calls
    return [message]


def _call(call: ToolUse, target: UpstreamModel) -> Object:
    arguments = freeform.wrapped(call.arguments) if call.kind == "custom" else call.arguments or "{}"
    made: Object = {
        "id": fit_call_id(call.id, "chat"),
        "type": "function",
        "function": {"name": called_name(call.name, call.namespace), "arguments": arguments},
    }
    if signature := call.signature or target.signatures.get(call.id):
        made["extra_content"] = {"google": {"thought_signature": signature}}
    return made


# ---------------------------------------------------------------------------------------------------------------- tools


def _tools(body: Object, request: ModelRequest, target: UpstreamModel) -> None:
    tools: list[Json] = [_tool(tool) for tool in request.tools if tool.kind != "hosted"]
    search = next((tool for tool in request.tools if tool.kind == "hosted" and is_there(tool, "chat", target)), None)
    if search is not None:
        body["web_search_options"] = search.raw if search.dialect == "chat" and search.raw else {}
    if not tools:
        return
    body["tools"] = tools
    if request.tool_choice is not None and (choice := _tool_choice(request)) is not None:
        body["tool_choice"] = choice
    if request.parallel_tools is not None:
        body["parallel_tool_calls"] = request.parallel_tools


def _tool(tool: ToolDefinition) -> Object:
    custom = tool.kind == "custom"
    function: Object = {"name": upstream_name(tool)}
    if description := freeform.description(tool) if custom else tool.description:
        function["description"] = description
    function["parameters"] = freeform.as_schema() if custom else schemas.parameters(tool.schema)
    if tool.strict is not None and tool.dialect != "anthropic":
        function["strict"] = tool.strict
    return {"type": "function", "function": function}


def _tool_choice(request: ModelRequest) -> Json:
    choice = request.tool_choice
    match choice.mode if choice else "auto":
        case "any":
            return "required"
        case "tool":
            name = chosen_name(request)
            return {"type": "function", "function": {"name": name}} if name else None
        case mode:
            return mode
