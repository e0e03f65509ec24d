"""The wire format of OpenAI's chat completions, which many providers speak."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from jackfield.api.ai import Completion, Message, Picture, ToolSpec, Usage
from jackfield.api.http_client import Pairs
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError
from jackfield_ai.models.exchange import Exchange
from jackfield_ai.models.reading import at, count_at, list_at, text_at, tool_call

Address = Callable[[Mapping[str, str], str], str]
"""Credential, model -> where completions are asked for."""


class OpenAiModel:
    """`ChatModel` of one provider that speaks this format. options: further members of each request."""

    def __init__(
        self,
        exchange: Exchange,
        name: str,
        options: Mapping[str, Json],
        address: Address,
        headers: Pairs | None = None,
    ) -> None:
        self._exchange = exchange
        self.name = name
        self._options = options
        self._address = address
        self._headers = headers

    async def complete(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSpec] = (), json: bool = False
    ) -> Completion:
        body: dict[str, Json] = {"model": self.name, "messages": [message_of(one) for one in messages]}
        body |= self._options
        if tools:
            body["tools"] = [tool_of(one) for one in tools]
        if json and not tools:
            body.setdefault("response_format", {"type": "json_object"})
        url = self._address(await self._exchange.values(), self.name)
        return completion_of(await self._exchange.post(url, body, self._headers), self._exchange.title)


def message_of(message: Message) -> Json:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    if message.role == "assistant":
        return _assistant(message)
    if not message.pictures:
        return {"role": message.role, "content": message.text}
    parts: list[Json] = [{"type": "text", "text": message.text}] if message.text else []
    return {"role": message.role, "content": [*parts, *(_picture(one) for one in message.pictures)]}


def _assistant(message: Message) -> Json:
    made: dict[str, Json] = {"role": "assistant", "content": message.text}
    if message.calls:
        made["content"] = message.text or None
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": dumps(call.arguments).decode()},
            }
            for call in message.calls
        ]
    return made


def _picture(picture: Picture) -> Json:
    where: dict[str, Json] = {"url": picture.url or f"data:{picture.media_type};base64,{picture.data}"}
    if picture.detail:
        where["detail"] = picture.detail
    return {"type": "image_url", "image_url": where}


def tool_of(tool: ToolSpec) -> Json:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)},
    }


def completion_of(answer: Mapping[str, Json], title: str) -> Completion:
    """Raises `NodeError` when there is no message in it."""
    whole = dict(answer)
    choice = at(whole, "choices", 0)
    message = at(choice, "message")
    if not isinstance(message, dict):
        raise NodeError(f"{title} answered without a message.")
    calls = [
        tool_call(
            text_at(call, "id") or f"call_{place}", text_at(call, "function", "name"), at(call, "function", "arguments")
        )
        for place, call in enumerate(list_at(message, "tool_calls"))
    ]
    return Completion(
        Message("assistant", _text(message.get("content")), calls=calls),
        Usage(count_at(whole, "usage", "prompt_tokens"), count_at(whole, "usage", "completion_tokens")),
        text_at(choice, "finish_reason") or "stop",
        text_at(whole, "model"),
        text_at(message, "refusal"),
        whole,
    )


def _text(content: Json) -> str:
    """Some providers answer with a list of parts."""
    if isinstance(content, list):
        return "".join(text_at(part, "text") for part in content if text_at(part, "type") in ("text", "output_text"))
    return content if isinstance(content, str) else ""
