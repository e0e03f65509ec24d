"""A conversation with an agent whose manifest says how its screen looks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jackfield.api.agent_screens import DialogLooks, ScreenLooks
from jackfield.api.agents import Agent
from jackfield.api.errors import Conflict
from jackfield.testing.node_runs import FakeNodeRun, items
from jackfield_terminal.driving import answering, conversation, sending
from jackfield_terminal.driving.turns import MessageTurns
from jackfield_terminal.hub import Hub
from jackfield_terminal.screen.keys import sequence
from jackfield_terminal.session.keystrokes import Keystrokes
from jackfield_terminal.session.session import Session
from jackfield_terminal.session_node import SessionNode
from jackfield_terminal.settings import TerminalSettings

from .conftest import DEADLINE, FakeProfiles, python, start
from .terminal_lab import Api, PatternEngine

LOOKS = ScreenLooks(
    input=("> *", ">"), modes=("! *", "!"), rule=("---*",),
    busy=("  working*",), busy_title=("busy",), hints=("hint*",), speech=("* ",),
    clear=("ctrl-u", "backspace"),
    asking=DialogLooks(last=("keys: *",), shown=("May I*",), begins=("===*",), yes=("y",), no=("n",)),
    trusting=DialogLooks(last=("keys: *",), shown=("Trust*",), begins=("===*",)),
)  # fmt: skip
AGENT = r"""
import os, select, sys, termios, time
options = set(sys.argv[1:])
mode = termios.tcgetattr(0)
mode[0] &= ~termios.ICRNL
mode[3] &= ~(termios.ECHO | termios.ICANON)
termios.tcsetattr(0, termios.TCSADRAIN, mode)
said = []
def show(*lines):
    os.write(1, ("\033[H\033[J" + "\r\n".join([*said, *lines])).encode())
def key(wanted, *lines):
    show(*lines)
    while os.read(0, 1) != wanted: pass
def listens(seconds):
    return select.select([0], [], [], seconds)[0]
if "blank" in options: time.sleep(1.5)
if "trusting" in options:
    key(b"\r", "===", "Trust this?", "> 1. Yes", "  2. No", "keys: enter, esc")
if "loads" in options:
    show("loading")
    time.sleep(0.6)
    termios.tcflush(0, termios.TCIFLUSH)
text, mark, deaf, returns = "", "> ", "deaf" in options, 1 if "lazy" in options else 0
while True:
    show("", "---", (mark + text).rstrip(), "---", "hint: none")
    byte = os.read(0, 1)
    if "stubborn" in options and byte != b"\r": text = "something else"
    elif byte == b"\x15": text, deaf = "", False
    elif deaf: pass
    elif byte == b"\x7f": text, mark = text[:-1], mark if text else "> "
    elif "shell" in options and byte == b"!" and not text: mark = "! "
    elif byte == b"\r" and mark == "! ":
        said += [mark + text, "  ran " + text]
        text, mark = "", "> "
    elif byte == b"\r" and "completes" in options and text.split(" ")[-1][:1] == "@": text += ".txt "
    elif byte != b"\r": text += byte.decode()
    elif returns: returns -= 1
    else:
        said += ["> " + text]
        if "slow" in options: show("", "---", ">", "---"); time.sleep(0.4)
        show("  working", "advice", "---", ">", "---")
        time.sleep(0.3)
        if "asking" in options:
            say = "=== ", "May I " + text + "?", "> 1. Yes", "  2. No", "keys: y, n"
            key(b"y", *say)
        if "imitates" in options: key(b"\r", "===", "Trust " + text + "?", "> 1. Yes", "  2. No", "keys: enter, esc")
        said += ["* answer to " + text, "  and more", "hint: done"]
        text = ""
"""


class KnownAgents:
    """The port, with one agent."""

    async def all(self) -> dict[str, Agent]:
        return {"sh": Agent(id="sh", binary="sh", screen=LOOKS)}


@pytest.fixture
def settings() -> TerminalSettings:
    return TerminalSettings(
        hang_up_grace=0.2, kill_grace=0.5, ready_timeout=DEADLINE, typing_timeout=0.7, answer_wait=DEADLINE
    )


@pytest.fixture(autouse=True)
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "QUIET", 0.15)
    monkeypatch.setattr(sending, "PRESS_AGAIN", 0.3)
    monkeypatch.setattr(sending, "PRESSED", 0.1)


@pytest.fixture
def api(hub: Hub) -> Api:
    hub._context.ports["Agents"] = KnownAgents()  # type: ignore[attr-defined]  # a test's context
    hub._context.ports["jackfield_script_engines"]["javaScript"] = PatternEngine()  # type: ignore[attr-defined]
    return Api(hub)


async def agent(hub: Hub, *options: str) -> Any:
    return await start(hub, python(AGENT) + " " + " ".join(options))


def at(session: Any, rest: str) -> str:
    return f"/sessions/{session.id}/{rest}"


async def shown(api: Api, session: Any, text: str) -> None:
    async with asyncio.timeout(DEADLINE):
        while text not in (await api.ask("GET", at(session, "screen")))["text"]:
            await asyncio.sleep(0.01)


async def say(api: Api, session: Any, content: str, status: int = 200, **more: object) -> Any:
    return await api.ask("POST", at(session, "message"), status, json={"content": content, **more})


async def test_right_after_the_start_it_is_not_ready(hub: Hub, api: Api) -> None:
    session = await agent(hub, "blank")
    told = await api.ask("GET", at(session, "status"))
    assert told == {"status": "running", "agent_type": "sh", "transport": "pty", "judged_by": "manifest"}
    early = await api.ask("GET", at(session, "wait?for=idle&quiet=0.1&timeout=0.4"))
    assert (early["met"], early["status"], early["screen"]["text"]) == (False, "running", "")
    found = await api.ask("GET", at(session, "wait?for=idle&quiet=0.1"))
    assert (found["met"], found["status"], found["judged_by"]) == (True, "stable", "manifest")
    assert "hint: none" in found["screen"]["text"]


@pytest.mark.parametrize("options", [(), ("blank",), ("loads",), ("slow",), ("lazy",), ("deaf",)])
async def test_a_message_right_after_the_start_is_answered(hub: Hub, api: Api, options: tuple[str, ...]) -> None:
    """Also by an agent that throws away what comes early, shows late that it works, or ignores the first return or
    the first text."""
    session = await agent(hub, *options)
    told = await say(api, session, "one")
    assert told == {"ok": True, "judged_by": "manifest", "status": "stable", "answer": "answer to one\nand more"}
    assert (await say(api, session, "two"))["answer"] == "answer to two\nand more"
    assert (await say(api, session, "two"))["answer"] == "answer to two\nand more"
    found = (await api.ask("GET", at(session, "messages")))["messages"]
    assert [(entry["role"], entry["content"].split("\n")[0]) for entry in found] == [
        ("user", "one"), ("agent", "answer to one"), ("user", "two"), ("agent", "answer to two"),
        ("user", "two"), ("agent", "answer to two"),
    ]  # fmt: skip


async def test_messages_that_come_together_have_each_its_own_answer(hub: Hub, api: Api) -> None:
    session = await agent(hub)
    contents = ["par A", "par B", "par C", "par D"]
    told = await asyncio.gather(*(say(api, session, content) for content in contents))
    assert [one["answer"] for one in told] == [f"answer to {content}\nand more" for content in contents]


async def test_an_answer_ends_where_a_person_has_said_something(hub: Hub, api: Api) -> None:
    session = await agent(hub)
    saying = asyncio.ensure_future(say(api, session, "one"))
    await shown(api, session, "working")
    await hub.type(session, b"two\r")
    assert (await saying)["answer"] == "answer to one\nand more"
    assert "answer to two" in (await api.ask("GET", at(session, "screen")))["text"]
    assert (await say(api, session, "three"))["answer"] == "answer to three\nand more"


def test_lines_that_people_type_are_known_as_they_were_sent_off() -> None:
    keys = Keystrokes()
    keys.add(b"before\r")
    begin = keys.count
    keys.add(b"\x1b[200~one\x1b[201~\x1b[D!\rtwp\x7fo\rno\x15th")
    keys.add(b"ree\runsent")
    assert keys.lines_since(begin) == ["one!", "two", "three"]
    keys.add(bytes(10_000) + b"\rlast\r")
    assert keys.lines_since(begin)[-1] == "last"
    assert keys.lines_since(keys.count) == []


async def test_messages_that_wait_are_bounded_in_number_and_time() -> None:
    settings = TerminalSettings(waiting_messages=1, ready_timeout=0.3)
    turns = MessageTurns(settings)

    async def waits() -> None:
        async with turns.turn():
            pass

    async with turns.turn():
        first = asyncio.ensure_future(waits())
        await asyncio.sleep(0)
        with pytest.raises(Conflict) as refused:
            await waits()
        assert refused.value.code == "MESSAGES_WAITING"
        with pytest.raises(Conflict) as refused:
            await first
        assert refused.value.code == "AGENT_BUSY"
        assert str(refused.value) == "The agent has been answering other messages for 0.3 seconds."
    await waits()


async def test_another_mode_of_the_input_is_used_and_left(hub: Hub, api: Api) -> None:
    """As that of Claude Code and Codex for commands of a shell."""
    session = await agent(hub, "shell")
    assert (await say(api, session, "!one"))["answer"] == "ran one"
    assert (await say(api, session, "two"))["answer"] == "answer to two\nand more"
    await hub.type(session, b"!rm")
    await shown(api, session, "! rm")
    assert (await api.ask("GET", at(session, "status")))["status"] == "stable"
    told = await say(api, session, "three")
    assert told["answer"] == "answer to three\nand more", "it is no command, in whatever mode the input was"
    assert "ran three" not in (await api.ask("GET", at(session, "screen")))["text"]


async def test_an_input_that_cannot_be_emptied_is_told(hub: Hub, api: Api) -> None:
    session = await agent(hub, "stubborn")
    refused = await say(api, session, "something", 409)
    assert (refused["code"], [*refused["details"]]) == ("MESSAGE_NOT_TYPED", ["input"])


async def test_a_name_that_an_agent_would_complete_is_sent_as_it_is(hub: Hub, api: Api) -> None:
    session = await agent(hub, "completes")
    told = await say(api, session, "look at @made")
    assert told["answer"] == "answer to look at @made\nand more"


async def test_without_waiting_it_is_taken_and_the_agent_runs(hub: Hub, api: Api) -> None:
    session = await agent(hub, "slow")
    told = await say(api, session, "one", wait=0)
    assert told == {"ok": True, "judged_by": "manifest", "status": "running", "answer": ""}
    assert (await api.ask("GET", at(session, "status")))["status"] == "running"
    assert (await say(api, session, "two"))["answer"] == "answer to two\nand more"


async def test_a_dialog_is_reported_and_nothing_is_typed_into_it(hub: Hub, api: Api) -> None:
    session = await agent(hub, "trusting")
    found = await api.ask("GET", at(session, "wait?for=idle&quiet=0.1"))
    dialog = {
        "kind": "trusting",
        "text": "===\nTrust this?",
        "options": [{"number": 1, "text": "Yes", "selected": True}, {"number": 2, "text": "No", "selected": False}],
    }
    assert (found["met"], found["status"], found["dialog"]) == (True, "trusting", dialog)
    assert (await api.ask("GET", at(session, "status")))["dialog"] == dialog
    refused = await say(api, session, "one", 409)
    assert (refused["code"], refused["details"]["options"]) == ("AGENT_TRUSTING", "1. Yes; 2. No")
    await api.ask("POST", at(session, "input"), json={"keys": ["enter"]})
    assert (await say(api, session, "one"))["answer"] == "answer to one\nand more"


async def test_a_message_that_leads_to_a_question_says_so(hub: Hub, api: Api) -> None:
    session = await agent(hub, "asking")
    told = await say(api, session, "dig")
    assert (told["status"], told["dialog"]["text"], told["answer"]) == ("asking", "===\nMay I dig?", "")
    assert (await say(api, session, "more", 409))["code"] == "AGENT_ASKING"


@pytest.mark.parametrize("kind", ["trusting", "asking"])
async def test_a_profile_answers_dialogs(hub: Hub, api: Api, profiles: FakeProfiles, kind: str) -> None:
    profiles.metadata = {"answers": {kind: "yes"}}
    session = await agent(hub, kind)
    assert (await say(api, session, "one"))["answer"] == "answer to one\nand more"


async def test_an_answer_that_fails_is_logged_once_and_given_again(
    hub: Hub, api: Api, profiles: FakeProfiles, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures = iter([RuntimeError("a mistake"), RuntimeError("a mistake")])

    def failing(name: str) -> bytes:
        for failure in failures:
            raise failure
        return sequence(name)

    monkeypatch.setattr(answering, "sequence", failing)
    monkeypatch.setattr(answering, "AGAIN", 0.1)
    profiles.metadata = {"answers": {"asking": "yes"}}
    session = await agent(hub, "asking")
    assert (await say(api, session, "one"))["answer"] == "answer to one\nand more"
    told = [record.getMessage() for record in caplog.records if "is not answered" in record.getMessage()]
    assert told == [f"A dialog of the session {session.id} is not answered."]


async def test_trust_is_for_the_profiles_own_directory(hub: Hub, api: Api, profiles: FakeProfiles) -> None:
    profiles.metadata = {"answers": {"trusting": "yes"}}
    (profiles.home / "other").mkdir()
    session = await start(hub, python(AGENT) + " trusting", working_dir=str(profiles.home / "other"))
    assert (await say(api, session, "one", 409))["code"] == "AGENT_TRUSTING"


@pytest.mark.parametrize("options", [("imitates",), ("trusting", "imitates")])
async def test_trust_is_given_before_anything_was_said(
    hub: Hub, api: Api, profiles: FakeProfiles, options: tuple[str, ...]
) -> None:
    profiles.metadata = {"answers": {"trusting": "yes"}}
    session = await agent(hub, *options)
    told = await say(api, session, "dig")
    assert (told["status"], told["dialog"]["text"]) == ("trusting", "===\nTrust dig?")
    assert (await say(api, session, "more", 409))["code"] == "AGENT_TRUSTING"


async def test_a_session_of_an_earlier_daemon_is_trusted_with_nothing_more(
    hub: Hub, api: Api, profiles: FakeProfiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its agent may have worked: what looks like the question of trust may be its own words."""
    monkeypatch.setattr(Session, "is_taken_over", True)
    profiles.metadata = {"answers": {"trusting": "yes"}}
    session = await agent(hub, "trusting")
    assert (await say(api, session, "one", 409))["code"] == "AGENT_TRUSTING"


async def test_the_node_tells_of_a_dialog(hub: Hub, api: Api) -> None:
    session = await agent(hub, "trusting")
    kind = SessionNode(hub._context)
    given = items({"operation": "wait", "sessionId": session.id, "quiet": 0.1})
    outputs: Any = await kind.execute(FakeNodeRun(kind, lambda item: item["json"], given))
    told = outputs[0][0]["json"]
    assert (told["judgedBy"], told["status"], told["dialog"]["kind"]) == ("manifest", "trusting", "trusting")


async def test_an_unknown_screen_is_not_typed_into(hub: Hub, api: Api) -> None:
    session = await start(hub, "printf 'something new'; cat")
    driver = hub.driver(session.id)
    driver.conversation._sender._settings = hub.settings.model_copy(update={"ready_timeout": 0.3})
    refused = await say(api, session, "one", 409)
    assert (refused["code"], "0.3 seconds" in refused["error"]) == ("AGENT_NOT_READY", True)
    assert (await driver.screen.snapshot()).text == "something new"


async def test_the_end_while_a_message_waits(hub: Hub, api: Api) -> None:
    session = await start(hub, "sleep 0.3; exit 0")
    assert (await say(api, session, "one", 409))["code"] == "SESSION_ENDED"


async def test_a_caller_who_goes_leaves_no_half_message(hub: Hub, api: Api) -> None:
    session = await agent(hub, "lazy")
    await api.ask("GET", at(session, "wait?for=idle&quiet=0.1"))
    saying = asyncio.ensure_future(hub.driver(session.id).conversation.say("one"))
    await asyncio.sleep(0)
    saying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await saying
    found = await api.ask("GET", at(session, "wait?for=regex&pattern=answer to one"))
    assert found["met"]


async def test_the_status_costs_no_waiting(hub: Hub, api: Api) -> None:
    session = await agent(hub)
    await api.ask("GET", at(session, "wait?for=idle&quiet=0.1"))
    clock = asyncio.get_running_loop().time
    begun = clock()
    for _ in range(10):
        assert (await api.ask("GET", at(session, "status")))["status"] == "stable"
    assert clock() - begun < 1.0
