"""An agent whose caller reads chunks: what streams, in which pieces, and what comes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from ai_lab import AiLab, flow, model, node
from loopback import Seen

from jackfield.api.context import WorkflowReader
from jackfield.api.engine import ExecutionRequest, Outcome
from jackfield.api.streaming import Chunk

PROMPT = {"promptType": "define", "text": "hi"}


class Chunks:
    """`ChunkStream` that keeps all."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str | None]] = []

    async def put(self, chunk: Chunk) -> None:
        self.told.append((chunk.type, chunk.content))


async def streamed(lab: AiLab, document: Any) -> tuple[Outcome, list[tuple[str, str | None]]]:
    workflow = lab.context.port(WorkflowReader).parse(document)
    chunks = Chunks()
    engine = lab.engine()
    lab.context.ports["Engine"] = engine
    start = next(iter(workflow.nodes))
    request = ExecutionRequest(workflow=workflow, mode="webhook", start=start, items=[{"json": {}}], stream=chunks)
    return await asyncio.wait_for(engine.submit(request).finished, 20), chunks.told


def with_agent(chat: dict[str, Any], version: float = 3, parts: Sequence[Any] = (), **options: Any) -> Any:
    main = node("Agent", "agent", {**PROMPT, "options": options}, typeVersion=version)
    return flow(main, parts=[(chat, "ai_languageModel", "Agent"), *parts])


def anthropic_events(*pieces: str) -> bytes:
    start = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "content": [],
             "usage": {"input_tokens": 5, "output_tokens": 1}}  # fmt: skip
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": one}} for one in pieces),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()


async def test_anthropics_text_comes_in_its_pieces(lab: AiLab) -> None:
    await lab.credential("anthropicApi")
    body = anthropic_events("Hel", "lo")
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    lab.says = [head + body]
    outcome, told = await streamed(lab, with_agent(model("lmChatAnthropic", "anthropicApi")))
    assert outcome.status == "success", outcome.failure
    assert outcome.items[0]["json"] == {"output": "Hello"}
    assert told == [("begin", None), ("item", "Hel"), ("item", "lo"), ("end", None)]
    assert lab.asked[0]["stream"] is True


async def test_gemini_streams_and_gets_its_signatures_back(lab: AiLab) -> None:
    await lab.credential("googlePalmApi")
    picture = {"inlineData": {"mimeType": "image/png", "data": "aWY="}, "thoughtSignature": "drawn"}
    call = {"functionCall": {"name": "Look_up", "args": {"word": "a"}}, "thoughtSignature": "sig"}
    says = [[{"text": "Hm."}, picture, call], [{"text": "Hel"}, {"text": "lo"}]]
    for parts in says:
        events = [{"candidates": [{"content": {"role": "model", "parts": [part]}}]} for part in parts]
        events.append({"candidates": [{"finishReason": "STOP"}], "modelVersion": "m"})  # type: ignore[dict-item]
        body = b"".join(b"data: " + json.dumps(one).encode() + b"\r\n\r\n" for one in events)
        head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        lab.says.append(head + body)
    chat = model("lmChatGoogleGemini", "googlePalmApi", modelName="models/gemini-3-pro")
    word = {"toolDescription": "Looks up.", "descriptionType": "manual", "word": "={{ $fromAI('word') }}"}
    document = with_agent(chat, parts=[(node("Look up", "jackfield.noteTool", word), "ai_tool", "Agent")])
    outcome, told = await streamed(lab, document)
    assert outcome.status == "success", outcome.failure
    assert outcome.items[0]["json"] == {"output": "Hello"}
    assert [text for kind, text in told if kind == "item"] == ["Hm.", "Hel", "lo"]
    assert {seen.target for seen in lab.server.seen} == {"/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"}
    _, said, answered = lab.asked[1]["contents"]
    assert said["parts"][:2] == [{"text": "Hm."}, picture]
    assert said["parts"][2]["thoughtSignature"] == "sig"
    assert answered["parts"][0]["functionResponse"]["name"] == "Look_up"


async def test_a_model_that_cannot_stream_says_it_whole(lab: AiLab) -> None:
    await lab.credential("ollamaApi")
    lab.says = [{"text": "Hello"}]
    outcome, told = await streamed(lab, with_agent(model("lmChatOllama", "ollamaApi")))
    assert outcome.items[0]["json"] == {"output": "Hello"}
    assert told == [("begin", None), ("item", "Hello"), ("end", None)]


@pytest.mark.parametrize(("version", "options"), [(2, {}), (3, {"enableStreaming": False})])
async def test_an_agent_that_does_not_stream_sends_nothing(lab: AiLab, version: float, options: Any) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": "Hello"}]
    outcome, told = await streamed(lab, with_agent(model(), version, **options))
    assert outcome.items[0]["json"] == {"output": "Hello"}
    assert told == []
    assert "stream" not in lab.asked[0]


async def test_a_stream_that_breaks_off_fails_the_node(lab: AiLab) -> None:
    await lab.credential("openAiApi")

    def half(_: Seen) -> bytes:
        event = {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"content": "Hel"}}]}
        body = b"data: " + json.dumps(event).encode() + b"\n\n"
        head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        return head + body

    lab.says = [half]
    outcome, told = await streamed(lab, with_agent(model()))
    assert outcome.status == "failed"
    assert outcome.failure is not None
    assert "broke off" in outcome.failure.message
    assert told == [("begin", None), ("item", "Hel")]
