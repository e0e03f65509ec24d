"""Sessions with an agent that is a small program: how they begin, go on, and end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from session_lab import SECRET, SessionLab, begun, is_idle, said, told, until

from jackfield.api.errors import Conflict, InvalidInput, JackfieldError, NotFound
from jackfield.testing.processes import is_running
from jackfield_agent_sessions.session.session import AgentSession


@pytest.fixture
def lab(tmp_path: Path) -> SessionLab:
    return SessionLab(tmp_path)


async def test_a_conversation_and_its_events(lab: SessionLab) -> None:
    hub = lab.hub()
    session = await begun(hub)
    assert (session.state, session.name) == ("idle", "s")
    assert await said(session, "Hel|lo") == ["Hello"]
    assert [message["type"] for message in told(session)] == ["user", "text", "turn_end"]
    await hub.stop(session.id)
    assert session.state == "ended"
    assert lab.profiles.ends == [("s", session.exit_code)]
    assert [event.data["state"] for event in lab.published("state_changed")] == ["idle", "working", "idle", "ended"]
    assert [event.data["text"] for event in lab.published("message_delta")] == ["Hel", "lo"]
    assert len(lab.published("session_created")) == len(lab.published("session_ended")) == 1
    last: Any = lab.published("message")[-1].data["message"]
    assert last["message"]["type"] == "end"


async def test_the_manifest_says_how_it_is_started(lab: SessionLab) -> None:
    lab.protocol = {"name": "acp", "args": ["", "--talk"], "resume_args": ["--go-on", "{session}"]}
    hub = lab.hub()
    session = await begun(hub, "--more", resume="earlier", working_dir="/somewhere")
    (asked,) = lab.profiles.requests
    assert (asked.kind, asked.leading, asked.args) == (
        "agent_session",
        ("", "--talk", "--go-on", "earlier"),
        ("--more",),
    )
    assert (asked.resume, asked.working_dir, session.name) == ("earlier", "/somewhere", "earlier")
    await hub.stop(session.id)


@pytest.mark.parametrize("option", ["yes", "no"])
async def test_a_permission_is_answered(lab: SessionLab, option: str) -> None:
    hub = lab.hub()
    session = await begun(hub)
    session.say("ask")
    await until(session, lambda one: one.state == "asking")
    with pytest.raises(Conflict, match="works on a message"):
        session.say("more")
    session.answer("99", option, "")
    await until(session, is_idle)
    assert [message["type"] for message in told(session)] == [
        "user", "tool_call", "permission", "text", "tool_result", "turn_end"
    ]  # fmt: skip
    assert told(session)[3]["text"] == option
    assert told(session)[2]["answer"] == option
    assert told(session)[4]["failed"]
    await hub.stop(session.id)


async def test_a_permission_that_nobody_saw_whole_can_only_be_rejected(lab: SessionLab) -> None:
    lab.settings = {"message_limit": 1024}
    hub = lab.hub()
    session = await begun(hub)
    session.say("ask 2000")
    await until(session, lambda one: one.state == "asking")
    with pytest.raises(Conflict, match=r"agent_sessions\.message_limit \(1024 bytes\)") as caught:
        session.answer("99", "yes", "")
    assert caught.value.code == "PERMISSION_CUT"
    assert session.state == "asking"
    session.answer("99", "no", "")
    await until(session, is_idle)
    assert [one["answer"] for one in told(session) if one["type"] == "permission"] == ["no"]
    with pytest.raises(Conflict, match="no more"):
        session.answer("99", "yes", "")
    await hub.stop(session.id)


async def test_an_interruption_leaves_a_session_that_goes_on(lab: SessionLab) -> None:
    hub = lab.hub()
    session = await begun(hub)
    session.interrupt()
    session.say("wait")
    session.interrupt()
    await until(session, is_idle)
    assert told(session)[-1]["reason"] == "interrupted"
    assert await said(session, "again") == ["again"]
    await hub.stop(session.id)


async def test_an_interruption_withdraws_a_permission(lab: SessionLab) -> None:
    hub = lab.hub()
    session = await begun(hub)
    session.say("ask")
    await until(session, lambda one: one.state == "asking")
    session.interrupt()
    await until(session, is_idle)
    assert [message["state"] for message in told(session) if message["type"] == "permission"] == ["withdrawn"]
    await hub.stop(session.id)


async def test_a_secret_is_never_told(lab: SessionLab) -> None:
    hub = lab.hub()
    session = await begun(hub)
    assert await said(session, "env SECRET") == ["***"]
    assert await said(session, f"a{SECRET[:7]}|{SECRET[7:]}b") == ["a***b"]
    await hub.stop(session.id)
    assert SECRET not in str(told(session))
    deltas = "".join(str(event.data["text"]) for event in lab.published("message_delta"))
    assert SECRET not in deltas
    assert SECRET[:7] not in deltas


async def test_an_agent_that_crashes(lab: SessionLab) -> None:
    hub = lab.hub()
    session = await begun(hub)
    session.say("crash")
    async with asyncio.timeout(20):
        await session.over.wait()
    assert (session.state, session.exit_code, session.reason) == ("ended", 3, "the disk is gone")
    assert told(session)[-1] == {"type": "end", "cut": False, "exit_code": 3, "text": "the disk is gone"}
    with pytest.raises(Conflict, match="has ended"):
        session.say("more")
    assert lab.profiles.ends == [("s", 3)]


async def test_the_reason_of_an_end_has_no_secret(lab: SessionLab) -> None:
    hub = lab.hub()
    session = await begun(hub)
    session.say(f"crash 401 for {SECRET}")
    async with asyncio.timeout(20):
        await session.over.wait()
    assert session.reason == "401 for ***"
    assert [event.data["reason"] for event in lab.published("session_ended")] == ["401 for ***"]


@pytest.mark.parametrize(
    ("mode", "words"), [("dies", "no licence was found"), ("refuses", "Log in first"), ("sleeps", "within 1 seconds")]
)
async def test_an_agent_that_does_not_begin(lab: SessionLab, mode: str, words: str) -> None:
    lab.settings = {"start_timeout": 20 if mode != "sleeps" else 1}
    hub = lab.hub()
    with pytest.raises(JackfieldError, match=words):
        await begun(hub, mode)
    assert hub.all() == []
    assert len(lab.profiles.ends) == 1


async def test_lines_that_are_no_frames_do_no_harm(lab: SessionLab) -> None:
    lab.settings = {"line_limit": 64 * 1024}
    hub = lab.hub()
    session = await begun(hub)
    assert await said(session, "log") == ["done"]
    assert await said(session, "long 70000") == ["done"]
    (error,) = [message for message in told(session) if message["type"] == "error"]
    assert "agent_sessions.line_limit" in error["text"]
    await hub.stop(session.id)


async def test_large_frames_are_heard_in_their_order(lab: SessionLab) -> None:
    lab.settings = {"message_limit": 1024 * 1024}
    hub = lab.hub()
    session = await begun(hub)
    assert await said(session, "large 300000") == [f"begin {'x' * 300_000} end"]
    assert await said(session, "more") == ["more"]
    await hub.stop(session.id)


async def test_an_end_leaves_no_process(lab: SessionLab) -> None:
    hub = lab.hub()
    session = await begun(hub)
    session.say("wait")
    members = await session.about.container.members()
    assert members
    await asyncio.gather(hub.stop(session.id), hub.stop(session.id))
    assert not any(is_running(pid) for pid in members)


async def test_a_message_is_bounded(lab: SessionLab) -> None:
    lab.settings = {"message_limit": 1024}
    hub = lab.hub()
    session = await begun(hub)
    with pytest.raises(InvalidInput, match="1024 bytes"):
        session.say("x" * 1025)
    assert session.state == "idle"
    await hub.stop(session.id)


async def test_sessions_are_bounded_and_ended_ones_forgotten(lab: SessionLab) -> None:
    lab.settings = {"max_sessions": 1, "keep_ended": 1}
    hub = lab.hub()
    first, refused = await asyncio.gather(begun(hub), begun(hub), return_exceptions=True)
    assert isinstance(first, AgentSession)
    assert isinstance(refused, Conflict)
    with pytest.raises(Conflict, match="max_sessions"):
        await begun(hub)
    with pytest.raises(Conflict):
        hub.forget(first.id)
    assert hub.live("work") == [first.id]
    await hub.end("work")
    assert hub.live("work") == []
    second = await begun(hub)
    await hub.stop(second.id)
    assert [session.id for session in hub.all()] == [second.id]
    hub.forget(second.id)
    with pytest.raises(NotFound):
        hub.find(second.id)


async def test_the_end_of_the_daemon_ends_them(lab: SessionLab) -> None:
    hub = lab.hub()
    session = await begun(hub)
    await hub.close()
    assert session.over.is_set()
    with pytest.raises(Conflict, match="stopping"):
        await begun(hub)


@pytest.mark.parametrize(("protocol", "words"), [(None, "names no protocol"), ({"name": "morse"}, "morse")])
async def test_an_agent_without_a_protocol(lab: SessionLab, protocol: dict[str, Any] | None, words: str) -> None:
    lab.protocol = protocol
    with pytest.raises(InvalidInput, match=words):
        await begun(lab.hub())
    assert lab.profiles.requests == []


async def test_a_sandbox_is_wanted_from_the_network(lab: SessionLab) -> None:
    with pytest.raises(InvalidInput, match="wants the sandbox standard"):
        await begun(lab.hub(), remote=True)
    assert lab.profiles.ends == [(None, 127)]
