"""What the protocols make of conversations with real agents: Claude Code 2.1.197, Codex 0.169, OpenCode 1.18 and Qwen
Code 0.15, as they were written down."""

from __future__ import annotations

from typing import Any

import pytest
from replaying import PROTOCOL_OF, dialogue_of, replayed

ASKED = ("tool_call", "permission", "tool_result")
PLAIN = ("text", "usage", "turn_end")
TYPES = {
    "claude": [
        *PLAIN, "text", *ASKED, *PLAIN, "text", *ASKED, *PLAIN, *ASKED, "usage", "turn_end", *ASKED, "usage", "turn_end"
    ],
    "codex": [
        *PLAIN, "text", *ASKED, "usage", *PLAIN, "text", *ASKED, "usage", *PLAIN,
        "tool_call", "permission", "usage", "turn_end", "tool_call", "permission", "usage", "turn_end",
    ],
    "opencode": [
        *PLAIN, "text", "tool_call", "tool_result", *PLAIN, "text", "tool_call", "tool_result", *PLAIN,
        "tool_call", "tool_result",
    ],
    "qwen": [
        *PLAIN, "text", "usage", *ASKED, *PLAIN, "text", "usage", "tool_call", "permission", *PLAIN,
        "usage", "tool_call", "tool_result", *PLAIN,
    ],
}  # fmt: skip
TEXTS = {
    "claude": ["Hello there, my friend.", "I run.", "Done.", "I run.", "Done."],
    "codex": ["Hello there, my friend.", "I run.", "Done.", "I run.", "Done."],
    "opencode": ["Hello there, my friend.", "I run.", "Done.", "I run.", "Done."],
    "qwen": ["Hello there, my friend.", "I run.", "Done.", "I run.", "Done.", "Aside"],
}
PERMISSIONS = {
    "claude": [("answered", "allow"), ("answered", "reject"), ("answered", "allow"), ("withdrawn", None)],
    "codex": [("answered", "accept"), ("answered", "decline"), ("answered", "accept"), ("withdrawn", None)],
    "opencode": [],
    "qwen": [("answered", "proceed_once"), ("answered", "cancel")],
}


def of(messages: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [message for message in messages if message["type"] == kind]


@pytest.mark.parametrize("agent", PROTOCOL_OF)
def test_messages_come_in_their_order(agent: str) -> None:
    messages = replayed(agent).messages()
    assert [message["type"] for message in messages] == TYPES[agent]
    assert [message["text"] for message in of(messages, "text")] == TEXTS[agent]


@pytest.mark.parametrize("agent", PROTOCOL_OF)
def test_permissions_are_answered_for_the_call_that_they_are_about(agent: str) -> None:
    messages = replayed(agent).messages()
    asked = of(messages, "permission")
    assert [(message["state"], message["answer"]) for message in asked] == PERMISSIONS[agent]
    calls = {message["call"]: message for message in of(messages, "tool_call")}
    for message in asked:
        assert calls[message["call"]]["input"] == message["input"]
        assert {"allow_once", "reject_once"} <= {option["kind"] for option in message["options"]}


@pytest.mark.parametrize("agent", PROTOCOL_OF)
def test_tokens_are_those_of_each_turn(agent: str) -> None:
    spent = of(replayed(agent).messages(), "usage")
    assert (spent[0]["input_tokens"], spent[0]["output_tokens"]) == (10, 5)
    first_turn_with_a_tool = 1 if agent in ("claude", "opencode") else 2
    last = {"claude": (21, 11)}.get(agent, (11, 6))
    found = spent[first_turn_with_a_tool]
    assert (found["input_tokens"], found["output_tokens"]) == last


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_an_interrupted_turn_is_no_failed_one(agent: str) -> None:
    messages = replayed(agent).messages()
    assert [message["reason"] for message in of(messages, "turn_end")] == ["completed"] * 3 + ["interrupted"] * 2
    assert of(messages, "error") == []


def test_a_session_is_named() -> None:
    assert replayed("claude").sessions == [None, "e5fa93b5-4700-415f-aea9-2ffaf559b989"]
    for agent in ("codex", "opencode", "qwen"):
        (name,) = replayed(agent).sessions
        assert name


def test_claude_is_allowed_the_suggested_rule_alone_and_for_the_session_alone() -> None:
    dialogue = dialogue_of("claude")
    suggested = [
        {"type": "addRules", "rules": [{"toolName": "Bash"}], "behavior": "allow", "destination": "localSettings"},
        {"type": "addDirectories", "directories": ["/"], "destination": "session"},
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
    ]
    request = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "permission_suggestions": suggested}
    dialogue.received({"type": "control_request", "request_id": "1", "request": request})  # type: ignore[dict-item]
    frame: Any
    frame, _ = dialogue.answer("1", "allow_for_session", "")
    decision = frame.frame["response"]["response"]
    assert decision["updatedPermissions"] == [{**suggested[0], "destination": "session"}]
