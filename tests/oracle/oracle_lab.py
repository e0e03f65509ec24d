"""One request through LiteLLM's public functions and through our converter, before the same provider; and what both
made of it, in a form that can be compared."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import generated
import litellm
from aiohttp import web
from generated import Body, Draw
from proxy_lab import Provider_
from scripted import SSE, Say, chat_answer, chat_stream, message_of, messages_stream

from jackfield.api.dialects import of
from jackfield.api.dialects.model import DialectName, UpstreamModel

litellm.suppress_debug_info = True
logging.getLogger("LiteLLM").setLevel(logging.ERROR)


@dataclass(frozen=True)
class Direction:
    """From what a client speaks to what a provider speaks. theirs: how LiteLLM calls such a provider. count: how many
    requests are compared."""

    client: DialectName
    provider: DialectName
    model: str
    theirs: str
    count: int

    @property
    def name(self) -> str:
        return f"{self.client} to {self.provider}"


CLAUDE, OTHER = "claude-sonnet-4-5", "gpt-4.1-custom"
DIRECTIONS = [
    Direction("anthropic", "chat", OTHER, f"together_ai/{OTHER}", 100),
    Direction("chat", "anthropic", CLAUDE, f"anthropic/{CLAUDE}", 100),
    Direction("responses", "chat", OTHER, f"together_ai/{OTHER}", 50),
    Direction("responses", "anthropic", CLAUDE, f"anthropic/{CLAUDE}", 50),
]
RECORDED = [
    *DIRECTIONS,
    Direction("chat", "responses", "gpt-5", "openai/responses/gpt-5", 0),
    Direction("anthropic", "responses", "gpt-5", "openai/gpt-5", 0),
]
"""All that LiteLLM has: of streams that were recorded."""
REQUESTS = {
    "anthropic": generated.messages_request,
    "chat": generated.chat_request,
    "responses": generated.responses_request,
}


class Bench:
    """asked: the body that the provider got last. recorded: the stream that it answers instead of what it says."""

    def __init__(self, provider: Provider_) -> None:
        self._provider = provider
        provider.answer = self._answer
        self.say = Say("pong")
        self.asked: Any = None
        self.recorded: bytes | None = None

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked = json.loads(await request.read())
        stream = bool(self.asked.get("stream"))
        if self.recorded is not None:
            return web.Response(body=self.recorded, headers=SSE)
        if request.path.endswith("/chat/completions"):
            return chat_stream(self.say) if stream else chat_answer(self.say)
        return messages_stream(self.say) if stream else web.json_response(message_of(self.say))

    async def theirs(self, direction: Direction, body: Body) -> Any:
        """LiteLLM's answer; streams as a list."""
        base = self._provider.url + ("" if direction.provider == "anthropic" else "/v1")
        litellm.use_chat_completions_url_for_anthropic_messages = direction.provider != "responses"
        call: Any = {
            "anthropic": litellm.anthropic.messages.acreate,
            "chat": litellm.acompletion,
            "responses": litellm.aresponses,
        }[direction.client]
        given = {**json.loads(json.dumps(body)), "model": direction.theirs}
        if direction.provider == "chat":
            given["allowed_openai_params"] = ["reasoning_effort"]  # it knows too little of the model that we made up
        found = await call(**given, api_base=base, api_key="key", max_retries=0)
        return [one async for one in found] if body.get("stream") else found

    def provider_bytes(self, direction: Direction, *, stream: bool) -> bytes:
        """What the provider answers."""
        if direction.provider == "chat":
            made = chat_stream(self.say) if stream else chat_answer(self.say)
        else:
            made = messages_stream(self.say) if stream else web.json_response(message_of(self.say))
        return bytes(made.body)  # type: ignore[arg-type]


@contextlib.asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    async with Provider_().serving() as provider:
        yield Bench(provider)


def _slug(*parts: object) -> str:
    return "_".join(map(str, parts))


def request_of(direction: Direction, number: int) -> Body:
    return REQUESTS[direction.client](Draw(_slug(direction.client, direction.provider, number)))


def ours(direction: Direction, body: Body) -> Any:
    """The body that our converter would send."""
    request = of(direction.client).parse_request(json.dumps(body).encode())
    return json.loads(of(direction.provider).build_request(request, UpstreamModel(direction.model, reasoning=True)))


# ---------------------------------------------------------------------------------------------- requests, compared


def parts_of_request(provider: DialectName, body: Mapping[str, Any]) -> dict[str, Any]:
    """By field; messages in a form in which bare texts and single parts are the same."""
    found = {name: value for name, value in body.items() if name not in ("messages", "model", "system")}
    if provider == "chat":
        found["messages"] = [_chat_message(one) for one in body["messages"]]
    else:
        found["messages"] = [
            (one["role"], [_block(part) for part in _parts(one["content"])]) for one in body["messages"]
        ]
        found["system"] = "\n".join(part["text"] for part in _parts(body.get("system")))
    return found


def _parts(content: Any) -> list[Any]:
    if content is None:
        return []
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _chat_message(message: Mapping[str, Any]) -> Any:
    calls = [
        (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"] or "{}"))
        for call in message.get("tool_calls") or ()
    ]
    return message["role"], _joined(_parts(message.get("content"))), calls, message.get("tool_call_id")


def _joined(parts: Sequence[Any]) -> list[Any]:
    """Texts without pictures between them are one."""
    if all(part["type"] == "text" for part in parts):
        text = "\n".join(part["text"] for part in parts)
        return [text] if text else []
    return [_part(part) for part in parts]


def _part(part: Mapping[str, Any]) -> Any:
    if part["type"] == "text":
        return part["text"]
    return part["image_url"]["url"] if part["type"] == "image_url" else part


def _block(block: Mapping[str, Any]) -> Any:
    kept = {name: value for name, value in block.items() if name != "cache_control"}
    if kept["type"] == "tool_result":
        kept["content"] = [_block(part) for part in _parts(kept["content"])]
    return kept


# ------------------------------------------------------------------------------------------------ answers, compared


@dataclass
class Told:
    """What a client learns. blocks: (kind, name and id of a call, content)."""

    blocks: list[tuple[str, str, Any]]
    stop: str
    usage: dict[str, int]


def said_of(direction: Direction, kind: str, number: int) -> Say:
    made = generated.answer(Draw(_slug(kind, direction.client, direction.provider, number)))
    return Say(made["text"], made["thinking"], made["calls"], made["cached"], made["output"], made["cut"])


def plain(value: Any) -> Any:
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else value


def told(client: DialectName, answer: Any) -> Told:
    """Of a whole answer."""
    value = plain(answer)
    if client == "anthropic":
        return Told([_messages_block(one) for one in value["content"]], value["stop_reason"], _usage(value["usage"]))
    if client == "chat":
        choice = value["choices"][0]
        return Told(_chat_blocks(choice["message"]), choice["finish_reason"], _usage(value["usage"]))
    blocks = [block for item in value["output"] for block in _item(item)]
    return Told(blocks, value["status"], _usage(value["usage"]))


def _messages_block(block: Mapping[str, Any]) -> tuple[str, str, Any]:
    match block["type"]:
        case "tool_use":
            return "call", f"{block['name']} {block['id']}", block["input"]
        case "thinking":
            return "thinking", "", block["thinking"]
    return "text", "", block["text"]


def _chat_blocks(message: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    found: list[tuple[str, str, Any]] = []
    if thought := message.get("reasoning_content"):
        found.append(("thinking", "", thought))
    if text := message.get("content"):
        found.append(("text", "", text))
    for call in message.get("tool_calls") or ():
        function = call["function"]
        found.append(("call", f"{function['name']} {call['id']}", _arguments(function["arguments"])))
    return found


def _arguments(text: str) -> Any:
    """What is no JSON, as it is."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


def _item(item: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    match item["type"]:
        case "function_call":
            return [("call", f"{item['name']} {item['call_id']}", _arguments(item["arguments"]))]
        case "reasoning":
            parts = [*(item.get("summary") or ()), *(item.get("content") or ())]
            text = "".join(part["text"] for part in parts)
            return [("thinking", "", text)] if text else []
    text = "".join(part["text"] for part in item["content"])
    return [("text", "", text)] if text else []


def _usage(usage: Mapping[str, Any]) -> dict[str, int]:
    """All input, output, and what of the input was cached."""
    if "prompt_tokens" in usage:
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        return {"input": usage["prompt_tokens"], "output": usage["completion_tokens"], "cached": cached}
    if "input_tokens_details" in usage or "total_tokens" in usage:
        cached = (usage.get("input_tokens_details") or {}).get("cached_tokens") or 0
        return {"input": usage["input_tokens"], "output": usage["output_tokens"], "cached": cached}
    cached = usage.get("cache_read_input_tokens") or 0
    return {"input": usage["input_tokens"] + cached, "output": usage["output_tokens"], "cached": cached}


def streamed(client: DialectName, events: Sequence[Any]) -> Told:
    """Of a stream that has been read to its end."""
    if client == "anthropic":
        return _streamed_messages(events)
    if client == "chat":
        return _streamed_chat(events)
    return told("responses", plain(events[-1])["response"])


def events_of(written: bytes) -> list[Any]:
    """The data of a stream's events."""
    lines = [line[5:].strip() for line in written.split(b"\n") if line.startswith(b"data:")]
    return [json.loads(line) for line in lines if line != b"[DONE]"]


def _streamed_messages(events: Sequence[Any]) -> Told:
    blocks: dict[int, list[Any]] = {}
    stop, usage = "", {}
    for event in events:
        match event["type"]:
            case "message_start":
                usage = dict(event["message"]["usage"])
            case "content_block_start":
                block = event["content_block"]
                kind = {"tool_use": "call"}.get(block["type"], block["type"])
                blocks[event["index"]] = [kind, f"{block['name']} {block['id']}" if kind == "call" else "", ""]
            case "content_block_delta":
                delta = event["delta"]
                more = delta.get("text") or delta.get("thinking") or delta.get("partial_json") or ""
                blocks[event["index"]][2] += more
            case "message_delta":
                stop = event["delta"]["stop_reason"]
                usage |= {name: count for name, count in (event.get("usage") or {}).items() if count is not None}
    found = [(kind, name, _arguments(text) if kind == "call" else text) for kind, name, text in blocks.values()]
    return Told([one for one in found if one[2] or one[0] == "call"], stop, _usage(usage))


def _streamed_chat(events: Sequence[Any]) -> Told:
    message: dict[str, Any] = {"content": "", "reasoning_content": "", "tool_calls": {}}
    stop, usage = "", {}
    for event in map(plain, events):
        usage = event.get("usage") or usage
        for choice in event["choices"]:
            delta = choice.get("delta") or {}
            message["content"] += delta.get("content") or ""
            message["reasoning_content"] += delta.get("reasoning_content") or ""
            for call in delta.get("tool_calls") or ():
                known = message["tool_calls"].setdefault(call["index"], {"id": "", "name": "", "arguments": ""})
                known["id"] += call.get("id") or ""
                known["name"] += call["function"].get("name") or ""
                known["arguments"] += call["function"].get("arguments") or ""
            stop = choice.get("finish_reason") or stop
    calls = [{"id": call["id"], "function": call} for call in message["tool_calls"].values()]
    return Told(_chat_blocks({**message, "tool_calls": calls}), stop, _usage(usage))
