"""AI nodes speak to providers through the codecs that proxies use."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ai_lab import AiLab, flow, model, node
from loopback import reply

from jackfield.api import dialects
from jackfield.api.ai import Message, Picture, ToolCall, ToolSpec
from jackfield.api.dialects.model import DialectName, UpstreamModel
from jackfield_ai.models.conversation import completion_of, request_of

CALL = ToolCall("toolu_1", "look", {"word": "a"})
TALK = [
    Message("system", "Be kind."),
    Message("user", "What is this?", [Picture("image/png", "AAAA")]),
    Message("assistant", "I look.", calls=[CALL]),
    Message("tool", "nothing", call_id="toolu_1", name="look"),
]
LOOK = ToolSpec("look", "Looks a word up.", {"type": "object", "properties": {"word": {"type": "string"}}})
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "signed"}
USE = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"word": "a"}}


def sent(dialect: DialectName, messages: list[Message], members: dict[str, Any], **more: Any) -> Any:
    asked = request_of(dialect, "m", messages, members, **more)
    return json.loads(dialects.of(dialect).build_request(asked, UpstreamModel("m")))


def test_a_conversation_for_chat_completions() -> None:
    body = sent("chat", TALK, {"temperature": 0.5, "max_completion_tokens": 9}, tools=[LOOK])
    assert (body["model"], body["temperature"], body["max_completion_tokens"]) == ("m", 0.5, 9)
    system, user, assistant, tool = body["messages"]
    assert system == {"role": "system", "content": "Be kind."}
    assert [part["type"] for part in user["content"]] == ["text", "image_url"]
    assert user["content"][1]["image_url"] == {"url": "data:image/png;base64,AAAA"}
    assert assistant["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"word":"a"}'}
    assert tool == {"role": "tool", "tool_call_id": "toolu_1", "content": "nothing"}
    assert body["tools"][0]["function"]["parameters"] == LOOK.schema


def test_a_conversation_for_anthropic() -> None:
    body = sent("anthropic", TALK, {"max_tokens": 50, "top_k": 3}, tools=[LOOK], json=True)
    assert (body["max_tokens"], body["top_k"]) == (50, 3)
    assert [part["text"] for part in body["system"]] == ["Be kind.", "Answer with one JSON object and nothing else."]
    assert [part["type"] for part in body["messages"][0]["content"]] == ["image", "text"]
    assert body["messages"][1]["content"] == [{"type": "text", "text": "I look."}, USE]
    assert body["messages"][2]["content"][0]["tool_use_id"] == "toolu_1"
    assert body["tools"] == [{"name": "look", "description": LOOK.description, "input_schema": LOOK.schema}]


def test_thoughts_go_back_to_anthropic_as_it_has_signed_them() -> None:
    answer = {"model": "m", "content": [THOUGHT, USE], "stop_reason": "tool_use", "usage": {"input_tokens": 1}}
    found = dialects.of("anthropic").parse_response(json.dumps(answer).encode())
    said = completion_of("anthropic", found, answer)  # type: ignore[arg-type]
    assert (said.finish, said.message.calls, said.usage.input) == ("tool_calls", [CALL], 1)
    body = sent("anthropic", [TALK[1], said.message, TALK[3]], {"max_tokens": 50})
    assert body["messages"][1]["content"] == [THOUGHT, USE]


@pytest.mark.parametrize("own", [None, "text", [{"no": "block"}], [3]])
def test_what_is_no_answer_of_anthropic_is_told_anew(own: Any) -> None:
    body = sent("anthropic", [TALK[1], Message("assistant", "Hi.", own=own)], {"max_tokens": 50})
    assert body["messages"][1]["content"] == [{"type": "text", "text": "Hi."}]


async def test_an_answer_without_a_message_fails_the_node(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    chain = node("Chain", "chainLlm", {"promptType": "define", "text": "q"}, typeVersion=1.7)
    for answer in ({"choices": []}, {"error": {"message": "no"}}):
        lab.says = [reply(answer)]
        told = await lab.failure(flow(chain, parts=[(model(), "ai_languageModel", "Chain")]), {"q": 1})
        assert "OpenAI answered without a message." in told
