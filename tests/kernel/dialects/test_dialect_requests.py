"""Requests: Anthropic -> Chat, and to and from Responses, one test a rule."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dialect_lab import WEATHER, assistant, call, encoded, messages, result, translated, user
from request_lab import HISTORY, SHELL, TOOLS, codex, said, to_chat, to_responses

from jackfield.api.dialects import names, of
from jackfield.api.dialects.model import DialectError

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
PDF = {
    "type": "document",
    "title": "a.pdf",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "QUE="},
}
TEXT = {"type": "text", "text": "and this?"}


def test_system_is_one_leading_message_without_cache_marks_and_billing() -> None:
    system = [
        {"type": "text", "text": "x-anthropic-billing-header: cc_version=1"},
        {"type": "text", "text": "First.", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Second."},
    ]
    body = to_chat(system=system)
    assert body["messages"] == [
        {"role": "system", "content": "First.\n\nSecond."},
        {"role": "user", "content": "hi"},
    ]


def test_the_billing_block_stays_for_anthropic() -> None:
    """7.4: strip only for foreign upstreams."""
    system = [{"type": "text", "text": "x-anthropic-billing-header: a"}]
    assert translated("anthropic", "anthropic", messages(system=system))["system"] == system


def test_media_become_parts() -> None:
    (message,) = to_chat(user(IMAGE, PDF, TEXT))["messages"]
    assert message["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QUE="}},
        {"type": "text", "text": "and this?"},
    ]


def test_search_results_are_texts_to_others_and_come_back_as_they_were() -> None:
    said = [{"type": "text", "text": "12 degrees"}, {"type": "text", "text": "and rain"}]
    found = {"type": "search_result", "title": "Weather", "source": "https://w.example", "content": said}
    body = messages(user("hi"), assistant(call()), user(result(content=[{**found, "citations": {"enabled": True}}])))
    text = "Weather:\nhttps://w.example\n12 degrees\nand rain"
    assert translated("anthropic", "chat", body)["messages"][-1]["content"] == text
    (part,) = translated("anthropic", "responses", body)["input"][-1]["output"]
    assert part == {"type": "input_text", "text": text}
    (again,) = translated("anthropic", "anthropic", body)["messages"][-1]["content"]
    assert again["content"] == [{**found, "citations": {"enabled": True}}]


def test_an_image_by_address_and_a_text_document() -> None:
    address = {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}}
    note = {"type": "document", "title": "n", "source": {"type": "text", "media_type": "text/plain", "data": "note"}}
    (message,) = to_chat(user(address, note))["messages"]
    assert message["content"][0]["image_url"] == {"url": "https://x/y.png"}
    assert message["content"][1] == {"type": "text", "text": "n:\nnote"}


def test_results_come_first_as_messages_of_their_own() -> None:
    turns = [
        user("weather?"),
        assistant({"type": "text", "text": "I look."}, call("t1", place="A"), call("t2", place="B")),
        user(TEXT, result("t2", [{"type": "text", "text": "two"}]), result("t1", "one", is_error=True)),
    ]
    sent = to_chat(*turns, tools=[WEATHER])["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "tool", "tool", "user"]
    assert sent[1]["content"] == "I look."
    assert [made["id"] for made in sent[1]["tool_calls"]] == ["t1", "t2"]
    assert [json.loads(made["function"]["arguments"]) for made in sent[1]["tool_calls"]] == [
        {"place": "A"},
        {"place": "B"},
    ]
    assert sent[2] == {"role": "tool", "tool_call_id": "t1", "content": "Error: one"}
    assert sent[3] == {"role": "tool", "tool_call_id": "t2", "content": "two"}
    assert sent[4]["content"] == "and this?"


def test_content_is_null_beside_calls_alone() -> None:
    sent = to_chat(user("?"), assistant(call()), user(result()))["messages"]
    assert sent[1]["content"] is None


def test_images_of_results_move_to_the_user() -> None:
    sent = to_chat(user("?"), assistant(call()), user(result(content=[TEXT, IMAGE])))["messages"]
    assert sent[2]["content"] == "and this?"
    assert (sent[3]["role"], sent[3]["content"][0]["type"]) == ("user", "image_url")


def test_thinking_is_dropped_or_replayed() -> None:
    thought = {"type": "thinking", "thinking": "hmm", "signature": "sig"}
    hidden = {"type": "redacted_thinking", "data": "xx"}
    turns = [user("?"), assistant(thought, hidden, call()), user(result())]
    assert "reasoning_content" not in to_chat(*turns)["messages"][1]
    assert to_chat(*turns, target={"model": "deepseek-chat"})["messages"][1]["reasoning_content"] == "hmm"
    bare = [user("?"), assistant(call()), user(result())]
    assert to_chat(*bare, target={"replay_reasoning": True})["messages"][1]["reasoning_content"]


def test_an_assistant_turn_of_thinking_alone_leaves_no_message() -> None:
    thought = {"type": "thinking", "thinking": "hmm", "signature": "sig"}
    assert [message["role"] for message in to_chat(user("a"), assistant(thought), user("b"))["messages"]] == [
        "user"
    ] * 2


def test_a_thought_signature_is_replayed() -> None:
    """7.5, Gemini: by tool id."""
    sent = to_chat(user("?"), assistant(call("c1")), user(result("c1")), target={"signatures": {"c1": "sig"}})
    assert sent["messages"][1]["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "sig"}}


def test_a_call_without_a_result_gets_a_stub() -> None:
    sent = to_chat(user("?"), assistant(call("t1"), call("t2")), user(result("t1"), TEXT))["messages"]
    assert [message.get("tool_call_id") for message in sent[2:4]] == ["t1", "t2"]
    assert "interrupted" in sent[3]["content"]


def test_a_call_at_the_very_end_gets_a_stub() -> None:
    assert to_chat(user("?"), assistant(call("t1")))["messages"][-1]["tool_call_id"] == "t1"


def test_an_orphaned_result_is_dropped() -> None:
    assert to_chat(user(result("t9"), TEXT))["messages"] == [{"role": "user", "content": "and this?"}]


def test_a_late_result_is_moved_behind_its_call_and_a_second_one_dropped() -> None:
    turns = [
        user("?"),
        assistant(call("t1")),
        user("wait"),
        assistant("ok"),
        user(result("t1", "late"), result("t1", "x")),
    ]
    sent = to_chat(*turns)["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "tool", "user", "assistant"]
    assert sent[2]["content"] == "late"


def test_an_id_that_is_used_again_keeps_its_own_results() -> None:
    turns = [user("?"), assistant(call("c")), user(result("c", "1")), assistant(call("c")), user(result("c", "2"))]
    assert [m["content"] for m in to_chat(*turns)["messages"] if m["role"] == "tool"] == ["1", "2"]


def test_a_result_is_not_taken_for_an_earlier_call_of_the_same_id() -> None:
    turns = [user("?"), assistant(call("c")), user("go on"), assistant(call("c")), user(result("c", "2"))]
    first, second = [m["content"] for m in to_chat(*turns)["messages"] if m["role"] == "tool"]
    assert "interrupted" in first
    assert second == "2"


def test_unknown_fields_survive_in_the_own_dialect_alone() -> None:
    """7.4."""
    more: dict[str, Any] = {"context_management": {"edits": []}, "mcp_servers": [], "thinking": {"type": "adaptive"}}
    assert more.items() <= translated("anthropic", "anthropic", messages(**more)).items()
    assert not {"context_management", "mcp_servers", "thinking"} & set(to_chat(**more))


def test_turns_become_items() -> None:
    thought = {"type": "thinking", "thinking": "hmm", "signature": "jackfield:responses:enc"}
    turns = [
        user(IMAGE, PDF, TEXT),
        assistant(thought, {"type": "text", "text": "I look."}, call(place="A")),
        user(result(), TEXT),
    ]
    body = to_responses(*turns, system="Be brief.", tools=[WEATHER], thinking={"type": "adaptive"}, stream=True)
    assert body["instructions"] == "Be brief."
    assert [(item["type"], item.get("role")) for item in body["input"]] == [
        ("message", "user"),
        ("reasoning", None),
        ("message", "assistant"),
        ("function_call", None),
        ("function_call_output", None),
        ("message", "user"),
    ]
    assert [part["type"] for part in body["input"][0]["content"]] == ["input_image", "input_file", "input_text"]
    assert body["input"][1] == {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "hmm"}],
        "encrypted_content": "enc",
    }
    assert body["input"][2]["content"] == [{"type": "output_text", "text": "I look."}]
    assert body["input"][3]["arguments"] == '{"place":"A"}'
    assert (body["input"][4]["call_id"], body["input"][4]["output"]) == ("toolu_01", "12 degrees")
    assert body["tools"][0] == {
        "type": "function",
        "strict": False,
        "name": "get_weather",
        "description": "Weather of a place.",
        "parameters": WEATHER["input_schema"],
    }
    assert (body["store"], body["include"], body["max_output_tokens"]) == (False, ["reasoning.encrypted_content"], 256)
    assert body["stream"] is True
    assert "stream_options" not in body


def test_foreign_reasoning_is_not_sent_as_encrypted() -> None:
    thought = {"type": "thinking", "thinking": "hmm", "signature": "anthropics own"}
    body = to_responses(user("?"), assistant(thought, call()), user(result()))
    assert "reasoning" not in [item["type"] for item in body["input"]]


def test_reasoning_of_others_is_not_sent_to_anthropic_as_its_own() -> None:
    """What an earlier turn through another provider left in the history."""
    kept = [
        {"type": "thinking", "thinking": "a", "signature": "sig"},
        {"type": "thinking", "thinking": "b", "signature": "jackfield:responses:enc"},
        {"type": "thinking", "thinking": "c", "signature": "jackfield:chat:"},
        {"type": "redacted_thinking", "data": "jackfield:responses:enc"},
        {"type": "text", "text": "d"},
    ]
    body = translated("anthropic", "anthropic", messages(user("?"), assistant(*kept), user("x")))
    assert body["messages"][1]["content"] == [kept[0], kept[-1]]


def test_results_with_images_are_lists() -> None:
    body = to_responses(user("?"), assistant(call()), user(result(content=[TEXT, IMAGE])))
    assert [part["type"] for part in body["input"][-1]["output"]] == ["input_text", "input_image"]


def test_items_nest_into_turns_for_anthropic() -> None:
    body = translated("responses", "anthropic", codex(*HISTORY, tools=TOOLS, reasoning={"effort": "high"}))
    assert [block["text"] for block in body["system"]] == ["You are Codex.", "Sandbox: off."]
    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]
    assert body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "hmm", "signature": "sig"},
        {"type": "tool_use", "id": "c1", "name": "shell", "input": {"command": ["ls"]}},
        {"type": "tool_use", "id": "c2", "name": "apply_patch", "input": {"input": "*** Begin"}},
    ]
    assert [block["tool_use_id"] for block in body["messages"][2]["content"]] == ["c1", "c2"]
    assert [tool["name"] for tool in body["tools"]] == ["shell", "apply_patch"]
    assert body["tools"][1]["input_schema"]["required"] == ["input"]
    assert "start: patch" in body["tools"][1]["description"]
    assert body["thinking"]["type"] == "enabled"
    assert body["max_tokens"] > body["thinking"]["budget_tokens"]


def test_items_nest_into_messages_for_chat() -> None:
    body = translated("responses", "chat", codex(*HISTORY, tools=TOOLS, stream=True))
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    calls = [made["function"] for made in body["messages"][2]["tool_calls"]]
    assert json.loads(calls[1]["arguments"]) == {"input": "*** Begin"}
    assert body["stream_options"] == {"include_usage": True}


def test_a_history_that_begins_with_the_assistant_gets_a_user() -> None:
    body = translated("responses", "anthropic", codex(said("assistant", "hello"), said("user", "x")))
    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]


def test_namespaces_are_flattened() -> None:
    tools = [{"type": "namespace", "name": "github", "tools": [SHELL]}]
    past = {"type": "function_call", "call_id": "c", "name": "shell", "namespace": "github", "arguments": "{}"}
    body = translated("responses", "chat", codex(said("user", "x"), past, tools=tools))
    assert body["tools"][0]["function"]["name"] == "github__shell"
    assert body["messages"][2]["tool_calls"][0]["function"]["name"] == "github__shell"


def test_stored_history_is_refused_clearly() -> None:
    with pytest.raises(DialectError, match="previous_response_id") as caught:
        translated("responses", "chat", codex(said("user", "x"), previous_response_id="resp_1"))
    assert caught.value.status == 400


def test_chat_messages_become_turns() -> None:
    body = {
        "model": "m",
        "max_completion_tokens": 99,
        "messages": [
            {"role": "developer", "content": "Be brief."},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "this?"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
                    {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QUE="}},
                ],
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "call:1/x", "type": "function", "function": {"name": "f", "arguments": "not json"}},
                ],
            },
            {"role": "tool", "tool_call_id": "call:1/x", "content": "ok"},
        ],
        "stop": "END",
        "user": "u",
    }
    made = translated("chat", "anthropic", body)
    assert made["system"] == [{"type": "text", "text": "Be brief."}]
    assert [block["type"] for block in made["messages"][0]["content"]] == ["text", "image", "document"]
    (call_made,) = made["messages"][1]["content"]
    assert call_made["input"] == {}
    assert names._FIT(call_made["id"])
    assert made["messages"][2]["content"][0]["tool_use_id"] == call_made["id"]
    assert (made["max_tokens"], made["stop_sequences"], made["metadata"]) == (99, ["END"], {"user_id": "u"})


def test_legacy_functions() -> None:
    body = {
        "model": "m",
        "functions": [{"name": "f", "parameters": {}}],
        "function_call": {"name": "f"},
        "messages": [
            user("x"),
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "ok"},
        ],
    }
    made = translated("chat", "anthropic", body)
    assert made["tool_choice"] == {"type": "tool", "name": "f"}
    assert [turn["content"][0]["type"] for turn in made["messages"][1:]] == ["tool_use", "tool_result"]


@pytest.mark.parametrize(
    ("dialect", "body", "named"),
    [
        ("anthropic", [], "not a JSON object"),
        ("anthropic", {"messages": []}, "model"),
        ("anthropic", {"model": "m", "messages": "x"}, "messages"),
        ("anthropic", messages(user(7)), "messages.0.content"),
        ("anthropic", messages({"role": "x", "content": "y"}), "messages.0.role"),
        ("anthropic", messages(user({"type": "tool_use", "id": "x"})), "messages.0.content.0.name"),
        ("anthropic", messages(temperature="hot"), "temperature"),
        ("anthropic", messages(max_tokens=0), "max_tokens"),
        ("anthropic", messages(tools=[{"description": "x"}]), "tools.0.name"),
        ("anthropic", messages(tool_choice={"type": "some"}), "tool_choice.type"),
        ("chat", {"model": "m", "messages": [{"role": "tool", "content": "x"}]}, "messages.0.tool_call_id"),
        ("chat", {"model": "m", "messages": [], "n": 2}, "n:"),
        ("chat", {"model": "m", "messages": [], "tool_choice": 7}, "tool_choice"),
        ("responses", {"model": "m", "input": [{"type": "function_call", "name": "f"}]}, "input.0.call_id"),
        ("responses", {"model": "m", "input": [], "tools": [{"name": "f"}]}, "tools.0.type"),
    ],
)
def test_bad_requests_name_the_field(dialect: Any, body: Any, named: str) -> None:
    with pytest.raises(DialectError, match=named) as caught:
        of(dialect).parse_request(encoded(body))
    assert (caught.value.status, caught.value.kind) == (400, "invalid_request_error")


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000], ids=range(5))
def test_what_is_no_json_is_400(body: bytes) -> None:
    with pytest.raises(DialectError) as caught:
        of("anthropic").parse_request(body)
    assert caught.value.status == 400


def test_half_surrogates_in_a_request_reach_the_provider_as_text() -> None:
    body = b'{"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "a\\ud83d b \\ud83d\\ude80"}]}'
    from jackfield.api.dialects.model import UpstreamModel

    made = json.loads(of("chat").build_request(of("anthropic").parse_request(body), UpstreamModel("m")))
    assert made["messages"][0]["content"] == "a\ufffd b 🚀"
