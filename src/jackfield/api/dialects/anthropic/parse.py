"""Body of `/v1/messages` and `/v1/messages/count_tokens` -> `ModelRequest`."""

from __future__ import annotations

from ...jsontext import Json
from .. import fields
from ..fields import invalid, need_text, objects, opt_bool, opt_count, opt_number, opt_object, opt_text
from ..model import (
    Block,
    ChatTurn,
    ModelRequest,
    Object,
    OutputFormat,
    Reasoning,
    Role,
    TextBlock,
    ToolChoice,
    ToolDefinition,
)
from ..models import effort_named
from .blocks import parse_block

KNOWN = frozenset(
    {
        "model",
        "max_tokens",
        "messages",
        "system",
        "tools",
        "tool_choice",
        "stop_sequences",
        "temperature",
        "top_p",
        "top_k",
        "metadata",
        "thinking",
        "output_config",
        "output_format",
        "stream",
    }
)


def parse_body(body: Object) -> ModelRequest:
    config = opt_object(body, "output_config") or {}
    system, turns = _messages(body)
    choice, parallel = _tool_choice(opt_object(body, "tool_choice"))
    user = opt_text(opt_object(body, "metadata") or {}, "user_id", "metadata.")
    return ModelRequest(
        dialect="anthropic",
        model=need_text(body, "model"),
        system=system,
        turns=turns,
        tools=tuple(_tool(tool, f"tools.{n}.") for n, tool in enumerate(objects(body.get("tools"), "tools"))),
        tool_choice=choice,
        parallel_tools=parallel,
        max_tokens=opt_count(body, "max_tokens", least=1),
        stop=fields.texts(body.get("stop_sequences"), "stop_sequences"),
        temperature=opt_number(body, "temperature"),
        top_p=opt_number(body, "top_p"),
        top_k=opt_count(body, "top_k"),
        reasoning=_reasoning(opt_object(body, "thinking"), opt_text(config, "effort", "output_config.")),
        format=_format(opt_object(config, "format", "output_config.") or opt_object(body, "output_format")),
        stream=opt_bool(body, "stream") or False,
        include_usage=True,
        user=user,
        cache_key=session_of(user),
        extra={key: value for key, value in body.items() if key not in KNOWN},
    )


def session_of(user: str | None) -> str | None:
    """The session in Claude Code's user id: `..._session_<id>`, or JSON with a `session_id`."""
    if not user:
        return None
    if user.startswith("{"):
        try:
            return fields.text(fields.obj(fields.loads(user)).get("session_id")) or None
        except ValueError:
            return None
    return user.rpartition("_session_")[2] or None if "_session_" in user else None


def _messages(body: Object) -> tuple[tuple[TextBlock, ...], tuple[ChatTurn, ...]]:
    system = [block for block in _content(body.get("system"), "system") if isinstance(block, TextBlock)]
    turns: list[ChatTurn] = []
    for n, message in enumerate(objects(body.get("messages"), "messages")):
        where = f"messages.{n}"
        content = _content(message.get("content"), f"{where}.content")
        role: Role
        match message.get("role"):
            case "user":
                role = "user"
            case "assistant":
                role = "assistant"
            case "system":
                system += [block for block in content if isinstance(block, TextBlock)]
                continue
            case _:
                raise invalid(f"{where}.role", 'must be "user" or "assistant"')
        turns.append(ChatTurn(role, content))
    return tuple(system), tuple(turns)


def _content(value: Json, where: str) -> tuple[Block, ...]:
    if type(value) is str:
        return (TextBlock(value),) if value else ()
    return tuple(parse_block(block, f"{where}.{n}.") for n, block in enumerate(objects(value, where)))


def _tool(tool: Object, where: str) -> ToolDefinition:
    kind = opt_text(tool, "type", where) or "custom"
    name = need_text(tool, "name", where) if kind == "custom" else fields.text(tool.get("name")) or kind
    cache = opt_object(tool, "cache_control", where)
    if kind != "custom":
        family = "web_search" if kind.startswith("web_search") else name
        return ToolDefinition(family, kind="hosted", dialect="anthropic", raw=tool, cache=cache)
    known = ("type", "name", "description", "input_schema", "cache_control", "strict")
    return ToolDefinition(
        name,
        opt_text(tool, "description", where),
        opt_object(tool, "input_schema", where) or {},
        strict=opt_bool(tool, "strict", where),
        cache=cache,
        raw={key: value for key, value in tool.items() if key not in known} or None,
    )


def _tool_choice(choice: Object | None) -> tuple[ToolChoice | None, bool | None]:
    if choice is None:
        return None, None
    parallel = False if opt_bool(choice, "disable_parallel_tool_use", "tool_choice.") else None
    match choice.get("type"):
        case "auto":
            return ToolChoice("auto"), parallel
        case "any":
            return ToolChoice("any"), parallel
        case "none":
            return ToolChoice("none"), parallel
        case "tool":
            return ToolChoice("tool", need_text(choice, "name", "tool_choice.")), parallel
    raise invalid("tool_choice.type", "must be one of auto, any, tool, none")


def _reasoning(thinking: Object | None, effort: str | None) -> Reasoning | None:
    named = effort_named(effort)
    if thinking is None:
        return None if named is None else Reasoning(enabled=False, effort=named)
    match thinking.get("type"):
        case "disabled":
            return Reasoning(enabled=False, effort=named)
        case "adaptive":
            return Reasoning(effort=named)
        case "enabled":
            return Reasoning(effort=named, budget=opt_count(thinking, "budget_tokens", "thinking.", least=1))
    raise invalid("thinking.type", "must be one of enabled, adaptive, disabled")


def _format(value: Object | None) -> OutputFormat | None:
    if value is None:
        return None
    if value.get("type") != "json_schema":
        raise invalid("output_config.format.type", 'must be "json_schema"')
    return OutputFormat("json_schema", schema=opt_object(value, "schema", "output_config.format.") or {})
