"""A whole completion, both ways."""

from __future__ import annotations

import time

from ...jsontext import Json
from .. import errors
from ..fields import arr, count, dumps_text, loads, obj, text
from ..freeform import unwrapped
from ..model import (
    Block,
    ModelRequest,
    ModelResponse,
    Object,
    StopReason,
    TextBlock,
    Thinking,
    TokenCounts,
    ToolDefinition,
    ToolUse,
)
from ..names import answer_id, asked_tools, new_id
from ..reading import no_answer
from .parse import signature_of

_STOPS: dict[str, StopReason] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "refusal",
    "refusal": "refusal",
}
STOP_NAMES: dict[StopReason, str] = {
    "end_turn": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "stop_sequence": "stop",
    "refusal": "content_filter",
    "pause_turn": "stop",
    "context_exceeded": "length",
}


def parse_completion(data: bytes) -> ModelResponse:
    try:
        body = obj(loads(data))
    except ValueError:
        raise no_answer() from None
    if body.get("error"):
        raise errors.from_object(error_object(body["error"]))
    choices = arr(body.get("choices"))
    if not choices or type(obj(choices[0]).get("message")) is not dict:
        raise no_answer()
    choice = obj(choices[0])
    message = obj(choice["message"])
    blocks = _blocks(message)
    called = any(isinstance(block, ToolUse) for block in blocks)
    refused = bool(text(message.get("refusal")))
    return ModelResponse(
        text(body.get("id")),
        text(body.get("model")),
        blocks,
        stop_of(choice.get("finish_reason"), called=called, refused=refused),
        usage=parse_usage(obj(body.get("usage"))),
        tier=text(body.get("service_tier")) or None,
    )


def error_object(value: Json) -> Object:
    return value if type(value) is dict else {"message": text(value)}


def thought_of(source: Object) -> str:
    return text(source.get("reasoning_content")) or text(source.get("reasoning"))


def said_in(content: Json) -> tuple[str, str]:
    """(thinking, text). Mistral sends parts in place of a text, and its thinking as parts within one of them."""
    if type(content) is not list:
        return "", text(content)
    parts = [obj(part) for part in content]
    thinking = [_thinking_in(part["thinking"]) for part in parts if "thinking" in part]
    return "".join(thinking), "".join(text(part.get("text")) for part in parts)


def _thinking_in(value: Json) -> str:
    return text(value) or "".join(text(obj(part).get("text")) for part in arr(value))


def _blocks(message: Object) -> tuple[Block, ...]:
    found: list[Block] = []
    thinking, said = said_in(message.get("content"))
    if thought := thought_of(message) or thinking:
        found.append(Thinking(thought, origin="chat"))
    if said:
        found.append(TextBlock(said))
    if refusal := text(message.get("refusal")):
        found.append(TextBlock(refusal, refusal=True))
    found += [_call(obj(call)) for call in arr(message.get("tool_calls"))]
    if legacy := obj(message.get("function_call")):
        found.append(ToolUse(new_id("call_"), text(legacy.get("name")), _arguments(legacy.get("arguments"))))
    return tuple(found)


def _call(call: Object) -> ToolUse:
    call_id = text(call.get("id")) or new_id("call_")
    if custom := obj(call.get("custom")):
        return ToolUse(call_id, text(custom.get("name")), text(custom.get("input")), kind="custom")
    function = obj(call.get("function"))
    arguments = _arguments(function.get("arguments"))
    return ToolUse(call_id, text(function.get("name")), arguments, signature=signature_of(call))


def _arguments(value: Json) -> str:
    """JSON text; some send the object itself."""
    return dumps_text(value) if type(value) is dict else text(value)


def stop_of(finish: Json, *, called: bool, refused: bool = False) -> StopReason:
    """Several providers say "stop", or nothing, though there are tool calls."""
    reason = _STOPS.get(text(finish), "end_turn")
    if reason != "end_turn":
        return reason if reason != "tool_use" or called else "end_turn"
    return "tool_use" if called else "refusal" if refused else "end_turn"


def parse_usage(usage: Object) -> TokenCounts:
    details = obj(usage.get("prompt_tokens_details"))
    prompt = count(usage.get("prompt_tokens"))
    read = count(details.get("cached_tokens")) or count(usage.get("prompt_cache_hit_tokens"))
    written = count(details.get("cache_write_tokens")) or count(usage.get("cache_creation_input_tokens"))
    return TokenCounts(
        max(0, prompt - read - written),
        count(usage.get("completion_tokens")),
        read,
        written,
        reasoning=count(obj(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


# ------------------------------------------------------------------------------------------------------------- building


def build_usage(usage: TokenCounts) -> Object:
    details: Object = {"cached_tokens": usage.cache_read}
    if usage.cache_write:
        details["cache_write_tokens"] = usage.cache_write
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.prompt + usage.output,
        "prompt_tokens_details": details,
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def build_completion(response: ModelResponse, asked: ModelRequest) -> Object:
    choice: Object = {
        "index": 0,
        "message": _message(response, asked_tools(asked)),
        "logprobs": None,
        "finish_reason": STOP_NAMES[response.stop],
    }
    return {
        "id": answer_id(response.id, "chat"),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": asked.model,
        "choices": [choice],
        "usage": build_usage(response.usage),
    }


def _message(response: ModelResponse, tools: dict[str, ToolDefinition]) -> Object:
    said = "".join(block.text for block in response.content if isinstance(block, TextBlock) and not block.refusal)
    refusal = "".join(block.text for block in response.content if isinstance(block, TextBlock) and block.refusal)
    thought = "".join(block.text for block in response.content if isinstance(block, Thinking))
    calls: list[Json] = [built_call(block, tools) for block in response.content if isinstance(block, ToolUse)]
    message: Object = {"role": "assistant", "content": said or (None if calls or refusal else ""), "refusal": None}
    if refusal:
        message["refusal"] = refusal
    if thought:
        message["reasoning_content"] = thought
    if calls:
        message["tool_calls"] = calls
    return message


def built_call(call: ToolUse, tools: dict[str, ToolDefinition]) -> Object:
    tool = tools.get(call.name)
    name = tool.name if tool else call.name
    if tool is not None and tool.kind == "custom":
        bare = call.arguments if call.kind == "custom" else unwrapped(call.arguments)
        return {"id": call.id, "type": "custom", "custom": {"name": name, "input": bare}}
    made: Object = {"id": call.id, "type": "function", "function": {"name": name, "arguments": call.arguments or "{}"}}
    if call.signature:
        made["extra_content"] = {"google": {"thought_signature": call.signature}}
    return made
