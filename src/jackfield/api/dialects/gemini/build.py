"""`ModelRequest` -> body of `:generateContent`. Its path names the model, and says whether it streams."""

from __future__ import annotations

from ...jsontext import Json
from .. import freeform, schemas
from ..anthropic.build import CONTINUE
from ..fields import obj
from ..history import check_whole, system_texts
from ..hosted import beside, is_there
from ..model import Block, ChatTurn, ModelRequest, Object, ToolDefinition, ToolResult, ToolUse, UpstreamModel
from ..models import clamped
from ..names import called_name, chosen_name, upstream_name
from ..turns import repaired
from .parse import CALLING, JSON
from .parts import build_call, build_part, build_result, media_of
from .thinking import thinking_config, version_of

MAX_STOPS = 5
UNSIGNED = "skip_thought_signature_validator"
"""Google's word for a call of another model, or of an earlier process: 3 and later refuse one without a signature."""
SEARCH = "googleSearch"


def build_body(request: ModelRequest, target: UpstreamModel) -> Object:
    check_whole(request, "gemini")
    native = request.dialect == "gemini"
    body: Object = {"contents": _contents(request, target)}
    told = _told(request, target)
    if system := [*system_texts(request), *told]:
        body["systemInstruction"] = {"parts": [{"text": text} for text in system]}
    _tools(body, request, target)
    generation = _generation(request, target)
    if request.format is not None and not told:
        generation["responseMimeType"] = JSON
        if request.format.kind == "json_schema":
            generation["responseJsonSchema"] = request.format.schema
    extra = request.extra if native else {}
    if generation := {**obj(extra.get("generationConfig")), **generation}:
        body["generationConfig"] = generation
    if choosing := {**obj(extra.get("toolConfig")), **obj(body.get("toolConfig"))}:
        body["toolConfig"] = choosing
    return {**{name: value for name, value in extra.items() if name not in body}, **body}


def _told(request: ModelRequest, target: UpstreamModel) -> list[str]:
    """A format in words: before 3 the API refuses one beside functions."""
    wanted = request.format
    if wanted is None or version_of(target.model) >= (3, 0) or all(tool.kind == "hosted" for tool in request.tools):
        return []
    return [schemas.told_format(wanted)]


def _generation(request: ModelRequest, target: UpstreamModel) -> Object:
    said: Object = {
        "maxOutputTokens": clamped(request.max_tokens, target),
        "temperature": request.temperature,
        "topP": request.top_p,
        "topK": request.top_k or None,
        "stopSequences": [*request.stop[:MAX_STOPS]] or None,
        "thinkingConfig": thinking_config(request.reasoning, target),
    }
    return {name: value for name, value in said.items() if value is not None}


# ------------------------------------------------------------------------------------------------------------- contents


def _contents(request: ModelRequest, target: UpstreamModel) -> list[Json]:
    names: dict[str, str] = {}
    found: list[Json] = []
    for turn in repaired(request.turns):
        parts = _model_parts(turn, target, names) if turn.role == "assistant" else _user_parts(turn, names)
        if parts:
            found.append({"role": "model" if turn.role == "assistant" else "user", "parts": [*parts]})
    if not found or obj(found[0]).get("role") != "user":
        found.insert(0, {"role": "user", "parts": [{"text": CONTINUE}]})
    return found


def _model_parts(turn: ChatTurn, target: UpstreamModel, names: dict[str, str]) -> list[Object]:
    """names: of the tools that were called, by the call's id; added to."""
    parts: list[Object] = []
    first: Object | None = None
    signed = False
    for block in turn.content:
        if not isinstance(block, ToolUse):
            part = build_part(block)
            parts += [] if part is None else [part]
            continue
        names[block.id] = called_name(block.name, block.namespace)
        call = build_call(block)
        if signature := block.signature or target.signatures.get(block.id):
            call["thoughtSignature"], signed = signature, True
        first = first or call
        parts.append(call)
    if first is not None and not signed and version_of(target.model) >= (3, 0):
        first["thoughtSignature"] = UNSIGNED
    return parts


def _user_parts(turn: ChatTurn, names: dict[str, str]) -> list[Object]:
    """Results first, as their calls came; their images follow, which a result cannot hold."""
    results = [block for block in turn.content if isinstance(block, ToolResult)]
    rest: list[Block] = [block for result in results for block in media_of(result)]
    rest += [block for block in turn.content if not isinstance(block, ToolResult)]
    parts = [build_result(result, names.get(result.id, result.id)) for result in results]
    return parts + [part for block in rest if (part := build_part(block)) is not None]


# ---------------------------------------------------------------------------------------------------------------- tools


def _tools(body: Object, request: ModelRequest, target: UpstreamModel) -> None:
    takes = beside(request.tools, "gemini", target)
    functions: list[Json] = [_function(tool) for tool in request.tools if tool.kind != "hosted"]
    hosted = [tool for tool in request.tools if tool.kind == "hosted" and is_there(tool, "gemini", takes)]
    tools: list[Json] = [{"functionDeclarations": functions}] if functions else []
    tools += [tool.raw if tool.dialect == "gemini" and tool.raw else {SEARCH: {}} for tool in hosted]
    if not tools:
        return
    body["tools"] = tools
    if functions and (config := _calling(request)) is not None:
        body["toolConfig"] = {CALLING: config}


def _function(tool: ToolDefinition) -> Object:
    custom = tool.kind == "custom"
    made: Object = {"name": upstream_name(tool)}
    if description := freeform.description(tool) if custom else tool.description:
        made["description"] = description
    schema = freeform.as_schema() if custom else schemas.parameters(tool.schema)
    if schema["properties"] or schema.get("additionalProperties"):  # a function without arguments has no schema
        made["parametersJsonSchema"] = schema
    return made


def _calling(request: ModelRequest) -> Object | None:
    choice = request.tool_choice
    match choice.mode if choice else "":
        case "auto":
            return {"mode": "AUTO"}
        case "any":
            return {"mode": "ANY"}
        case "none":
            return {"mode": "NONE"}
        case "tool":
            name = chosen_name(request)
            return {"mode": "ANY", "allowedFunctionNames": [name]} if name else None
    return None
