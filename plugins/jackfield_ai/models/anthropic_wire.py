"""The wire format of Anthropic's messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.ai import Completion, Message, Picture, ToolSpec, Usage
from jackfield.api.jsontext import Json
from jackfield.api.urls import joined
from jackfield_ai.models.exchange import Exchange
from jackfield_ai.models.reading import count_at, list_at, text_at, tool_call

VERSION = "2023-06-01"
_JSON_ONLY = "Answer with one JSON object and nothing else."


class AnthropicModel:
    """`ChatModel`. options: further members of each request, `max_tokens` among them."""

    def __init__(self, exchange: Exchange, name: str, options: Mapping[str, Json]) -> None:
        self._exchange = exchange
        self.name = name
        self._options = options

    async def complete(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSpec] = (), json: bool = False
    ) -> Completion:
        system = [one.text for one in messages if one.role == "system" and one.text]
        if json:
            system.append(_JSON_ONLY)
        body: dict[str, Json] = {"model": self.name, "messages": turns_of(messages), **self._options}
        if system:
            body["system"] = "\n\n".join(system)
        if tools:
            body["tools"] = [
                {"name": one.name, "description": one.description, "input_schema": dict(one.schema)} for one in tools
            ]
        url = joined((await self._exchange.values()).get("url", ""), "/v1/messages", without="/v1")
        return completion_of(await self._exchange.post(url, body, [("anthropic-version", VERSION)]))


def turns_of(messages: Sequence[Message]) -> list[Json]:
    """User and assistant in turn, the user first: that is how it must be."""
    turns: list[tuple[str, list[Json]]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if not blocks:
            continue
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        else:
            turns.append((role, blocks))
    if not turns or turns[0][0] != "user":
        turns.insert(0, ("user", [{"type": "text", "text": "Go on."}]))
    return [{"role": role, "content": blocks} for role, blocks in turns]


def _blocks(message: Message) -> list[Json]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.call_id, "content": message.text}]
    if isinstance(message.own, list):
        return list(message.own)
    made: list[Json] = [_picture(one) for one in message.pictures]
    if message.text.strip():
        made.append({"type": "text", "text": message.text})
    made += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)} for call in message.calls
    ]
    return made


def _picture(picture: Picture) -> Json:
    if picture.url:
        return {"type": "image", "source": {"type": "url", "url": picture.url}}
    return {"type": "image", "source": {"type": "base64", "media_type": picture.media_type, "data": picture.data}}


def completion_of(answer: dict[str, Json]) -> Completion:
    blocks = list_at(answer, "content")
    text = "".join(text_at(block, "text") for block in blocks if text_at(block, "type") == "text")
    calls = [
        tool_call(text_at(block, "id"), text_at(block, "name"), block.get("input"))
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "tool_use"
    ]
    reason = text_at(answer, "stop_reason")
    return Completion(
        Message("assistant", text, calls=calls, own=blocks),
        Usage(count_at(answer, "usage", "input_tokens"), count_at(answer, "usage", "output_tokens")),
        {"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls"}.get(reason, reason or "stop"),
        text_at(answer, "model"),
        text or "The model declined to answer." if reason == "refusal" else "",
        answer,
    )
