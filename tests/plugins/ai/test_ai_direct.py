"""Nodes that talk to a provider themselves: OpenAI, Google Gemini, Anthropic."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from ai_lab import AiLab, flow, node
from loopback import Seen, reply

from jackfield.api.binary import BinaryStore
from jackfield.api.context import WorkflowReader

PNG = base64.b64encode(b"\x89PNG...").decode()


def openai(version: float = 1.8, **parameters: Any) -> dict[str, Any]:
    return node("O", "openAi", parameters, typeVersion=version, credentials={"openAiApi": {"id": "openAiApi"}})


async def test_a_message_gives_choices(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": "Hi"}]
    messages = {"values": [{"role": "system", "content": "=Be {{ $json.how }}"}, {"content": "Hello"}]}
    (found,) = await lab.items(flow(openai(messages=messages, modelId={"__rl": True, "value": "m"})), {"how": "kind"})
    assert found["message"] == {"role": "assistant", "content": "Hi", "refusal": None}
    assert found["finish_reason"] == "stop"
    assert lab.asked[0]["model"] == "m"
    assert [one["role"] for one in lab.asked[0]["messages"]] == ["system", "user"]


async def test_json_and_the_whole_answer(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": '{"a": 1}'}, {"text": "x"}]
    given: Any = {"messages": {"values": [{"content": "q"}]}}
    (found,) = await lab.items(flow(openai(**given, jsonOutput=True)), {"x": 1})
    assert found["message"]["content"] == {"a": 1}
    assert lab.asked[0]["response_format"] == {"type": "json_object"}
    (whole,) = await lab.items(flow(openai(**given, simplify=False)), {"x": 1})
    assert whole["usage"] == {"prompt_tokens": 7, "completion_tokens": 3}


async def test_tools_of_the_node(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"calls": [("calculator", {"input": "1+1"})]}, {"text": "2"}]
    document = flow(
        openai(messages={"values": [{"content": "q"}]}), parts=[(node("C", "toolCalculator"), "ai_tool", "O")]
    )
    (found,) = await lab.items(document, {"x": 1})
    assert found["message"]["content"] == "2"


async def test_responses(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    output = [{"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}]
    lab.says = [reply({"model": "m", "output": output, "usage": {"input_tokens": 1, "output_tokens": 2}})]
    given = {"values": [{"content": "q"}]}
    (found,) = await lab.items(flow(openai(2, responses=given)), {"x": 1})
    assert found["output"][0]["content"][0]["text"] == "Hi"
    assert lab.asked[0]["input"] == [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}
    ]
    assert lab.server.seen[0].target == "/v1/responses"


async def test_the_query_of_a_provider_s_address_stays_behind_the_path(lab: AiLab) -> None:
    await lab.credential("openAiApi", url=lab.server.url("/openai/deployments/d?api-version=2024-10-21"))
    lab.says = [reply({"output": []}), {"text": "pong"}]
    given = {"values": [{"content": "q"}]}
    await lab.items(flow(openai(2, responses=given)), {"x": 1})
    await lab.items(flow(openai(messages=given)), {"x": 1})
    assert [seen.target for seen in lab.server.seen] == [
        f"/openai/deployments/d/{path}?api-version=2024-10-21" for path in ("responses", "chat/completions")
    ]


async def test_an_image_is_analysed(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": "a cat"}]
    given = {"resource": "image", "operation": "analyze", "imageUrls": "https://x/a.png, https://x/b.png", "text": "?"}
    found = await lab.items(flow(openai(**given, options={"detail": "low", "maxTokens": 9})), {"x": 1})
    assert found == [{"content": "a cat"}]
    body = lab.asked[0]
    assert body["max_completion_tokens"] == 9
    assert [part["type"] for part in body["messages"][0]["content"]] == ["text", "image_url", "image_url"]
    assert body["messages"][0]["content"][2]["image_url"] == {"url": "https://x/b.png", "detail": "low"}


async def test_an_image_is_made(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [reply({"data": [{"b64_json": PNG, "revised_prompt": "r"}]})]
    outcome = await lab.run(flow(openai(resource="image", prompt="a cat", model="dall-e-3")), {"x": 1})
    (item,) = outcome.items
    assert item["json"] == {"revised_prompt": "r"}
    assert item["binary"]["data"]["mimeType"] == "image/png"
    assert lab.asked[0]["response_format"] == "b64_json"


async def test_audio_is_written_down(lab: AiLab) -> None:
    await lab.credential("openAiApi")

    def heard(seen: Seen) -> bytes:
        assert seen.target == "/v1/audio/transcriptions"
        assert b'filename="a.ogg"' in seen.body
        assert b"whisper-1" in seen.body
        assert b"noise" in seen.body
        return reply({"text": "hello"})

    lab.says = [heard]
    workflow = lab.context.port(WorkflowReader).parse(flow(openai(resource="audio", operation="transcribe")))
    file = {"data": base64.b64encode(b"noise").decode(), "mimeType": "audio/ogg", "fileName": "a.ogg"}
    item: Any = {"json": {}, "binary": {"data": file}}
    outcome = await lab.started(workflow, [item])
    assert outcome.status == "success", outcome.failure
    assert outcome.items[0]["json"] == {"text": "hello"}


async def test_a_kept_recording_is_sent_whole_again_to_a_busy_provider(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    noise = bytes(range(256)) * 400
    lab.says = [reply({"error": "busy"}, "503 Busy", retry_after="0"), reply({"text": "hello"})]
    workflow = lab.context.port(WorkflowReader).parse(flow(openai(resource="audio", operation="transcribe")))
    file = await lab.context.port(BinaryStore).files("e").write(noise, mime_type="audio/ogg", file_name="a.ogg")
    assert file["data"] == ""
    outcome = await lab.started(workflow, [{"json": {}, "binary": {"data": file}}])
    assert outcome.status == "success", outcome.failure
    first, second = lab.server.seen
    assert first.body == second.body
    assert b'filename="a.ogg"\r\nContent-Type: audio/ogg\r\n\r\n' + noise + b"\r\n" in first.body


async def test_speech_becomes_a_file(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    noise = bytes(range(256)) * 400
    lab.says = [reply(noise, content_type="application/octet-stream")]
    outcome = await lab.run(flow(openai(resource="audio", operation="generate", input="hello")), {"x": 1})
    assert outcome.status == "success", outcome.failure
    file = outcome.items[0]["binary"]["data"]
    assert (file["mimeType"], file["fileName"], file["bytes"]) == ("audio/mpeg", "audio.mp3", len(noise))
    assert await lab.context.port(BinaryStore).files("e").read(file) == noise


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"resource": "assistant", "operation": "message"}, "The operation message of assistant is not available"),
        ({"messages": {"values": []}}, "has no messages"),
        ({"resource": "image", "operation": "analyze"}, "There is no image"),
        ({"resource": "audio", "operation": "transcribe"}, "has no binary field 'data'"),
    ],
)
async def test_what_is_missing_is_named(lab: AiLab, parameters: Any, told: str) -> None:
    await lab.credential("openAiApi")
    assert told in await lab.failure(flow(openai(**parameters)), {"x": 1})


async def test_gemini_messages_and_images(lab: AiLab) -> None:
    await lab.credential("googlePalmApi")
    made = {"credentials": {"googlePalmApi": {"id": "googlePalmApi"}}, "typeVersion": 1}
    lab.says = [{"text": "Hi"}]
    parameters: dict[str, Any] = {"messages": {"values": [{"content": "q"}]}, "modelId": {"value": "models/g"}}
    (found,) = await lab.items(flow(node("G", "googleGemini", parameters, **made)), {"x": 1})
    assert found["content"]["parts"] == [{"text": "Hi"}]
    lab.says = [reply(base64.b64decode(PNG), content_type="image/png"), {"text": "a cat"}]
    parameters = {"resource": "image", "operation": "analyze", "imageUrls": lab.server.url("/i.png"), "text": "?"}
    (found,) = await lab.items(flow(node("G", "googleGemini", parameters, **made)), {"x": 1})
    assert found["content"]["parts"] == [{"text": "a cat"}]
    assert lab.asked[-1]["contents"][0]["parts"][1] == {"inlineData": {"mimeType": "image/png", "data": PNG}}


async def test_so_many_images_are_refused(lab: AiLab) -> None:
    await lab.credential("googlePalmApi")
    made = {"credentials": {"googlePalmApi": {"id": "googlePalmApi"}}, "typeVersion": 1}
    urls = ",".join([lab.server.url("/i.png")] * 17)
    parameters = {"resource": "image", "operation": "analyze", "imageUrls": urls, "text": "?"}
    message = await lab.failure(flow(node("G", "googleGemini", parameters, **made)), {"x": 1})
    assert message == "The node names 17 images, more than 16."
    assert lab.server.seen == []


async def test_anthropic_messages(lab: AiLab) -> None:
    await lab.credential("anthropicApi")
    lab.says = [{"text": "Hi"}]
    parameters: dict[str, Any] = {"messages": {"values": [{"content": "q"}]}, "options": {"system": "S"}}
    made = node("A", "anthropic", parameters, typeVersion=1, credentials={"anthropicApi": {"id": "anthropicApi"}})
    assert await lab.items(flow(made), {"x": 1}) == [{"content": [{"type": "text", "text": "Hi"}]}]
    assert lab.asked[0]["system"] == [{"type": "text", "text": "S"}]
