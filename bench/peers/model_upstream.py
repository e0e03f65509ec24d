"""A provider of models without a delay, bare on asyncio's protocols: `model_upstream.py PORT [EVENTS]`.

It answers `/v1/messages`, `/v1/chat/completions`, and `generateContent` of Gemini's API, whole, or streamed in EVENTS
deltas of a size that models send, in writes of 16 events. Every answer has an id of its own, as providers give them.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from typing import cast

EVENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 100
TEXTS = [f"four words {number} more " for number in range(EVENTS)]
"""No two alike: LiteLLM takes a model that repeats itself for one that is stuck."""
ID = "id-000000000000"
"""Stands for an answer's id, which has as many characters."""
USAGE = {"prompt_tokens": 900, "completion_tokens": EVENTS, "total_tokens": 900 + EVENTS}
CHAT_HEAD = {"id": ID, "created": 1_750_000_000, "model": "served"}
MESSAGE = {
    "id": ID,
    "type": "message",
    "role": "assistant",
    "model": "served",
    "content": [{"type": "text", "text": "A short answer."}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 900, "output_tokens": 5},
}
COMPLETION = {
    **CHAT_HEAD,
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "A short answer."}, "finish_reason": "stop"}],
    "usage": USAGE,
}


GENERATED: dict[str, object] = {
    "candidates": [
        {"content": {"parts": [{"text": "A short answer."}], "role": "model"}, "finishReason": "STOP", "index": 0}
    ],
    "usageMetadata": {"promptTokenCount": 900, "candidatesTokenCount": 5, "totalTokenCount": 905},
    "modelVersion": "served",
    "responseId": ID,
}


def whole(value: object) -> list[bytes]:
    body = json.dumps(value).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return [head.encode() + body]


def streamed(events: list[bytes]) -> list[bytes]:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    parts = [b"".join(events[start : start + 16]) for start in range(0, len(events), 16)]
    chunks = [f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in parts]
    return [head + chunks[0], *chunks[1:], b"0\r\n\r\n"]


def messages_events() -> list[bytes]:
    delta = {"type": "content_block_delta", "index": 0}
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": {**MESSAGE, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *[{**delta, "delta": {"type": "text_delta", "text": text}} for text in TEXTS],
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": EVENTS}},
        {"type": "message_stop"},
    ]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]


def chat_events() -> list[bytes]:
    deltas = [{"role": "assistant", "content": ""}, *[{"content": text} for text in TEXTS]]
    choices: list[list[object]] = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    choices.append([{"index": 0, "delta": {}, "finish_reason": "stop"}])
    head = {**CHAT_HEAD, "object": "chat.completion.chunk"}
    chunks = [{**head, "choices": choice} for choice in choices] + [{**head, "choices": [], "usage": USAGE}]
    return [*(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks), b"data: [DONE]\n\n"]


def gemini_events() -> list[bytes]:
    head = {"modelVersion": "served", "responseId": ID}
    events: list[dict[str, object]] = [
        {"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}], **head}
        for text in TEXTS
    ]
    usage = {"promptTokenCount": 900, "candidatesTokenCount": EVENTS, "totalTokenCount": 900 + EVENTS}
    events.append({"candidates": [{"finishReason": "STOP", "index": 0}], "usageMetadata": usage, **head})
    return [f"data: {json.dumps(event)}\r\n\r\n".encode() for event in events]


ANSWERS = {
    (b"/v1/messages", False): whole(MESSAGE),
    (b"/v1/messages", True): streamed(messages_events()),
    (b"/v1/chat/completions", False): whole(COMPLETION),
    (b"/v1/chat/completions", True): streamed(chat_events()),
}
GEMINI = {b":generateContent": whole(GENERATED), b":streamGenerateContent": streamed(gemini_events())}
"""By the end of the path."""
OTHER = whole({"object": "list", "data": []})


IDS = itertools.count(1)


class Upstream(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.held = b""

    def data_received(self, data: bytes) -> None:
        self.held = self.held + data if self.held else data
        while (end := self.held.find(b"\r\n\r\n")) >= 0:
            head = self.held[:end]
            lowered = head.lower()
            size = 0
            if (place := lowered.find(b"content-length:")) >= 0:
                size = int(lowered[place + 15 :].split(b"\r\n", 1)[0])
            if len(self.held) < end + 4 + size:
                return
            body, self.held = self.held[end + 4 : end + 4 + size], self.held[end + 4 + size :]
            path = head.split(b" ", 2)[1].split(b"?", 1)[0]
            stream = b'"stream":true' in body or b'"stream": true' in body
            found = ANSWERS.get((path, stream)) or GEMINI.get(path[path.rfind(b":") :], OTHER)
            own = b"id-%012d" % next(IDS)
            for part in found:
                self.transport.write(part.replace(ID.encode(), own))


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Upstream, "127.0.0.1", int(sys.argv[1]), backlog=512)
    await server.serve_forever()


try:
    import uvloop
except ImportError:
    asyncio.run(main())
else:
    uvloop.run(main())
