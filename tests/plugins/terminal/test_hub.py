"""What the hub keeps and what it lets go; input that nobody reads."""

from __future__ import annotations

import asyncio
import gc
import os
import weakref
from pathlib import Path

import pytest

from jackfield.api.errors import Conflict, InvalidInput, JackfieldError, NotFound
from jackfield.testing.context import FakeContext
from jackfield_terminal import starting
from jackfield_terminal.hub import Hub
from jackfield_terminal.settings import TerminalSettings

from .conftest import DEADLINE, NEAR, FakeProfiles, attach, python, start

DEAF = python('import tty,time;tty.setraw(0);print("DEAF",flush=True);time.sleep(300)')


def hub_with(tmp_path: Path, profiles: FakeProfiles, **settings: float) -> Hub:
    given = {"hang_up_grace": 0.1, "kill_grace": 0.2, **settings}
    return Hub(FakeContext(tmp_path, tables=[TerminalSettings(**given)], ports={"Profiles": profiles}))  # type: ignore[arg-type]


async def ended(session: object) -> None:
    async with asyncio.timeout(DEADLINE):
        await session.ended.wait()  # type: ignore[attr-defined]


async def test_only_so_many_ended_sessions_are_kept_and_the_oldest_go(tmp_path: Path, profiles: FakeProfiles) -> None:
    hub = hub_with(tmp_path, profiles, keep_ended=2)
    running = await start(hub, "cat")
    sessions = []
    for _ in range(4):
        sessions.append(await start(hub, "exit 0"))
        await ended(sessions[-1])
    assert hub.all() == [running, *sessions[2:]]
    with pytest.raises(NotFound):
        hub.driver(sessions[0].id)
    await hub.close()


async def test_with_none_to_keep_a_session_goes_when_it_ends(tmp_path: Path, profiles: FakeProfiles) -> None:
    hub = hub_with(tmp_path, profiles, keep_ended=0)
    session = await start(hub, "cat")
    await hub.stop(session.id)
    assert hub.all() == []
    await hub.close()


async def test_a_session_that_was_driven_is_let_go(hub: Hub) -> None:
    session = await start(hub, "echo x")
    await hub.driver(session.id).screen.snapshot()
    await ended(session)
    await hub.clean_up(NEAR)
    kept = weakref.ref(session)
    del session
    async with asyncio.timeout(DEADLINE):
        while kept() is not None:
            gc.collect()
            await asyncio.sleep(0.05)  # threads that look for the session's processes get nowhere beside a collection


async def test_typing_is_bounded_and_ends_with_the_session(hub: Hub, settings: TerminalSettings) -> None:
    session = await start(hub, "cat")
    with pytest.raises(InvalidInput, match=str(settings.input_limit)):
        await hub.type(session, b"x" * (settings.input_limit + 1))
    await hub.stop(session.id)
    with pytest.raises(Conflict) as caught:
        await hub.type(session, b"x")
    assert caught.value.code == "SESSION_ENDED"


async def test_an_agent_that_does_not_read_is_busy(tmp_path: Path, profiles: FakeProfiles) -> None:
    hub = hub_with(tmp_path, profiles, input_timeout=0.1)
    session = await start(hub, DEAF)
    client = attach(hub, session)
    await client.printed(b"DEAF")
    with pytest.raises(Conflict) as caught:
        await hub.type(session, b"x" * 200_000)
    assert caught.value.code == "AGENT_BUSY"
    await hub.close()


async def test_a_client_that_types_at_a_deaf_agent_is_told_and_can_leave(
    tmp_path: Path, profiles: FakeProfiles
) -> None:
    hub = hub_with(tmp_path, profiles, input_timeout=0.1)
    session = await start(hub, DEAF)
    client = attach(hub, session)
    await client.printed(b"DEAF")
    client.type(b"x" * 200_000)
    await client.until(lambda: client.messages("error"))
    assert "does not read" in client.messages("error")[0]["message"]
    client.leave()
    await asyncio.wait_for(client.task, DEADLINE)
    assert not session.attachments
    await hub.close()


async def test_an_agent_that_cannot_be_started_is_accounted_for(hub: Hub, profiles: FakeProfiles) -> None:
    with pytest.raises(InvalidInput):
        await start(hub, "cat", args=["\0"])
    assert profiles.ends == [("one", 127)]
    assert hub.all() == []


async def test_a_caller_who_leaves_during_the_start_leaves_no_stray_process(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    async def slowly(self: starting.SessionStarter, request: object, id: str) -> object:
        begun.set()
        await go.wait()
        return await real(self, request, id)

    real = starting.SessionStarter.start
    monkeypatch.setattr(starting.SessionStarter, "start", slowly)
    caller = asyncio.ensure_future(start(hub, "cat"))
    await begun.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    closing = asyncio.ensure_future(hub.close())
    go.set()
    await asyncio.wait_for(closing, DEADLINE)
    [session] = hub.all()
    assert session.state == "terminated"
    with pytest.raises(Conflict, match="stopping"):
        await start(hub, "cat")


async def test_nothing_is_prepared_beyond_the_limit_and_a_failure_frees_the_place(
    tmp_path: Path, profiles: FakeProfiles
) -> None:
    hub = hub_with(tmp_path, profiles, max_sessions=1)
    for _ in range(2):
        with pytest.raises(JackfieldError):
            await start(hub, "cat", alias="unknown")
    await start(hub, "cat")
    await hub.close()


async def test_a_session_that_cannot_be_watched_leaves_nothing(
    hub: Hub, profiles: FakeProfiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids: list[int] = []

    def full(pid: int, ended: object) -> None:
        pids.append(pid)
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("jackfield_terminal.session.session.watch_exit", full)
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(JackfieldError, match="Too many open files"):
        await start(hub, "exec sleep 60")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)
    assert (hub.all(), profiles.ends) == ([], [("one", 127)])
