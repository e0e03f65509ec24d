"""What a model answers, in the three grammars that agents read: Messages, Responses and Chat Completions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Event = tuple[str | None, Any]
"""Name, if the grammar names its events, and data."""
PIECES = 3
"""Texts come in so many deltas."""


@dataclass(frozen=True)
class Used:
    """Tokens of one answer. fresh: of the input, those that were not cached; output: with those of reasoning."""

    fresh: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    reasoning: int = 0

    @property
    def whole_input(self) -> int:
        """As OpenAI's APIs count it."""
        return self.fresh + self.cached + self.written


@dataclass(frozen=True)
class Call:
    """Of a tool. namespace: of the tool in the grammar Responses; empty: it has none."""

    tool: str
    arguments: Mapping[str, Any]
    namespace: str = ""


@dataclass(frozen=True)
class Reply:
    """early: it was asked too early for what the script wants to say, which comes with the next request."""

    text: str = ""
    calls: Sequence[Call] = ()
    used: Used = field(default_factory=Used)
    early: bool = False


def pieces(text: str) -> list[str]:
    size = max(1, -(-len(text) // PIECES))
    return [text[start : start + size] for start in range(0, len(text), size)]


# -- Messages


def messages(reply: Reply, model: str, number: int) -> Iterator[Event]:
    start = _message(reply, model, number) | {"content": [], "stop_reason": None}
    start["usage"] = start["usage"] | {"output_tokens": 1}
    yield _named("message_start", message=start)
    yield _named("ping")
    for index, block in enumerate(_blocks(reply, number)):
        yield from _block(index, block)
    stop = {"stop_reason": "tool_use" if reply.calls else "end_turn", "stop_sequence": None}
    yield _named("message_delta", delta=stop, usage=_messages_usage(reply.used))
    yield _named("message_stop")


def message(reply: Reply, model: str, number: int) -> Any:
    """Not streamed."""
    return _message(reply, model, number) | {"content": _blocks(reply, number)}


def _named(type: str, **data: Any) -> Event:
    return type, {"type": type, **data}


def _message(reply: Reply, model: str, number: int) -> dict[str, Any]:
    return {
        "id": f"msg_{number:024}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": _messages_usage(reply.used),
    }


def _messages_usage(used: Used) -> dict[str, Any]:
    return {
        "input_tokens": used.fresh,
        "cache_creation_input_tokens": used.written,
        "cache_read_input_tokens": used.cached,
        "cache_creation": {"ephemeral_5m_input_tokens": used.written, "ephemeral_1h_input_tokens": 0},
        "output_tokens": used.output,
        "service_tier": "standard",
    }


def _blocks(reply: Reply, number: int) -> list[dict[str, Any]]:
    texts = [{"type": "text", "text": reply.text}] if reply.text else []
    return [
        *texts,
        *(
            {"type": "tool_use", "id": f"toolu_{number:020}{place}", "name": call.tool, "input": dict(call.arguments)}
            for place, call in enumerate(reply.calls)
        ),
    ]


def _block(index: int, block: dict[str, Any]) -> Iterator[Event]:
    if block["type"] == "text":
        begun: dict[str, Any] = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
    else:
        begun = block | {"input": {}}
        written = json.dumps(block["input"])
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *pieces(written))]
    yield _named("content_block_start", index=index, content_block=begun)
    for delta in deltas:
        yield _named("content_block_delta", index=index, delta=delta)
    yield _named("content_block_stop", index=index)


# -- Responses


def responses(reply: Reply, model: str, number: int) -> Iterator[Event]:
    whole = _response(reply, model, number)
    begun = whole | {"status": "in_progress", "output": [], "usage": None}
    events = [
        _named("response.created", response=begun),
        _named("response.in_progress", response=begun),
        *(event for index, item in enumerate(whole["output"]) for event in _output(index, item)),
        _named("response.completed", response=whole),
    ]
    for sequence, (name, data) in enumerate(events):
        yield name, data | {"sequence_number": sequence}


def _response(reply: Reply, model: str, number: int) -> dict[str, Any]:
    used = reply.used
    return {
        "id": f"resp_{number:024}",
        "object": "response",
        "created_at": 1_800_000_000,
        "status": "completed",
        "model": model,
        "output": _items(reply, number),
        "parallel_tool_calls": True,
        "tools": [],
        "usage": {
            "input_tokens": used.whole_input,
            "input_tokens_details": {"cached_tokens": used.cached, "cache_write_tokens": used.written},
            "output_tokens": used.output,
            "output_tokens_details": {"reasoning_tokens": used.reasoning},
            "total_tokens": used.whole_input + used.output,
        },
    }


def _items(reply: Reply, number: int) -> list[dict[str, Any]]:
    content = [{"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}]
    said = {"type": "message", "id": f"msg_{number}", "status": "completed", "role": "assistant", "content": content}
    return [
        *([said] if reply.text else []),
        *(
            {
                "type": "function_call",
                "id": f"fc_{number}_{place}",
                "call_id": f"call_{number}_{place}",
                "status": "completed",
                "name": call.tool,
                "arguments": json.dumps(call.arguments),
                **({"namespace": call.namespace} if call.namespace else {}),
            }
            for place, call in enumerate(reply.calls)
        ),
    ]


def _output(index: int, item: dict[str, Any]) -> Iterator[Event]:
    where = {"item_id": item["id"], "output_index": index}
    unfinished = item | {"status": "in_progress"}
    if item["type"] == "message":
        part, at = item["content"][0], {**where, "content_index": 0}
        yield _named("response.output_item.added", output_index=index, item=unfinished | {"content": []})
        yield _named("response.content_part.added", **at, part=part | {"text": ""})
        for piece in pieces(part["text"]):
            yield _named("response.output_text.delta", **at, delta=piece, logprobs=[])
        yield _named("response.output_text.done", **at, text=part["text"], logprobs=[])
        yield _named("response.content_part.done", **at, part=part)
    else:
        yield _named("response.output_item.added", output_index=index, item=unfinished | {"arguments": ""})
        for piece in pieces(item["arguments"]):
            yield _named("response.function_call_arguments.delta", **where, delta=piece)
        yield _named("response.function_call_arguments.done", **where, arguments=item["arguments"])
    yield _named("response.output_item.done", output_index=index, item=item)


# -- Gemini


def gemini(reply: Reply, model: str, number: int) -> Iterator[Event]:
    for piece in pieces(reply.text):
        yield None, _generated([{"text": piece}], reply, model, number)
    calls = [{"functionCall": {"name": call.tool, "args": dict(call.arguments)}} for call in reply.calls]
    yield None, _generated(calls, reply, model, number) | {"usageMetadata": _gemini_usage(reply.used)}


def generated(reply: Reply, model: str, number: int) -> Any:
    """Not streamed."""
    return _generated([{"text": reply.text}], reply, model, number) | {"usageMetadata": _gemini_usage(reply.used)}


def _generated(parts: list[Any], reply: Reply, model: str, number: int) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": parts or [{"text": ""}]}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "modelVersion": model, "responseId": f"resp-{number}"}


def _gemini_usage(used: Used) -> dict[str, Any]:
    return {
        "promptTokenCount": used.whole_input,
        "candidatesTokenCount": used.output - used.reasoning,
        "thoughtsTokenCount": used.reasoning,
        "cachedContentTokenCount": used.cached,
        "totalTokenCount": used.whole_input + used.output,
    }


# -- Chat Completions


def chat(reply: Reply, model: str, number: int) -> Iterator[Event]:
    def chunk(choices: list[Any], usage: Any = None) -> Event:
        made = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1_800_000_000}
        return None, {**made, "model": model, "choices": choices, "usage": usage}

    def delta(delta: dict[str, Any], finish: str | None = None) -> Event:
        return chunk([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}])

    yield delta({"role": "assistant", "content": ""})
    for piece in pieces(reply.text):
        yield delta({"content": piece})
    for place, call in enumerate(reply.calls):
        begun = {"index": place, "id": f"call_{number}_{place}", "type": "function"}
        yield delta({"tool_calls": [{**begun, "function": {"name": call.tool, "arguments": ""}}]})
        for piece in pieces(json.dumps(call.arguments)):
            yield delta({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
    yield delta({}, "tool_calls" if reply.calls else "stop")
    yield chunk([], _chat_usage(reply.used))


def completion(reply: Reply, model: str, number: int) -> Any:
    """Not streamed, without tools."""
    message = {"role": "assistant", "content": reply.text}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    made = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1_800_000_000, "model": model}
    return {**made, "choices": [choice], "usage": _chat_usage(reply.used)}


def _chat_usage(used: Used) -> dict[str, Any]:
    return {
        "prompt_tokens": used.whole_input,
        "completion_tokens": used.output,
        "total_tokens": used.whole_input + used.output,
        "prompt_tokens_details": {"cached_tokens": used.cached},
        "completion_tokens_details": {"reasoning_tokens": used.reasoning},
    }
