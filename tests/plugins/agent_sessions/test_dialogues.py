"""What no recording has: refusals, resumed sessions, unknown requests, and frames that make no sense."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replaying import Replay, dialogue_of

from jackfield.api.agent_protocols import MessageKept, PermissionAsked, SendFrame, StartRefused, ToolCalled
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield_agent_sessions.protocols.acp_updates import MOST, MOST_BYTES, TurnUpdates
from jackfield_agent_sessions.protocols.permissions import MOST_OPEN, OpenPermissions

NAMES = ("claude", "codex", "acp")
BEGINNINGS = {
    "claude": [{"type": "control_response", "response": {"subtype": "success", "request_id": "initialize"}}],
    "codex": [{"id": 1, "result": {}}, {"id": 2, "result": {"thread": {"id": "t"}}}],
    "acp": [{"id": 1, "result": {"agentCapabilities": {"loadSession": True}}}, {"id": 2, "result": {"sessionId": "s"}}],
}
ASKING: dict[str, dict[str, Any]] = {
    "claude": {
        "type": "control_request",
        "request_id": "0",
        "request": {"subtype": "can_use_tool", "tool_name": "Write", "input": {"path": "a"}},
    },
    "codex": {"id": 0, "method": "item/fileChange/requestApproval", "params": {"threadId": "t", "itemId": "i"}},
    "acp": {
        "id": 0,
        "method": "session/request_permission",
        "params": {
            "toolCall": {"toolCallId": "c", "kind": "edit"},
            "options": [{"optionId": "no", "name": "No", "kind": "reject_once"}],
        },
    },
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = (
    "type", "subtype", "event", "delta", "message", "content", "content_block", "request", "request_id", "response",
    "id", "method", "params", "result", "error", "update", "sessionUpdate", "toolCall", "toolCallId", "options",
    "item", "turn", "threadId", "tokenUsage", "last", "usage", "_meta", "text", "thinking", "index",
)  # fmt: skip
WORDS = (
    "assistant", "user", "result", "system", "init", "stream_event", "control_request", "can_use_tool",
    "control_response", "content_block_delta", "content_block_start", "text_delta", "tool_use", "tool_result", "text",
    "session/update", "session/request_permission", "agent_message_chunk", "tool_call", "tool_call_update", "completed",
    "item/started", "item/completed", "turn/completed", "commandExecution", "mcpToolCall", "agentMessage", "t",
    "thread/tokenUsage/updated", "item/commandExecution/requestApproval",
)  # fmt: skip
frames = st.recursive(
    st.sampled_from(WORDS) | json_values,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=20,
).filter(lambda value: isinstance(value, dict))


def begun(name: str, **more: Any) -> Replay:
    replay = Replay(dialogue_of(name, **more))
    replay.take(replay.dialogue.begin())
    for frame in BEGINNINGS[name]:
        replay.heard(**frame)
    return replay


@given(st.sampled_from(NAMES), st.lists(frames, max_size=5))
def test_no_frame_breaks_a_dialogue(name: str, told: list[Any]) -> None:
    replay = begun(name)
    for frame in told:
        replay.heard(**frame)
    replay.messages()


@pytest.mark.parametrize("name", NAMES)
def test_a_permission_is_answered_once_and_with_an_option_that_is_offered(name: str) -> None:
    replay = begun(name)
    with pytest.raises(NotFound):
        replay.dialogue.answer("0", "no", "")
    replay.heard(**ASKING[name])
    with pytest.raises(InvalidInput, match="no such option") as caught:
        replay.dialogue.answer("0", "perhaps", "")
    assert "option" in (caught.value.details or {})
    (asked,) = [one for one in replay.messages() if one["type"] == "permission"]
    replay.take(replay.dialogue.answer("0", asked["options"][-1]["id"], ""))
    with pytest.raises(Conflict):
        replay.dialogue.answer("0", asked["options"][-1]["id"], "")


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_request_is_refused(name: str) -> None:
    replay = begun(name)
    before = len(replay.sent)
    replay.heard(type="control_request", request_id="7", request={"subtype": "hook_callback"})
    replay.heard(jsonrpc="2.0", id=7, method="fs/read_text_file", params={})
    (answer,) = replay.sent[before:]
    assert answer.get("error") or answer["response"]["subtype"] == "error"


@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("claude", {"type": "control_response", "response": {"subtype": "error", "request_id": "initialize"}}),
        ("codex", {"id": 1, "error": {"code": -1, "message": "Not today."}}),
        ("acp", {"id": 1, "error": {"code": -1, "message": "Not today.", "data": {"details": "It rains."}}}),
    ],
)
def test_an_agent_may_refuse_to_begin(name: str, frame: dict[str, Any]) -> None:
    dialogue = dialogue_of(name)
    dialogue.begin()
    (step,) = dialogue.received(frame)
    assert isinstance(step, StartRefused)
    assert name == "claude" or "Not today." in step.reason
    assert name != "acp" or "It rains." in step.reason


@pytest.mark.parametrize(
    ("name", "method", "field"), [("codex", "thread/resume", "threadId"), ("acp", "session/load", "sessionId")]
)
def test_a_session_goes_on_by_its_name(name: str, method: str, field: str) -> None:
    replay = begun(name, resume="earlier")
    assert [frame["params"][field] for frame in replay.sent if frame.get("method") == method] == ["earlier"]


def test_an_agent_that_cannot_go_on_says_so() -> None:
    dialogue = dialogue_of("acp", resume="earlier")
    dialogue.begin()
    (step,) = dialogue.received({"id": 1, "result": {"agentCapabilities": {"loadSession": False}}})
    assert isinstance(step, StartRefused)


def test_the_options_of_a_manifest_begin_a_thread_of_codex() -> None:
    replay = begun("codex", options={"approvalPolicy": "untrusted"})
    (start,) = [frame for frame in replay.sent if frame.get("method") == "thread/start"]
    assert start["params"] == {"approvalPolicy": "untrusted", "cwd": "/home/ada/work"}


def test_an_option_of_an_unknown_kind_may_allow_something() -> None:
    replay = begun("acp")
    options = [{"optionId": "later", "name": "For today", "kind": "allow_today"}]
    replay.heard(**{**ASKING["acp"], "params": {**ASKING["acp"]["params"], "options": options}})
    (asked,) = [one for one in replay.messages() if one["type"] == "permission"]
    assert [one["kind"] for one in asked["options"]] == ["allow_once"]


def test_an_interrupted_permission_of_acp_is_told_to_be_cancelled() -> None:
    replay = begun("acp")
    replay.heard(**ASKING["acp"])
    told = [step.frame for step in replay.dialogue.interrupt() if isinstance(step, SendFrame)]
    assert told[0]["method"] == "session/cancel"
    assert told[1] == {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "cancelled"}}}


def test_a_failed_turn_tells_why() -> None:
    replay = begun("codex")
    replay.take(replay.dialogue.say("Hi"))
    replay.heard(id=3, result={"turn": {"id": "u"}})
    turn = {"id": "u", "status": "failed", "error": {"message": "The key is wrong."}}
    replay.heard(method="turn/completed", params={"threadId": "t", "turn": turn})
    assert [(one["type"], one.get("text") or one["reason"]) for one in replay.messages()] == [
        ("error", "The key is wrong."),
        ("turn_end", "failed"),
    ]


def test_an_interruption_of_codex_waits_for_the_name_of_the_turn() -> None:
    replay = begun("codex")
    replay.take(replay.dialogue.say("Hi"))
    before = len(replay.sent)
    replay.take(replay.dialogue.interrupt())
    assert len(replay.sent) == before
    replay.heard(id=3, result={"turn": {"id": "u"}})
    (interruption,) = replay.sent[before:]
    assert interruption["method"] == "turn/interrupt"
    assert interruption["params"] == {"threadId": "t", "turnId": "u"}


def test_a_thread_of_a_subagent_is_not_the_session() -> None:
    replay = begun("codex")
    turn = {"id": "u", "status": "completed"}
    replay.heard(method="turn/completed", params={"threadId": "another", "turn": turn})
    assert replay.messages() == []


def test_permissions_that_are_open_at_once_have_a_limit() -> None:
    permissions = OpenPermissions()
    asked = [PermissionAsked(id=str(n), tool="t", title="", options=()) for n in range(MOST_OPEN + 1)]
    for one in asked[:-1]:
        permissions.ask(one, lambda option, note: {})
    with pytest.raises(Conflict, match=str(MOST_OPEN)):
        permissions.ask(asked[-1], lambda option, note: {})


def test_calls_that_go_on_are_bounded_in_number_and_size() -> None:
    updates = TurnUpdates(count(1))
    large = "x" * (MOST_BYTES // 4)

    def title_after_an_update(call: str) -> str:
        (step,) = updates.called({"toolCallId": call, "rawInput": {"new": True}})
        assert isinstance(step, MessageKept)
        assert isinstance(step.message, ToolCalled)
        return step.message.title

    for number in range(6):
        updates.called({"toolCallId": str(number), "title": f"call {number}", "rawInput": {"content": large}})
    assert title_after_an_update("5") == "call 5"
    assert title_after_an_update("0") == ""
    updates.called({"toolCallId": "huge", "title": "huge", "rawInput": {"content": large * 5}})
    assert title_after_an_update("huge") == "huge"
    assert title_after_an_update("5") == ""
    for number in range(MOST + 1):
        updates.called({"toolCallId": f"small {number}", "title": f"call {number}"})
    assert title_after_an_update("small 0") == ""
    assert title_after_an_update("small 9") == "call 9"
