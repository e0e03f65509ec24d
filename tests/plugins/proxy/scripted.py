"""Providers of either family that say what they are told to, whole and streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web

SSE = {"Content-Type": "text/event-stream"}


@dataclass(frozen=True)
class Say:
    """An answer. calls: (id, name, arguments). cut: at the limit of its length."""

    text: str = ""
    thinking: str = ""
    calls: Sequence[tuple[str, str, dict[str, Any]]] = ()
    cached: int = 0
    output: int = 7
    cut: bool = False

    def pieces(self, text: str) -> Iterator[str]:
        yield from (text[start : start + 4] for start in range(0, len(text), 4))


FRESH, OUTPUT = 90, 7
"""Tokens of an answer: of the input that was not cached, and of the output where it says nothing else."""


# --------------------------------------------------------------------------------------------------- Chat Completions


def chat_usage(say: Say) -> dict[str, Any]:
    prompt = FRESH + say.cached
    counts = {"prompt_tokens": prompt, "completion_tokens": say.output, "total_tokens": prompt + say.output}
    return {**counts, "prompt_tokens_details": {"cached_tokens": say.cached}}


def chat_calls(say: Say) -> list[dict[str, Any]]:
    return [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for call_id, name, arguments in say.calls
    ]


def chat_end(say: Say) -> str:
    return "tool_calls" if say.calls else "length" if say.cut else "stop"


def chat_answer(say: Say) -> web.Response:
    message: dict[str, Any] = {"role": "assistant", "content": say.text or None}
    message |= {"reasoning_content": say.thinking} if say.thinking else {}
    message |= {"tool_calls": chat_calls(say)} if say.calls else {}
    choice = {"index": 0, "message": message, "finish_reason": chat_end(say)}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "served"}
    return web.json_response({**head, "choices": [choice], "usage": chat_usage(say)})


def chat_stream(say: Say) -> web.Response:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in say.pieces(say.thinking)]
    deltas += [{"content": piece} for piece in say.pieces(say.text)]
    calls = chat_calls(say)
    for index, call in enumerate(calls):
        deltas.append({"tool_calls": [{**call, "index": index, "function": {**call["function"], "arguments": ""}}]})
    # Parallel calls arrive interleaved, as several providers send them.
    cut = [list(say.pieces(call["function"]["arguments"])) for call in calls]
    for turn in range(max(map(len, cut), default=0)):
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": pieces[turn]}}]}
            for index, pieces in enumerate(cut)
            if turn < len(pieces)
        ]
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "served"}
    made: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in deltas]
    made.append({"choices": [{"index": 0, "delta": {}, "finish_reason": chat_end(say)}]})
    made.append({"choices": [], "usage": chat_usage(say)})
    lines = [f"data: {json.dumps({**head, **one})}\n\n" for one in made]
    return web.Response(text="".join([*lines, "data: [DONE]\n\n"]), headers=SSE)


# ----------------------------------------------------------------------------------------------------------- Messages


def messages_usage(say: Say) -> dict[str, int]:
    return {
        "input_tokens": FRESH,
        "output_tokens": say.output,
        "cache_read_input_tokens": say.cached,
        "cache_creation_input_tokens": 0,
    }


def messages_blocks(say: Say) -> list[dict[str, Any]]:
    thinking = [{"type": "thinking", "thinking": say.thinking, "signature": "c2lnbmVk"}] if say.thinking else []
    texts = [{"type": "text", "text": say.text}] if say.text else []
    calls = [{"type": "tool_use", "id": call, "name": name, "input": given} for call, name, given in say.calls]
    return [*thinking, *texts, *calls]


def message_of(say: Say) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "served",
        "content": messages_blocks(say),
        "stop_reason": "tool_use" if say.calls else "max_tokens" if say.cut else "end_turn",
        "stop_sequence": None,
        "usage": messages_usage(say),
    }


def messages_events(say: Say) -> Iterator[dict[str, Any]]:
    whole = message_of(say)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(messages_blocks(say)):
        match block["type"]:
            case "thinking":
                deltas = [{"type": "thinking_delta", "thinking": piece} for piece in say.pieces(block["thinking"])]
                deltas.append({"type": "signature_delta", "signature": block["signature"]})
                begun = {"type": "thinking", "thinking": "", "signature": ""}
            case "text":
                deltas = [{"type": "text_delta", "text": piece} for piece in say.pieces(block["text"])]
                begun = {"type": "text", "text": ""}
            case _:
                pieces = say.pieces(json.dumps(block["input"]))
                deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
                begun = {**block, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        yield from ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": say.output}}
    yield {"type": "message_stop"}


def messages_stream(say: Say) -> web.Response:
    lines = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in messages_events(say)]
    return web.Response(text="".join(lines), headers=SSE)
