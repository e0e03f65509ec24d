"""How the input of an agent is emptied, with an agent that ends itself on ctrl-c in an empty input."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jackfield.api.errors import Conflict
from jackfield_terminal.driving.looks import Look, ScreenJudge
from jackfield_terminal.driving.sending import MessageSender, is_empty
from jackfield_terminal.settings import TerminalSettings

from .test_screen_looks import judge_of, look_at, snapshot

PLACEHOLDER = 'Ask anything… "Fix broken tests"'


class OpenCode:
    """The agent, its session, and what is seen of it. takes: what it makes of a text; stuck: what does nothing."""

    bracketed_paste = False

    def __init__(self, text: str = "", takes: Callable[[str], str] = str, stuck: tuple[bytes, ...] = ()) -> None:
        self.text, self.takes, self.stuck = text, takes, stuck
        self.pressed: list[bytes] = []
        self.ended = False
        self.session = self.screen = self

    async def write(self, data: bytes) -> None:
        self.pressed.append(data)
        if data in self.stuck:
            return
        if data == b"\x15":
            self.text = self.text.rpartition("\n")[0]
        elif data == b"\x03":
            self.ended = self.ended or not self.text
            self.text = ""
        elif data.decode().isprintable():
            self.text += self.takes(data.decode())

    async def snapshot(self) -> object:
        lines = [f"  ┃  {line}" for line in (self.text or PLACEHOLDER).split("\n")]
        return snapshot(("", "  ┃", *lines, "  ┃", "  ┃  Build · a model", "  ╹▀▀▀▀▀▀"), row=1 + len(lines))

    async def until(self, judge: ScreenJudge, met: Callable[[Look], bool], _seconds: float) -> tuple[Look, bool]:
        look = judge.look(await self.snapshot())  # type: ignore[arg-type]
        return look, met(look)


def nothing(_text: str) -> str:
    return ""


def sender_of(agent: OpenCode) -> MessageSender:
    return MessageSender(agent, None, TerminalSettings())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("agent", "name"),
    [("claude", "start"), ("codex", "start"), ("opencode", "start"), ("opencode", "answered"), ("qwen", "start")],
)
def test_a_placeholder_is_an_empty_input_and_a_draft_is_not(agent: str, name: str) -> None:
    assert is_empty(look_at(agent, f"ready-{name}"))
    assert not is_empty(look_at(agent, "ready-typed"))


def test_a_draft_below_the_cursor_is_not_nothing() -> None:
    rule = "─" * 40
    look = judge_of("claude").look(snapshot((rule, "❯", "  a draft", rule, "  ? for shortcuts"), row=1))
    assert not is_empty(look)


async def test_a_draft_of_somebody_that_is_left_is_told() -> None:
    """Each ctrl-u takes a line of it."""
    agent = OpenCode("a\ndraft\nof\nlines", nothing, stuck=(b"\x03",))
    with pytest.raises(Conflict) as refused:
        await sender_of(agent).send(judge_of("opencode"), "test")
    assert agent.text == "a\ndraft"
    assert [*(refused.value.details or {})] == ["input"]


async def test_an_input_that_looks_as_before_may_be_empty() -> None:
    """The manifest of an agent may not know what it shows in an empty one."""
    agent = OpenCode(takes=lambda _: "other")
    looks = judge_of("opencode").looks.model_copy(update={"placeholders": ()})
    with pytest.raises(Conflict) as refused:
        await sender_of(agent).send(ScreenJudge(looks), "test")
    assert not agent.ended
    assert (refused.value.code, [*(refused.value.details or {})]) == ("MESSAGE_NOT_TYPED", ["input"])


@pytest.mark.parametrize(
    "agent",
    [OpenCode(takes=nothing), OpenCode("a draft", stuck=(b"\x15",))],
    ids=["empty", "unchanged"],
)
async def test_clearing_ends_no_agent(agent: OpenCode) -> None:
    """Not on an input that looks empty, nor where a key before has changed nothing that is seen."""
    left = agent.text
    with pytest.raises(Conflict) as refused:
        await sender_of(agent).send(judge_of("opencode"), "test")
    assert refused.value.code == "MESSAGE_NOT_TYPED"
    assert not agent.ended
    if agent.stuck:
        assert agent.pressed == [b"test", b"\x15"] * 2
        assert (agent.text, [*(refused.value.details or {})]) == (f"{left}testtest", ["input"])
    else:
        assert not refused.value.details
