"""The patterns of shipped manifests against screens of the real agents, recorded as they came, and what is read from
them. A file's name begins with what it shows."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from jackfield.api.agent_screens import ScreenLooks
from jackfield_terminal.driving.answers import Turn, answer_in
from jackfield_terminal.driving.looks import UNNAMED, Look, ScreenJudge
from jackfield_terminal.driving.sending import holds, is_empty, may_complete
from jackfield_terminal.screen.snapshot import Snapshot

MANIFESTS = Path(__file__).parents[3] / "manifests/agents"
SCREENS = Path(__file__).parent / "screens"
RECORDED = sorted(SCREENS.glob("*/*.txt"))


def judge_of(agent: str) -> ScreenJudge:
    return ScreenJudge(ScreenLooks.model_validate(tomllib.loads((MANIFESTS / f"{agent}.toml").read_text())["screen"]))


def snapshot(lines: tuple[str, ...], title: str = "", row: int = 0) -> Snapshot:
    return Snapshot(100, len(lines), lines, row, 0, True, False, title, 0)


def recorded(agent: str, name: str) -> Snapshot:
    title, cursor, *lines = (SCREENS / agent / f"{name}.txt").read_text().splitlines()
    return snapshot(tuple(lines), title.removeprefix("title: "), int(cursor.removeprefix("cursor: ")))


def look_at(agent: str, name: str) -> Look:
    return judge_of(agent).look(recorded(agent, name))


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_recorded_screen_shows_what_it_is_called(file: Path) -> None:
    assert look_at(file.parent.name, file.stem).shows == file.stem.split("-")[0]


@pytest.mark.parametrize("agent", sorted({file.parent.name for file in RECORDED}))
def test_an_empty_screen_is_not_ready(agent: str) -> None:
    look = judge_of(agent).look(snapshot(("",) * 24))
    assert (look.shows, look.blank) == ("unknown", True)


@pytest.mark.parametrize(
    ("agent", "name", "begins", "options"),
    [
        ("claude", "trusting", "Accessing workspace:", ["Yes, I trust this folder", "No, exit"]),
        ("claude", "asking-command", "Bash command\n\n  touch made.txt && echo done",
         ["Yes", "Yes, and always allow access to project/ from this project", "No"]),
        ("claude", "asking-write", "Create file\na.txt",
         ["Yes", "Yes, allow all edits during this session (shift+tab)", "No"]),
        ("codex", "trusting", "Folder access\n/home/me/work/of/project",
         ["Trust and continue", "Back to Agent Command Center"]),
        ("codex", "asking-command", "Would you like to run the following command?",
         ["Yes, proceed (y)", "Yes, and don't ask again for commands that start with `touch made.txt` (p)",
          "No, and tell Codex what to do differently (esc)"]),
        ("opencode", "asking-directory", "△ Permission required\n  ← Access external directory /opt",
         ["Allow once", "Allow always", "Reject"]),
        ("opencode", "asking-command", "△ Permission required\n  # Shell command\n\n$ touch",
         ["Allow once", "Allow always", "Reject"]),
        ("qwen", "asking-command", "?  Shell touch made.txt && echo done",
         ["Yes, allow once", "Always allow run 'touch *' commands in this project",
          "Always allow run 'touch *' commands for this user", "No, suggest changes (esc)"]),
    ],
)  # fmt: skip
def test_a_dialog_has_its_text_and_options(agent: str, name: str, begins: str, options: list[str]) -> None:
    dialog = look_at(agent, name).dialog
    assert dialog is not None
    assert dialog.text.startswith(begins)
    assert not set("─│╭╰❯›") & set(dialog.text)
    assert [option.text for option in dialog.options] == options
    assert [option.number for option in dialog.options] == list(range(1, len(options) + 1))
    assert [option.selected for option in dialog.options] == [True] + [False] * (len(options) - 1)


def test_words_above_a_dialog_do_not_tell_its_kind() -> None:
    screen = recorded("claude", "asking-command")
    look = judge_of("claude").look(snapshot(("● 1. Yes, I trust this folder", *screen.lines)))
    assert look.shows == "asking"


ANSWER = "The word is cormorant.\n\n- one\n- two\n\nprint(1)\n\nAnd so on."


@pytest.mark.parametrize(
    ("agent", "name", "said", "answer"),
    [
        ("claude", "ready-start", "", ""),
        ("claude", "busy-begun", "hello there", ""),
        ("claude", "ready-answered", "hello there", ANSWER),
        ("claude", "ready-typed", "hello there", None),
        ("claude", "busy-tip", "run it", ""),
        ("claude", "asking-command", "run it", "I shall run it.\n\nBash(touch made.txt && echo done)\n⎿  Waiting…"),
        ("claude", "ready-after-command", "run it",
         "I shall run it.\n\nBash(touch made.txt && echo done)\n⎿  done\n\nIt is done."),
        ("claude", "ready-after-shell", "!echo hi_bash", "⎿  hi_bash\n\nAnswer 1."),
        ("codex", "ready-after-shell", "!echo hi_bash", "└ hi_bash"),
        ("codex", "ready-sent", "run it", ""),
        ("codex", "busy-begun", "run it", ""),
        ("codex", "ready-answered", "one\ntwo\n\nthree", "Yes."),
        ("opencode", "ready-sent", "hello there", None),
        ("opencode", "ready-shown", "hello there", ""),
        ("opencode", "busy-begun", "hello there", ""),
        ("opencode", "ready-early", "hello there", ""),
        ("opencode", "ready-answered", "hello there", ANSWER),
        ("opencode", "asking-command", "run\n\nit", "I shall run it.\n\n$ touch /opt/made.txt && echo done"),
        ("qwen", "ready-answered", "one\ntwo\n\nthree", "Yes."),
        ("qwen", "busy-lines", "one\ntwo\n\nthree", ""),
    ],
)  # fmt: skip
def test_the_answer_has_no_boxes_and_hints(agent: str, name: str, said: str, answer: str | None) -> None:
    judge, screen = judge_of(agent), recorded(agent, name)
    look = judge.look(screen)
    # A message that is typed and not yet sent has no answer: what stands above the input stood there before it.
    turn = Turn(tuple(look.said) if answer is None else (), said)
    assert answer_in(judge, look, turn) == (answer or "")


@pytest.mark.parametrize(
    ("agent", "name", "content", "shown"),
    [
        ("claude", "ready-typed", "hello there", True),
        ("claude", "ready-two-lines", "line one\nline two", True),
        ("claude", "ready-two-lines", "line two", False),
        ("claude", "ready-start", "hello there", False),
        ("claude", "ready-answered", "hello there", False),
        ("claude", "busy-queued", "while busy", False),
        ("claude", "ready-shell", "!echo hi_bash", True),
        ("claude", "ready-shell", "echo hi_bash", False),
        ("codex", "ready-shell", "!echo hi_bash", True),
        ("codex", "ready-shell", "echo hi_bash", False),
        ("claude", "trusting", "hello there", False),
        ("codex", "ready-typed", "run it", True),
        ("codex", "ready-lines", "one\ntwo\n\nthree", True),
        ("codex", "ready-sent", "run it", False),
        ("opencode", "ready-typed", "hello there", True),
        ("opencode", "ready-lines", "run\n\nit", True),
        ("opencode", "ready-sent", "hello there", False),
        ("opencode", "ready-answered", "hello there", False),
        ("qwen", "ready-typed", "run it", True),
        ("qwen", "ready-lines", "one\ntwo\n\nthree", True),
        ("qwen", "ready-sent", "run it", False),
    ],
)  # fmt: skip
def test_the_input_shows_a_message_or_not(agent: str, name: str, content: str, shown: bool) -> None:
    judge = judge_of(agent)
    assert holds(judge, judge.look(recorded(agent, name)), content) is shown


@pytest.mark.parametrize("agent", ["claude", "codex"])
@pytest.mark.parametrize("name", ["ready-shell", "ready-shell-empty", "ready-after-shell"])
def test_an_input_in_another_mode_is_not_empty(agent: str, name: str) -> None:
    look = look_at(agent, name)
    assert (look.mode, is_empty(look)) == (("", True) if "after" in name else ("!", False))


@pytest.mark.parametrize(("agent", "mode"), [("opencode", UNNAMED), ("qwen", "!")])
@pytest.mark.parametrize("name", ["ready-shell", "ready-shell-empty"])
def test_nothing_is_said_in_a_mode_for_commands(agent: str, mode: str, name: str) -> None:
    judge, look = judge_of(agent), look_at(agent, name)
    assert look.mode == mode
    assert not is_empty(look)
    assert not holds(judge, look, "ls")


def test_a_completed_name_is_still_in_the_input() -> None:
    assert not is_empty(look_at("claude", "ready-completed"))
    assert [may_complete(text) for text in ("@made", "see @made", "see\n/x", "a @made b", "a/b", "@made ")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


def test_what_stands_for_a_long_text_is_known() -> None:
    judge = judge_of("claude")
    rule = "─" * 40
    look = judge.look(snapshot((rule, "❯\xa0[Pasted text #1 +40 lines]", rule, "  ? for shortcuts")))
    assert holds(judge, look, "a line\n" * 41)


def test_what_is_below_an_input_without_a_rule_is_not_typed() -> None:
    """A path may be too long for its line."""
    judge = judge_of("codex")
    lines = ("› Say the word.", "", "  some-model default · /home/me/a/long/", "a_long_name")
    assert holds(judge, judge.look(snapshot(lines)), "Say the word.")
    assert not holds(judge, judge.look(snapshot(lines, row=3)), "Say the word.")


def test_of_a_long_message_the_end_may_be_all_that_is_left_on_the_screen() -> None:
    judge = judge_of("claude")
    rule = "─" * 40
    lines = ("  line 3", "  line 4", "", "● line 4 it is.", "", rule, "❯\xa0", rule, "  ? for shortcuts")
    said = "\n".join(f"line {number}" for number in range(5))
    assert answer_in(judge, judge.look(snapshot(lines)), Turn(("other",), said)) == "line 4 it is."
    judge = judge_of("opencode")
    lines = ("  ┃  line 3", "  ┃  line 4", "  ┃", "", "     line 4 it is.", "", "  ┃", "  ┃", "  ╹▀▀▀▀▀▀▀")
    assert answer_in(judge, judge.look(snapshot(lines)), Turn(("other",), said)) == "line 4 it is."


def test_the_agents_own_words_are_no_dialog_and_no_work() -> None:
    """Where the keys of a dialog stand is below what an agent says."""
    screen = recorded("claude", "ready-answered")
    words = ("● Yes, I trust this folder", "  Esc to cancel · Tab to amend", "  ✻ Working…", "❯ hello")
    assert judge_of("claude").look(snapshot((*words, *screen.lines), screen.title)).shows == "ready"


@pytest.mark.parametrize(
    "table",
    [{}, {"input": ["x"]}, {"input": [], "busy": ["x"]}, {"input": ["x"], "busy": ["x" * 201]},
     {"input": ["x"], "busy": ["a\nb"]}, {"input": ["x"], "busy": ["x"], "asking": {"last": []}},
     {"input": ["x"], "busy": ["x"], "clear": []}, {"input": ["x"], "busy": ["x"], "clear": ["bogus"]},
     {"input": ["x"], "busy": ["x"], "asking": {"last": ["x"], "yes": ["enter", "return"]}},
     {"input": ["x"], "busy": ["x"], "trusting": {"last": ["x"], "no": ["ctrl-"]}}],
)  # fmt: skip
def test_a_table_that_is_none(table: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ScreenLooks.model_validate(table)


@given(st.lists(st.text(max_size=60), max_size=12), st.text(max_size=40), st.text(max_size=20))
def test_any_screen_can_be_looked_at(lines: list[str], said: str, title: str) -> None:
    screen = snapshot(tuple(lines), title)
    for agent in ("claude", "codex", "opencode", "qwen"):
        judge = judge_of(agent)
        look = judge.look(screen)
        assert look.shows in ("ready", "busy", "asking", "trusting", "unknown")
        assert isinstance(answer_in(judge, look, Turn((), said)), str)
        holds(judge, look, said)
