"""`ModelRequest` -> body of `/v1/messages`. A request of an Anthropic client keeps all that it says."""

from __future__ import annotations

from ...jsontext import Json
from ...records import replace
from .. import freeform, schemas
from ..history import check_whole
from ..hosted import is_there
from ..model import (
    Block,
    ChatTurn,
    Foreign,
    ModelRequest,
    Object,
    Reasoning,
    TextBlock,
    Thinking,
    ToolDefinition,
    ToolResult,
    ToolUse,
    UpstreamModel,
)
from ..models import LEAST_BUDGET, budget_of, clamped, takes_adaptive, takes_reasoning
from ..names import called_name, chosen_name, upstream_name
from ..turns import repaired
from .blocks import build_block

CONTINUE = "Continue."
EPHEMERAL: Object = {"type": "ephemeral"}
WEB_SEARCH = "web_search_20250305"


def build_body(request: ModelRequest, target: UpstreamModel) -> Object:
    check_whole(request, "anthropic")
    native = request.dialect == "anthropic"
    turns = repaired(_prepared(turn, native=native) for turn in request.turns)
    max_tokens = clamped(request.max_tokens or target.default_max_tokens, target) or target.default_max_tokens
    body: Object = {"model": target.model, "max_tokens": max_tokens}
    if request.system:
        body["system"] = [built for text in request.system if (built := build_block(text)) is not None]
    body["messages"] = _messages(turns)
    _tools(body, request, target)
    _add_thinking(body, request, target, turns)
    _sampling(body, request)
    _format(body, request, target)
    if request.user:
        body["metadata"] = {"user_id": request.user}
    if request.stream:
        body["stream"] = True
    if native:
        body.update(request.extra)
    elif target.cache_prompts and not _is_marked(request):
        _mark_for_cache(body)
    return body


def _prepared(turn: ChatTurn, *, native: bool) -> ChatTurn:
    if native:
        return turn
    kept: list[Block] = []
    for block in turn.content:
        if isinstance(block, TextBlock):
            if not block.text.strip():  # refused by the API
                continue
        elif isinstance(block, ToolUse):
            kept.append(replace(block, name=called_name(block.name, block.namespace)))
            continue
        kept.append(block)
    return ChatTurn(turn.role, tuple(kept))


def _messages(turns: tuple[ChatTurn, ...]) -> list[Json]:
    found: list[Json] = []
    if not turns or turns[0].role != "user":
        found.append({"role": "user", "content": CONTINUE})
    for turn in turns:
        content: list[Json] = [built for block in turn.content if (built := build_block(block)) is not None]
        if content:
            found.append({"role": turn.role, "content": content})
    return found


# ---------------------------------------------------------------------------------------------------------------- tools


def _tools(body: Object, request: ModelRequest, target: UpstreamModel) -> None:
    native = request.dialect == "anthropic"
    tools: list[Json] = []
    for tool in request.tools:
        built = _native_tool(tool) if native else _foreign_tool(tool, target)
        if built is not None:
            tools.append(built)
    if not tools:
        return
    body["tools"] = tools
    if (choice := _tool_choice(request)) is not None:
        body["tool_choice"] = choice


def _native_tool(tool: ToolDefinition) -> Object:
    if tool.kind == "hosted":
        return dict(tool.raw or {})
    made: Object = {"name": tool.name, **(tool.raw or {}), "input_schema": tool.schema or schemas.parameters({})}
    if tool.description is not None:
        made["description"] = tool.description
    if tool.strict is not None:
        made["strict"] = tool.strict
    if tool.cache is not None:
        made["cache_control"] = tool.cache
    return made


def _foreign_tool(tool: ToolDefinition, target: UpstreamModel) -> Object | None:
    if tool.kind == "hosted":
        return {"type": WEB_SEARCH, "name": "web_search"} if is_there(tool, "anthropic", target) else None
    custom = tool.kind == "custom"
    description = freeform.description(tool) if custom else tool.description
    schema = freeform.as_schema() if custom else schemas.parameters(tool.schema)
    made: Object = {"name": upstream_name(tool), "input_schema": schema}
    if description:
        made["description"] = description
    return made


def _tool_choice(request: ModelRequest) -> Object | None:
    choice = request.tool_choice
    if choice is None and request.parallel_tools is not False:
        return None
    made: Object = {"type": choice.mode if choice else "auto"}
    if choice and choice.mode == "tool":
        name = choice.name if request.dialect == "anthropic" else chosen_name(request)
        if name is None:
            return None
        made["name"] = name
    if request.parallel_tools is False and made["type"] != "none":
        made["disable_parallel_tool_use"] = True
    return made


# ------------------------------------------------------------------------------------------------------------- thinking


def _add_thinking(body: Object, request: ModelRequest, target: UpstreamModel, turns: tuple[ChatTurn, ...]) -> None:
    reasoning = request.reasoning
    if reasoning is None or not takes_reasoning(target):
        return
    if request.dialect == "anthropic":
        _native_thinking(body, reasoning)
        return
    forced = request.tool_choice is not None and request.tool_choice.mode in ("any", "tool")
    if not reasoning.enabled or forced or _unsigned_tool_loop(turns):
        return
    if takes_adaptive(target):
        body["thinking"] = {"type": "adaptive"}
        if reasoning.effort is not None:
            body["output_config"] = {"effort": _effort(reasoning)}
        return
    _budgeted(body, reasoning, request, target)


def _native_thinking(body: Object, reasoning: Reasoning) -> None:
    if reasoning.budget is not None:
        body["thinking"] = {"type": "enabled", "budget_tokens": reasoning.budget}
    elif reasoning.enabled:
        body["thinking"] = {"type": "adaptive"}
    elif reasoning.effort is None:
        body["thinking"] = {"type": "disabled"}
    if reasoning.effort is not None:
        body["output_config"] = {"effort": reasoning.effort}


def _effort(reasoning: Reasoning) -> str:
    return {"minimal": "low", "xhigh": "high"}.get(reasoning.effort or "", reasoning.effort or "medium")


def _budgeted(body: Object, reasoning: Reasoning, request: ModelRequest, target: UpstreamModel) -> None:
    """The budget counts as output: it fits below max_tokens, or there is none. One that nobody has named leaves half of
    that for the answer."""
    budget = budget_of(reasoning)
    if request.max_tokens is None:
        body["max_tokens"] = clamped(budget + target.default_max_tokens, target)
    limit = body["max_tokens"]
    if isinstance(limit, int) and limit > LEAST_BUDGET:
        most = limit // 2 if reasoning.budget is None and request.max_tokens is not None else limit - 1
        body["thinking"] = {"type": "enabled", "budget_tokens": max(LEAST_BUDGET, min(budget, most))}


def _unsigned_tool_loop(turns: tuple[ChatTurn, ...]) -> bool:
    """Within a tool loop the API insists on the signed thinking of its first turn, which no other model has made."""
    if not turns or not any(isinstance(block, ToolResult) for block in turns[-1].content):
        return False
    last = next((turn for turn in reversed(turns) if turn.role == "assistant"), None)
    if last is None:
        return False
    return not any(isinstance(b, Thinking) and b.origin == "anthropic" and b.signature for b in last.content[:1])


# ---------------------------------------------------------------------------------------------------------- the rest


def _sampling(body: Object, request: ModelRequest) -> None:
    native = request.dialect == "anthropic"
    if request.stop:
        stop = [text for text in request.stop if native or text.strip()]
        if stop:
            body["stop_sequences"] = list(stop)
    if not native and "thinking" in body:  # refused together
        return
    if request.temperature is not None:
        body["temperature"] = request.temperature if native else min(max(request.temperature, 0), 1)
    if request.top_p is not None and (native or request.temperature is None):  # newer models refuse both together
        body["top_p"] = request.top_p
    if request.top_k is not None:
        body["top_k"] = request.top_k


def _format(body: Object, request: ModelRequest, target: UpstreamModel) -> None:
    wanted = request.format
    if wanted is None:
        return
    if wanted.kind == "json_schema" and target.schema_output:
        schema = wanted.schema if request.dialect == "anthropic" else schemas.closed(wanted.schema)
        config = body.get("output_config")
        made: Object = {"format": {"type": "json_schema", "schema": schema}}
        body["output_config"] = {**config, **made} if isinstance(config, dict) else made
        return
    system = body.setdefault("system", [])
    if isinstance(system, list):
        system.append({"type": "text", "text": schemas.told_format(wanted)})


def _is_marked(request: ModelRequest) -> bool:
    """The client has said itself what is to be cached; there may be four marks in a request."""
    blocks = (block for turn in request.turns for block in turn.content)
    return any(not isinstance(block, (Thinking, Foreign)) and block.cache for block in (*request.system, *blocks))


def _mark_for_cache(body: Object) -> None:
    """Tools and system, and the conversation so far: the next request repeats both."""
    messages = body["messages"]
    last = messages[-1] if isinstance(messages, list) else None
    for blocks in (body.get("system") or body.get("tools"), last.get("content") if isinstance(last, dict) else None):
        if isinstance(blocks, list) and blocks and isinstance(blocks[-1], dict):
            blocks[-1] = {**blocks[-1], "cache_control": EPHEMERAL}  # it may be the client's own
