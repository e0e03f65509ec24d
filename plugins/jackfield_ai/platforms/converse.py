"""The wire format of Bedrock's Converse, which all of its chat models speak. Source: Amazon Bedrock API Reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jackfield.api.ai import Completion, Message, ModelUsage, Picture, ToolCall, ToolSpec
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_ai.reading import at, count_at, list_at, text_at, tool_call

_FINISHES = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
}
_FORMATS = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}


def request_of(messages: Sequence[Message], members: Mapping[str, Json], tools: Sequence[ToolSpec]) -> dict[str, Json]:
    """members: further ones of the body. Raises `NodeError` for what the format has no place for."""
    made: dict[str, Json] = {"messages": list(_turns(messages)), **members}
    system: list[Json] = [{"text": one.text} for one in messages if one.role == "system" and one.text.strip()]
    if system:
        made["system"] = system
    if tools:
        made["toolConfig"] = {"tools": [_tool(tool) for tool in tools]}
    return made


def _turns(messages: Sequence[Message]) -> Iterator[dict[str, Json]]:
    """Messages of one side in a row are one turn."""
    role, content = "", list[Json]()
    for message in messages:
        if message.role == "system":
            continue
        side = "assistant" if message.role == "assistant" else "user"
        if side != role and content:
            yield {"role": role, "content": content}
            content = []
        role = side
        content += _blocks(message)
    if content:
        yield {"role": role, "content": content}


def _blocks(message: Message) -> list[Json]:
    if message.role == "tool":
        return [{"toolResult": {"toolUseId": message.call_id, "content": [{"text": message.text or " "}]}}]
    if message.role == "assistant" and isinstance(message.own, list) and message.own:
        return message.own
    texts: list[Json] = [{"text": message.text}] if message.text.strip() else []
    return [*texts, *map(_picture, message.pictures), *map(_call, message.calls)]


def _call(call: ToolCall) -> Json:
    return {"toolUse": {"toolUseId": call.id, "name": call.name, "input": dict(call.arguments)}}


def _picture(picture: Picture) -> Json:
    if not picture.data:
        raise NodeError("Bedrock takes images as files, not as addresses; fetch the image with an HTTP Request before.")
    kind = _FORMATS.get(picture.media_type)
    if kind is None:
        raise NodeError(f"Bedrock takes images as PNG, JPEG, GIF or WebP, not as {picture.media_type}.")
    return {"image": {"format": kind, "source": {"bytes": picture.data}}}


def _tool(tool: ToolSpec) -> Json:
    spec: dict[str, Json] = {"name": tool.name, "inputSchema": {"json": dict(tool.schema)}}
    return {"toolSpec": {**spec, "description": tool.description} if tool.description else spec}


def completion_of(answer: dict[str, Json], model: str) -> Completion:
    blocks = list_at(answer, "output", "message", "content")
    calls = [
        tool_call(
            text_at(block, "toolUse", "toolUseId"), text_at(block, "toolUse", "name"), at(block, "toolUse", "input")
        )
        for block in blocks
        if at(block, "toolUse") is not None
    ]
    usage = ModelUsage(count_at(answer, "usage", "inputTokens"), count_at(answer, "usage", "outputTokens"))
    said = Message("assistant", "".join(text_at(block, "text") for block in blocks), calls=calls, own=blocks)
    reason = text_at(answer, "stopReason")
    return Completion(said, usage, _FINISHES.get(reason, reason), model, raw=answer)
