"""`ModelRequest` -> body of `/v1/responses`. Nothing is stored: encrypted reasoning travels with the history."""

from __future__ import annotations

from ...jsontext import Json
from .. import schemas
from ..chat.build import MAX_USER, result_text, wants_reasoning
from ..history import check_whole, system_texts
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
    TextBlock,
    Thinking,
    ToolDefinition,
    ToolResult,
    ToolUse,
    UpstreamModel,
)
from ..models import clamped, effort_of, is_openai_reasoning
from ..names import called_name, chosen_name, fit_call_id, fit_name, upstream_name
from ..turns import repaired

LEAST_OUTPUT = 16  # tokens; the API refuses less
ENCRYPTED = "reasoning.encrypted_content"


def build_body(request: ModelRequest, target: UpstreamModel) -> Object:
    check_whole(request, "responses")
    body: Object = {"model": target.model}
    told = schemas.told_to_openai(request)
    if system := [*system_texts(request), *([told] if told else [])]:
        body["instructions"] = "\n\n".join(system)
    body["input"] = [item for turn in repaired(request.turns) for item in _items(turn)]
    _tools(body, request, target)
    _limits(body, request, target)
    if wants_reasoning(request, target):
        reasoning = request.reasoning or Reasoning()
        body["reasoning"] = {"effort": effort_of(reasoning), "summary": reasoning.summary or "auto"}
        body["include"] = [ENCRYPTED]
    if shape := _shape(request):
        body["text"] = shape
    body["store"] = False
    if request.user:
        body["user"] = fit_name(request.user, MAX_USER) if len(request.user) > MAX_USER else request.user
    if request.cache_key:
        body["prompt_cache_key"] = fit_name(request.cache_key)
    if request.stream:
        body["stream"] = True
    if request.dialect == "responses":
        body.update(request.extra)
    return body


def _limits(body: Object, request: ModelRequest, target: UpstreamModel) -> None:
    max_tokens = clamped(request.max_tokens, target)
    if max_tokens is not None:
        body["max_output_tokens"] = max(LEAST_OUTPUT, max_tokens)
    if is_openai_reasoning(target.model):
        return
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.top_p is not None:
        body["top_p"] = request.top_p


def _shape(request: ModelRequest) -> Object:
    shape: Object = {}
    if request.format is not None and not schemas.told_to_openai(request):
        shape["format"] = _format(request.format)
    if request.verbosity is not None:
        shape["verbosity"] = request.verbosity
    return shape


def _format(wanted: OutputFormat) -> Object:
    if wanted.kind == "json_object":
        return {"type": "json_object"}
    strict = wanted.strict is not False
    schema = schemas.strict(wanted.schema) if strict else wanted.schema
    made: Object = {"type": "json_schema", "name": fit_name(wanted.name), "schema": schema, "strict": strict}
    if wanted.description:
        made["description"] = wanted.description
    return made


# ---------------------------------------------------------------------------------------------------------------- input


def _items(turn: ChatTurn) -> list[Json]:
    found: list[Json] = []
    parts: list[Json] = []  # of the message that is being gathered
    for position, block in enumerate(turn.content):
        part = _part(block, turn.role)
        if part is not None:
            parts.append(part)
            continue
        item = _item(block, is_last=position == len(turn.content) - 1)
        if item is not None:
            found += _message(turn, parts)
            parts = []
            found.append(item)
    return found + _message(turn, parts)


def _message(turn: ChatTurn, parts: list[Json]) -> list[Json]:
    return [{"type": "message", "role": turn.role, "content": parts}] if parts else []


def _part(block: Block, role: str) -> Object | None:
    match block:
        case TextBlock():
            if not block.text:
                return None
            if role == "assistant":
                return {"type": "output_text", "text": block.text}
            return {"type": "input_text", "text": block.text}
        case ImageBlock():
            return _image(block)
        case DocumentBlock():
            return _document(block)
    return None


def _image(image: ImageBlock) -> Object:
    made: Object = {"type": "input_image", "detail": image.detail or "auto"}
    if url := url_of(image):
        return {**made, "image_url": url}
    return {**made, "file_id": image.file_id}


def _document(document: DocumentBlock) -> Object:
    if document.data:
        data = data_url(document.media_type or "application/pdf", document.data)
        return {"type": "input_file", "filename": file_name(document), "file_data": data}
    if document.file_id:
        return {"type": "input_file", "file_id": document.file_id}
    if document.url:
        return {"type": "input_file", "file_url": document.url}
    return {"type": "input_text", "text": titled_text(document)}


def _item(block: Block, *, is_last: bool) -> Object | None:
    match block:
        case ToolUse(kind="custom"):
            return {"type": "custom_tool_call", **_called(block), "input": block.arguments}
        case ToolUse():
            return {"type": "function_call", **_called(block), "arguments": block.arguments or "{}"}
        case ToolResult():
            kind = "custom_tool_call_output" if block.kind == "custom" else "function_call_output"
            return {"type": kind, "call_id": fit_call_id(block.id, "responses"), "output": _output(block)}
        case Thinking():
            # Reasoning that nothing follows is refused.
            return None if is_last else _reasoning(block)
        case Foreign():
            return block.raw if block.dialect == "responses" else None
    return None


def _called(call: ToolUse) -> Object:
    return {"call_id": fit_call_id(call.id, "responses"), "name": called_name(call.name, call.namespace)}


def _output(result: ToolResult) -> Json:
    """A text where there is nothing else."""
    if not any(isinstance(block, (ImageBlock, DocumentBlock)) for block in result.content):
        return result_text(result)
    parts: list[Json] = [part for block in result.content if (part := _part(block, "user")) is not None]
    return [{"type": "input_text", "text": "Error:"}, *parts] if result.is_error else parts


def _reasoning(thinking: Thinking) -> Object | None:
    """Only what an OpenAI model has encrypted itself: it refuses any other."""
    if thinking.origin != "responses" or not thinking.signature:
        return None
    summary: list[Json] = [{"type": "summary_text", "text": thinking.text}] if thinking.text else []
    return {"type": "reasoning", "summary": summary, "encrypted_content": thinking.signature}


# ---------------------------------------------------------------------------------------------------------------- tools


def _tools(body: Object, request: ModelRequest, target: UpstreamModel) -> None:
    tools: list[Json] = [built for tool in request.tools if (built := _tool(tool, target)) is not None]
    if not tools:
        return
    body["tools"] = tools
    if request.tool_choice is not None and (choice := _tool_choice(request)) is not None:
        body["tool_choice"] = choice
    if request.parallel_tools is not None:
        body["parallel_tool_calls"] = request.parallel_tools


def _tool(tool: ToolDefinition, target: UpstreamModel) -> Object | None:
    match tool.kind:
        case "hosted":
            if tool.dialect == "responses":
                return tool.raw
            return {"type": "web_search"} if is_there(tool, "responses", target) else None
        case "custom":
            made: Object = {"type": "custom", "name": upstream_name(tool)}
            if tool.raw:
                made["format"] = {"type": "grammar", **tool.raw}
        case "function":
            parameters = schemas.parameters(tool.schema)
            # The API's default is strict, which ordinary schemas do not fit.
            strict = bool(tool.strict) and tool.dialect != "anthropic"
            made = {"type": "function", "name": upstream_name(tool), "parameters": parameters, "strict": strict}
    if tool.description:
        made["description"] = tool.description
    return made


def _tool_choice(request: ModelRequest) -> Json:
    choice = request.tool_choice
    match choice.mode if choice else "auto":
        case "any":
            return "required"
        case "tool":
            name = chosen_name(request)
            if name is None:
                return None
            custom = any(tool.kind == "custom" and upstream_name(tool) == name for tool in request.tools)
            return {"type": "custom" if custom else "function", "name": name}
        case mode:
            return mode
