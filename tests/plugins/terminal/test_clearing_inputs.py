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
    """The agent, its session, and what is seen of it. deaf: it takes no text; stuck: what does nothing."""

    bracketed_paste = False

    def __init__(self, text: str = "", *, deaf: bool = False, stuck: tuple[bytes, ...] = ()) -> None:
        self.text, self.deaf, self.stuck = text, deaf, stuck
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
        elif not self.deaf and data.decode().isprintable():
            self.text += data.decode()

    async def snapshot(self) -> object:
        lines = [f"  ┃  {line}" for line in (self.text or PLACEHOLDER).split("\n")]
        return snapshot(("", "  ┃", *lines, "  ┃", "  ┃  Build · a model", "  ╹▀▀▀▀▀▀"), row=1 + len(lines))

    async def until(self, judge: ScreenJudge, met: Callable[[Look], bool], _seconds: float) -> tuple[Look, bool]:
        look = judge.look(await self.snapshot())  # type: ignore[arg-type]
        return look, met(look)


def sender_of(agent: OpenCode) -> MessageSender:
    return MessageSender(agent, None, TerminalSettings())  # type: ignore[arg-type]


@pytest.mark.parametrize("content", ["ok", "a", "test", "hello there"])
def test_a_placeholder_is_an_empty_input(content: str) -> None:
    assert is_empty(look_at("opencode", "ready-start"), content)


@pytest.mark.parametrize(
    "agent",
    [OpenCode(deaf=True), OpenCode("a draft", stuck=(b"\x15",))],
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
