"""A whole response, both ways."""

from __future__ import annotations

import time

from ...jsontext import Json
from .. import errors
from ..fields import arr, count, loads, obj, text
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
from ..names import answer_id, asked_tools, new_id, tag_signature
from ..reading import no_answer
from .parse import parse_reasoning


def parse_answer(data: bytes) -> ModelResponse:
    try:
        body = obj(loads(data))
    except ValueError:
        raise no_answer() from None
    if body.get("error"):
        raise errors.from_object(obj(body["error"]))
    if type(body.get("output")) is not list:
        raise no_answer()
    blocks = blocks_of(body)
    called = any(isinstance(block, ToolUse) for block in blocks)
    refused = any(isinstance(block, TextBlock) and block.refusal for block in blocks)
    return ModelResponse(
        text(body.get("id")),
        text(body.get("model")),
        blocks,
        stop_of(body, called=called, refused=refused),
        usage=parse_usage(obj(body.get("usage"))),
        tier=text(body.get("service_tier")) or None,
    )


def blocks_of(body: Object) -> tuple[Block, ...]:
    return tuple(block for item in arr(body.get("output")) for block in item_blocks(obj(item)))


def item_blocks(item: Object) -> list[Block]:
    """A message may have several parts; what has no counterpart is left out."""
    match item.get("type"):
        case "message":
            return [_part(obj(part)) for part in arr(item.get("content"))]
        case "function_call" | "custom_tool_call":
            return [answer_call(item)]
        case "reasoning":
            thinking = parse_reasoning(item)
            return [thinking] if thinking.text or thinking.signature else []
    return []


def _part(part: Object) -> TextBlock:
    if refusal := text(part.get("refusal")):
        return TextBlock(refusal, refusal=True)
    return TextBlock(text(part.get("text")))


def answer_call(item: Object) -> ToolUse:
    call_id = text(item.get("call_id")) or text(item.get("id")) or new_id("call_")
    name, namespace = text(item.get("name")), text(item.get("namespace")) or None
    if item.get("type") == "custom_tool_call":
        return ToolUse(call_id, name, text(item.get("input")), kind="custom", namespace=namespace)
    return ToolUse(call_id, name, text(item.get("arguments")), namespace=namespace)


def stop_of(body: Object, *, called: bool, refused: bool) -> StopReason:
    if body.get("status") == "incomplete":
        reason = text(obj(body.get("incomplete_details")).get("reason"))
        return "refusal" if reason == "content_filter" else "max_tokens"
    return "tool_use" if called else "refusal" if refused else "end_turn"


def parse_usage(usage: Object) -> TokenCounts:
    details = obj(usage.get("input_tokens_details"))
    read, written = count(details.get("cached_tokens")), count(details.get("cache_write_tokens"))
    return TokenCounts(
        max(0, count(usage.get("input_tokens")) - read - written),
        count(usage.get("output_tokens")),
        read,
        written,
        reasoning=count(obj(usage.get("output_tokens_details")).get("reasoning_tokens")),
    )


# ------------------------------------------------------------------------------------------------------------- building


def build_usage(usage: TokenCounts) -> Object:
    return {
        "input_tokens": usage.prompt,
        "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.prompt + usage.output,
    }


_CHOICES: dict[str, Json] = {"any": "required", "none": "none"}


def skeleton(response_id: str, asked: ModelRequest, created: int) -> Object:
    """A response in progress. Tools and instructions, which may be long, are not said back."""
    choice: Json = _CHOICES.get(asked.tool_choice.mode, "auto") if asked.tool_choice else "auto"
    effort: Json = asked.reasoning.effort if asked.reasoning else None
    return {
        "id": response_id,
        "object": "response",
        "created_at": created,
        "status": "in_progress",
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": asked.max_tokens,
        "metadata": {},
        "model": asked.model,
        "output": [],
        "parallel_tool_calls": asked.parallel_tools is not False,
        "previous_response_id": None,
        "reasoning": {"effort": effort, "summary": asked.reasoning.summary if asked.reasoning else None},
        "store": False,
        "temperature": asked.temperature,
        "text": {"format": {"type": "text"}},
        "tool_choice": choice,
        "tools": [],
        "top_p": asked.top_p,
        "truncation": "disabled",
        "usage": None,
        "user": None,
    }


_INCOMPLETE: dict[StopReason, str] = {
    "max_tokens": "max_output_tokens",
    "context_exceeded": "max_output_tokens",
    "refusal": "content_filter",
}


def finished(response: Object, output: list[Json], reason: StopReason, usage: TokenCounts) -> Object:
    why = _INCOMPLETE.get(reason)
    return {
        **response,
        "status": "incomplete" if why else "completed",
        "incomplete_details": {"reason": why} if why else None,
        "output": output,
        "usage": build_usage(usage),
    }


def build_answer(response: ModelResponse, asked: ModelRequest) -> Object:
    tools = asked_tools(asked)
    output: list[Json] = [item for block in response.content if (item := client_item(block, tools)) is not None]
    started = skeleton(answer_id(response.id, "responses"), asked, int(time.time()))
    return finished(started, output, response.stop, response.usage)


def client_item(block: Block, tools: dict[str, ToolDefinition]) -> Object | None:
    match block:
        case TextBlock():
            return {**message_item(new_id("msg_")), "status": "completed", "content": [text_part(block)]}
        case Thinking():
            return reasoning_item(new_id("rs_"), block)
        case ToolUse():
            return call_item(new_id("fc_"), block, tools)
    return None


def message_item(item_id: str) -> Object:
    return {"id": item_id, "type": "message", "status": "in_progress", "role": "assistant", "content": []}


def text_part(block: TextBlock) -> Object:
    if block.refusal:
        return {"type": "refusal", "refusal": block.text}
    return {"type": "output_text", "text": block.text, "annotations": [], "logprobs": []}


def reasoning_item(item_id: str, thinking: Thinking) -> Object:
    """The signature rides in encrypted_content, so that it comes back with the next turn."""
    summary: list[Json] = [{"type": "summary_text", "text": thinking.text}] if thinking.text else []
    item: Object = {"id": item_id, "type": "reasoning", "summary": summary}
    if thinking.signature or thinking.origin != "responses":
        item["encrypted_content"] = tag_signature(thinking.signature, thinking.origin, "responses")
    return item


def call_item(item_id: str, call: ToolUse, tools: dict[str, ToolDefinition]) -> Object:
    """As the client declared the tool: under its own name, in its namespace, and bare if it is freeform."""
    tool = tools.get(call.name)
    named: Object = {"call_id": call.id, "name": tool.name if tool else call.name}
    namespace = tool.namespace if tool else call.namespace
    if namespace:
        named["namespace"] = namespace
    if call.kind == "custom" or (tool is not None and tool.kind == "custom"):
        bare = call.arguments if call.kind == "custom" else unwrapped(call.arguments)
        return {"id": item_id, "type": "custom_tool_call", "status": "completed", **named, "input": bare}
    arguments = call.arguments or "{}"
    return {"id": item_id, "type": "function_call", "status": "completed", **named, "arguments": arguments}
