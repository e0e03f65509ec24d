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


# ------------------------------------------------------------------------------------------------------------- Gemini

SIGNATURE = "c2lnbmVk"


def gemini_usage(say: Say) -> dict[str, int]:
    """Thoughts count beside the answer; with some there are 3 of them."""
    thoughts = 3 if say.thinking else 0
    counts = {"promptTokenCount": FRESH + say.cached, "candidatesTokenCount": say.output - thoughts}
    counts |= {"cachedContentTokenCount": say.cached} if say.cached else {}
    counts |= {"thoughtsTokenCount": thoughts} if thoughts else {}
    return {**counts, "totalTokenCount": FRESH + say.cached + say.output}


def gemini_calls(say: Say) -> list[dict[str, Any]]:
    """Without ids, as older models have it; the first is signed."""
    made: list[dict[str, Any]] = [{"functionCall": {"name": name, "args": given}} for _, name, given in say.calls]
    return [{**made[0], "thoughtSignature": SIGNATURE}, *made[1:]] if made else []


def _candidate(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"content": {"parts": parts, "role": "model"}, "index": 0}


def gemini_answer(say: Say) -> web.Response:
    parts: list[dict[str, Any]] = [{"text": say.thinking, "thought": True}] if say.thinking else []
    parts += [{"text": say.text}] if say.text else []
    candidate = {**_candidate([*parts, *gemini_calls(say)]), "finishReason": "MAX_TOKENS" if say.cut else "STOP"}
    head = {"modelVersion": "served", "responseId": "gem-1"}
    return web.json_response({"candidates": [candidate], "usageMetadata": gemini_usage(say), **head})


def gemini_events(say: Say) -> Iterator[dict[str, Any]]:
    head = {"modelVersion": "served", "responseId": "gem-1"}
    parts: list[dict[str, Any]] = [{"text": piece, "thought": True} for piece in say.pieces(say.thinking)]
    parts += [{"text": piece} for piece in say.pieces(say.text)]
    prompt = {"promptTokenCount": FRESH + say.cached, "totalTokenCount": FRESH + say.cached}
    for part in [*parts, *gemini_calls(say)]:
        yield {"candidates": [_candidate([part])], "usageMetadata": prompt, **head}
    last = {**_candidate([{"text": ""}]), "finishReason": "MAX_TOKENS" if say.cut else "STOP"}
    yield {"candidates": [last], "usageMetadata": gemini_usage(say), **head}


def gemini_stream(say: Say) -> web.Response:
    return web.Response(text="".join(f"data: {json.dumps(one)}\r\n\r\n" for one in gemini_events(say)), headers=SSE)


# ---------------------------------------------------------------------------------------------------------- Responses


def responses_items(say: Say) -> list[dict[str, Any]]:
    thought = [{"type": "summary_text", "text": say.thinking}]
    items: list[dict[str, Any]] = (
        [{"type": "reasoning", "id": "rs_1", "summary": thought, "encrypted_content": "ZW5j"}] if say.thinking else []
    )
    if say.text:
        content = [{"type": "output_text", "text": say.text, "annotations": []}]
        items.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content})
    for number, (call_id, name, given) in enumerate(say.calls):
        call = {"type": "function_call", "id": f"fc_{number}", "call_id": call_id, "name": name}
        items.append({**call, "status": "completed", "arguments": json.dumps(given)})
    return items


def responses_answer(say: Say) -> dict[str, Any]:
    usage = {
        "input_tokens": FRESH + say.cached,
        "input_tokens_details": {"cached_tokens": say.cached},
        "output_tokens": say.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": FRESH + say.cached + say.output,
    }
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "served", "status": "completed"}
    return {**head, "output": responses_items(say), "usage": usage}


def responses_stream(say: Say) -> web.Response:
    whole = responses_answer(say)
    made: list[dict[str, Any]] = [{"type": "response.created", "response": {**whole, "output": []}}]
    for index, item in enumerate(whole["output"]):
        made.append({"type": "response.output_item.added", "output_index": index, "item": {**item, "arguments": ""}})
        match item["type"]:
            case "message":
                kind, text = "response.output_text.delta", say.text
            case "reasoning":
                kind, text = "response.reasoning_summary_text.delta", say.thinking
            case _:
                kind, text = "response.function_call_arguments.delta", item["arguments"]
        place = {"output_index": index, "content_index": 0, "item_id": item["id"], "summary_index": 0}
        made += [{"type": kind, **place, "delta": piece} for piece in say.pieces(text)]
        made.append({"type": "response.output_item.done", "output_index": index, "item": item})
    made.append({"type": "response.completed", "response": whole})
    lines = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in made]
    return web.Response(text="".join(lines), headers=SSE)
