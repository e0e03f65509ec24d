"""What is kept of a session's messages, and what never is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.agent_protocols import AgentSaid, TextAdded, ToolCalled, UserSaid
from jackfield_agent_sessions.session.hiding import SecretsHidden
from jackfield_agent_sessions.session.history import MessageHistory
from jackfield_agent_sessions.session.pipes import LineSplitter
from jackfield_agent_sessions.settings import AgentSessionSettings

SECRET = "abcab"
pieces = st.lists(st.text(alphabet="abcx", max_size=6), max_size=30)


def history(secrets: Sequence[str] = (), **settings: int) -> MessageHistory:
    return MessageHistory(
        AgentSessionSettings.model_validate(settings), SecretsHidden(secrets, lambda text: text), lambda: 0
    )


@given(pieces)
def test_no_split_of_a_text_shows_a_secret(given: list[str]) -> None:
    kept = history([SECRET])
    shown = "".join(kept.add(TextAdded("t", "text", piece))[1] for piece in given)
    assert SECRET not in shown
    finished = kept.finish()
    if given:
        assert finished is not None
        assert isinstance(finished.message, AgentSaid)
        assert finished.message.text.startswith(shown)
        assert SECRET not in finished.message.text
        assert finished.message.text.replace("***", SECRET) == "".join(given)


def test_a_secret_is_hidden_in_the_input_of_a_tool() -> None:
    kept = history([SECRET]).keep("c", ToolCalled(call="c", tool="t", input={"a": [SECRET, 1], SECRET: None}))
    assert isinstance(kept.message, ToolCalled)
    assert kept.message.input == {"a": ["***", 1], "***": None}


def test_a_text_grows_until_it_is_complete() -> None:
    kept = history()
    first, shown = kept.add(TextAdded("t", "text", "Hel"))
    assert (shown, first.complete, first.id) == ("Hel", False, 1)
    kept.add(TextAdded("t", "text", "lo"))
    kept.keep("t", AgentSaid(text="Hello!"))
    (found,) = kept.since(0)
    assert (found.message, found.complete, found.revision) == (AgentSaid(text="Hello!"), True, 3)
    assert kept.since(3) == []
    assert kept.finish() is None


def test_the_oldest_messages_are_forgotten() -> None:
    kept = history(history_messages=10)
    for number in range(25):
        kept.keep(str(number), UserSaid(text=str(number)))
    assert kept.forgotten == 15
    assert [one.id for one in kept.since(0)] == list(range(16, 26))


def test_the_memory_of_all_messages_is_bounded() -> None:
    kept = history(history_bytes=64 * 1024, message_limit=32 * 1024)
    for number in range(10):
        for _ in range(4):
            kept.add(TextAdded(str(number), "text", "x" * 8_000))
    assert sum(len(one.message.model_dump_json()) for one in kept.since(0)) < 80 * 1024
    assert kept.forgotten >= 7


def test_what_is_too_long_is_cut_and_says_so() -> None:
    kept = history(message_limit=1024)
    text = kept.keep("a", UserSaid(text="é" * 2000)).message
    assert isinstance(text, UserSaid)
    assert (text.cut, len(text.text.encode())) == (True, 1024)
    call = kept.keep("b", ToolCalled(call="c", tool="Write", input={"content": "x" * 5000})).message
    assert isinstance(call, ToolCalled)
    assert (call.cut, call.input, call.tool) == (True, None, "Write")
    for _ in range(3):
        growing, _ = kept.add(TextAdded("d", "text", "y" * 500))
    assert isinstance(growing.message, AgentSaid)
    assert (growing.message.cut, len(growing.message.text)) == (True, 1024)


@given(st.lists(st.binary(max_size=12).map(lambda data: data.replace(b"\n", b"")), max_size=8), st.integers(1, 7))
def test_lines_are_the_same_however_they_come(lines: list[bytes], size: int) -> None:
    data = b"".join(line + b"\n" for line in lines) + b"rest"
    splitter = LineSplitter(8)
    found = [line for start in range(0, len(data), size) for line in splitter.feed(data[start : start + size])]
    assert found == [line for line in lines if len(line) <= 8]
    assert splitter.lost == sum(len(line) > 8 for line in lines)


@pytest.mark.parametrize(("text", "shown"), [("xabc", "x"), ("xabcab", "x***"), ("xab-", "xab-"), ("a", "")])
def test_the_beginning_of_a_secret_waits(text: str, shown: str) -> None:
    assert SecretsHidden([SECRET], lambda one: one).split(text)[0] == shown
