"""The wire format of Ollama (`/api/chat`), whose own options its OpenAI form lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.ai import Completion, Message, ModelUsage, ToolSpec
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.reading import at, count_at, list_at, text_at, tool_call


class OllamaModel:
    """`ChatModel`. members: of each request, such as `keep_alive`; options: of the model, such as `num_ctx`."""

    def __init__(
        self, client: ProviderClient, name: str, members: Mapping[str, Json], options: Mapping[str, Json]
    ) -> None:
        self._client = client
        self.name = name
        self._members = members
        self._options = options

    async def complete(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSpec] = (), json: bool = False
    ) -> Completion:
        body: dict[str, Json] = {
            "model": self.name,
            "messages": [message_of(one) for one in messages],
            "stream": False,
            "options": dict(self._options),
            **self._members,
        }
        if tools:
            body["tools"] = [tool_of(one) for one in tools]
        elif json:
            body["format"] = "json"
        url = joined((await self._client.values()).get("baseUrl", ""), "/api/chat")
        return completion_of(await self._client.post(url, body))


def tool_of(tool: ToolSpec) -> Json:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)},
    }


def message_of(message: Message) -> Json:
    made: dict[str, Json] = {"role": message.role, "content": message.text}
    if message.role == "tool":
        made["tool_name"] = message.name
    if message.pictures:
        if any(not picture.data for picture in message.pictures):
            raise NodeError("Ollama takes images as files, not as addresses.")
        made["images"] = [picture.data for picture in message.pictures]
    if message.calls:
        made["tool_calls"] = [
            {"function": {"name": call.name, "arguments": dict(call.arguments)}} for call in message.calls
        ]
    return made


def completion_of(answer: dict[str, Json]) -> Completion:
    message = at(answer, "message")
    if not isinstance(message, dict):
        raise NodeError("Ollama answered without a message.")
    calls = [
        tool_call(f"call_{place}", text_at(call, "function", "name"), at(call, "function", "arguments"))
        for place, call in enumerate(list_at(message, "tool_calls"))
    ]
    return Completion(
        Message("assistant", text_at(message, "content"), calls=calls),
        ModelUsage(count_at(answer, "prompt_eval_count"), count_at(answer, "eval_count")),
        text_at(answer, "done_reason") or "stop",
        text_at(answer, "model"),
        raw=answer,
    )
