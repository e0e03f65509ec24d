"""A whole message, both ways."""

from __future__ import annotations

from ...jsontext import Json
from .. import errors
from ..counts import cumulative
from ..fields import arr, loads, obj, text
from ..freeform import input_of
from ..model import (
    Block,
    DialectError,
    ModelRequest,
    ModelResponse,
    Object,
    StopReason,
    TextBlock,
    Thinking,
    TokenCounts,
    ToolUse,
)
from ..names import answer_id, asked_tools, hide_call_id, tag_signature
from ..reading import no_answer
from .blocks import build_block, parse_block

_STOPS: dict[str, StopReason] = {
    "end_turn": "end_turn",
    "max_tokens": "max_tokens",
    "tool_use": "tool_use",
    "stop_sequence": "stop_sequence",
    "refusal": "refusal",
    "pause_turn": "pause_turn",
    "model_context_window_exceeded": "context_exceeded",
}
STOP_NAMES: dict[StopReason, str] = {reason: name for name, reason in _STOPS.items()}


def parse_message(data: bytes) -> ModelResponse:
    try:
        body = obj(loads(data))
    except ValueError:
        raise no_answer() from None
    if body.get("type") == "error":
        raise errors.from_object(obj(body.get("error")))
    if type(body.get("content")) is not list:
        raise no_answer()
    blocks = tuple(answer_block(obj(block)) for block in arr(body["content"]))
    called = any(isinstance(block, ToolUse) for block in blocks)
    if refusal := refusal_of(body):
        blocks += (refusal,)
    return ModelResponse(
        text(body.get("id")),
        text(body.get("model")),
        blocks,
        stop_of(body.get("stop_reason"), called=called),
        text(body.get("stop_sequence")) or None,
        cumulative(TokenCounts(), obj(body.get("usage"))),
        tier_of(obj(body.get("usage"))),
    )


def answer_block(block: Object) -> Block:
    try:
        return parse_block(block, "")
    except DialectError:
        raise no_answer() from None


def stop_of(value: Json, *, called: bool) -> StopReason:
    return _STOPS.get(text(value)) or ("tool_use" if called else "end_turn")


def refusal_of(source: Object) -> TextBlock | None:
    """Why the answer was refused, in words that the other dialects have a place for."""
    details = obj(source.get("stop_details"))
    said = text(details.get("explanation")) if details.get("type") == "refusal" else ""
    return TextBlock(said, refusal=True) if said else None


def tier_of(usage: Object) -> str | None:
    """Anthropic's word for its dearer tier is a speed."""
    return "fast" if usage.get("speed") == "fast" else None


def build_usage(usage: TokenCounts) -> Object:
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output,
    }


def build_message(response: ModelResponse, asked: ModelRequest) -> Object:
    tools = asked_tools(asked)
    content: list[Json] = []
    for block in response.content:
        built = client_block(
            block, tools[block.name].name if isinstance(block, ToolUse) and block.name in tools else ""
        )
        if built is not None:
            content.append(built)
    return {
        "id": answer_id(response.id, "anthropic"),
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": content,
        "stop_reason": STOP_NAMES[response.stop],
        "stop_sequence": response.stop_sequence,
        "usage": build_usage(response.usage),
    }


def client_block(block: Block, tool_name: str = "") -> Object | None:
    """As a client gets it: with ids and signatures that it can send back, wherever they came from."""
    match block:
        case ToolUse():
            call_id, name = hide_call_id(block.id), tool_name or block.name
            return {"type": "tool_use", "id": call_id, "name": name, "input": input_of(block)}
        case Thinking():
            signature = tag_signature(block.signature, block.origin, "anthropic") if _signed(block) else ""
            if block.redacted:
                return {"type": "redacted_thinking", "data": signature}
            return {"type": "thinking", "thinking": block.text, "signature": signature}
        case _:
            return build_block(block)


def _signed(thinking: Thinking) -> bool:
    """Foreign thinking is always marked, so that it is found and left out should the next turn go to Anthropic."""
    return bool(thinking.signature) or thinking.origin != "anthropic"
