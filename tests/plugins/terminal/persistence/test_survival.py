"""Sessions that survive their daemon: real supervisors, and one hub after another over the same directory."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import threading
import uuid
from pathlib import Path
from typing import Any, NoReturn

import pytest

from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield.testing.context import FakeContext
from jackfield.testing.processes import is_running
from jackfield_terminal import hub as hubs
from jackfield_terminal import serving
from jackfield_terminal.http.routes import shown
from jackfield_terminal.hub import Hub
from jackfield_terminal.persistent import restoring
from jackfield_terminal.persistent.directory import DIRECTORY, is_any_persistent
from jackfield_terminal.persistent.session import PersistentSession
from jackfield_terminal.pty.processes import alive
from jackfield_terminal.sandbox.bubblewrap import problem_of_sandbox
from jackfield_terminal.settings import SandboxSettings
from jackfield_terminal.supervisor.frames import Frames, ended_frame

from ..conftest import DEADLINE, FakeProfiles, attach, start
from .persistence_lab import BEYOND, NUMBERS, Daemons, over, until


async def test_a_session_goes_on_over_a_restart(daemons: Daemons) -> None:
    session = await daemons.open("echo begun; while read line; do echo got $line $(stty size); done", size=(91, 33))
    client = attach(daemons.hub, session)
    await client.printed(b"begun")
    before = shown(session)
    hub = await daemons.restart()
    assert client.messages("error") == [{"type": "error", "message": "The daemon stops; the session goes on."}]
    assert client.frames[-1] == {"type": "websocket.close", "code": 1001}
    [again] = hub.all()
    assert shown(again) == {**before, "client_count": 0}
    assert before["persistent"] is True
    client = attach(hub, again)
    await client.printed(b"begun")
    client.say({"type": "resize", "cols": 100, "rows": 40})
    client.type(b"word\n")
    await client.printed(b"got word 40 100")
    assert daemons.profiles.ends == []
    assert hub.live("one") == [session.id]
    await hub.end("one")
    assert not alive(session.pid)
    await until(lambda: not is_running(session.holder))
    assert daemons.directories() == []
    assert daemons.profiles.ends == [("one", 129)]


async def test_no_byte_is_lost_or_repeated_whenever_the_daemon_goes(daemons: Daemons) -> None:
    """Daemons vanish in the middle of a flood, at different places; each one sees the numbers without a gap."""
    session = await daemons.open(NUMBERS)
    seen = bytearray()
    offset = 0
    for round_ in range(8):
        [present] = daemons.hub.all()
        if round_ % 2:
            attach(daemons.hub, present)  # a flood that nobody follows is read more slowly
        await until(lambda here=present, at=offset: here.log.end > at + 300_000 + 10_000)
        log = present.log
        assert log.start <= offset
        seen += b"".join(log.pieces(offset))
        offset = log.end
        daemons.vanish()
        await daemons.start()
    numbers = bytes(seen).split(b"\r\n")[:-1]
    assert len(numbers) > 100_000
    assert numbers == [b"%d" % number for number in range(len(numbers))]
    await daemons.hub.stop(session.id)


async def test_what_is_printed_without_a_daemon_is_kept_up_to_the_scrollback(
    daemons: Daemons, profiles: FakeProfiles
) -> None:
    """More than the memory of the supervisor: the agent does not wait, and the cut cuts nothing."""
    await daemons.restart(scrollback=65536)
    session = await daemons.open(BEYOND)
    client = attach(daemons.hub, session)
    await client.printed(b"1049h")
    assert session._master is not None
    os.write(session._master, b"\n")
    daemons.vanish()
    await until((profiles.home / "printed").exists)
    hub = await daemons.start(scrollback=65536)
    [again] = hub.all()
    client = attach(hub, again)
    await client.printed(b"all\r\n")
    scrollback = bytes(client.output)
    assert scrollback.startswith(b"\x1b[?1049h")
    numbers = scrollback.removeprefix(b"\x1b[?1049h").split(b"\r\n")[1:-2]
    assert numbers == [b"%d" % number for number in range(200_000 - len(numbers), 200_000)]
    assert 65_000 < len(scrollback) <= 65_536 + 20


async def test_an_end_without_a_daemon_is_told_and_accounted_once(daemons: Daemons) -> None:
    session = await daemons.open("echo first; read x; echo last; exit 7")
    client = attach(daemons.hub, session)
    await client.printed(b"first")
    assert session._master is not None
    os.write(session._master, b"\n")
    daemons.vanish()
    await until(lambda: not is_running(session.pid))
    hub = await daemons.start()
    [again] = hub.all()
    client = attach(hub, again)
    await client.until(lambda: client.frames and client.frames[-1]["type"] == "websocket.close")
    assert client.messages("state_changed") == [{"type": "state_changed", "state": "terminated", "exit_code": 7}]
    assert b"last" in client.output
    await until(lambda: not is_running(session.holder))
    assert daemons.profiles.ends == [("one", 7)]
    assert (await daemons.restart()).all() == []
    assert daemons.profiles.ends == [("one", 7)]


async def test_an_end_that_comes_with_the_handover_is_accounted(
    daemons: Daemons, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await daemons.open("echo x; read x")
    client = attach(daemons.hub, session)
    await client.printed(b"x")
    daemons.vanish()

    async def found(context: FakeContext) -> Any:
        [(memo, held)] = await real(context)
        first = Frames().feed(ended_frame(held.handover.end, 9))
        return [(memo, replace(held, first_messages=first))]

    real = hubs.found_again
    monkeypatch.setattr(hubs, "found_again", found)
    [again] = (await daemons.start()).all()
    await over(again)
    await until(lambda: daemons.profiles.ends)
    assert daemons.profiles.ends == [("one", 9)]
    await until(lambda: not is_running(session.pid))  # the supervisor ends what is still there


async def test_an_end_that_another_daemon_began_to_record_is_not_recorded_again(daemons: Daemons) -> None:
    session = await daemons.open("read x; exit 3")
    assert session.account()
    daemons.vanish()
    hub = await daemons.start()
    [again] = hub.all()
    os.kill(session.pid, signal.SIGKILL)
    await over(again)
    assert again.exit_code == 137
    await until(lambda: not is_running(session.holder))
    assert daemons.profiles.ends == []


async def test_twenty_sessions_at_once(daemons: Daemons) -> None:
    sessions = await asyncio.gather(*(daemons.open(f"echo I am {n}; read x; exit {n}") for n in range(20)))
    hub = await daemons.restart()
    found = hub.all()
    assert {each.id for each in found} == {each.id for each in sessions}
    assert sorted(each.created_ms for each in found) == [each.created_ms for each in found]
    with pytest.raises(Conflict, match="20 terminal sessions"):
        await start(await daemons.restart(max_sessions=20), "cat")
    clients = {each.id: attach(daemons.hub, each) for each in daemons.hub.all()}
    for n, each in enumerate(sessions):
        await clients[each.id].printed(b"I am %d" % n)
        clients[each.id].type(b"\n")
    again = {each.id: each for each in daemons.hub.all()}
    for n, each in enumerate(sessions):
        await over(again[each.id])
        assert again[each.id].exit_code == n
    await until(lambda: not daemons.directories())
    assert sorted(code for _, code in daemons.profiles.ends) == list(range(20))


@pytest.mark.parametrize(
    ("asked", "profile", "setting", "persists"),
    [
        (None, None, False, False),
        (None, None, True, True),
        (None, True, False, True),
        (None, False, True, False),
        (False, True, True, False),
        (True, False, False, True),
    ],
)
async def test_the_request_decides_then_the_profile_then_the_setting(
    daemons: Daemons,
    monkeypatch: pytest.MonkeyPatch,
    asked: bool | None,
    profile: bool | None,
    setting: bool,
    persists: bool,
) -> None:
    await daemons.restart(persist=setting)
    plain = daemons.profiles.profile

    def stored(alias: str, home: Path, sandbox: Any = "off") -> Any:
        made = plain(alias, home, sandbox)
        made.metadata["persist"] = profile  # type: ignore[index]
        return made

    monkeypatch.setattr(daemons.profiles, "profile", stored)
    session = await start(daemons.hub, "cat", persist=asked)
    assert isinstance(session, PersistentSession) == persists
    await daemons.hub.stop(session.id)


async def test_a_client_holds_the_agent_back_and_a_slow_one_does_not(daemons: Daemons) -> None:
    session = await daemons.open("stty -opost; read x; head -c 6000000 /dev/zero; echo over; cat")
    client, slow = attach(daemons.hub, session), attach(daemons.hub, session)
    await until(lambda: len(session.attachments) == 2)
    slow.gate.clear()
    client.type(b"\n")
    await client.printed(b"over")
    assert bytes(client.output).count(b"\0") == 6_000_000
    slow.gate.set()
    await slow.printed(b"over")
    assert slow.messages("resync")


async def test_a_recording_ends_with_the_daemon_and_says_so(daemons: Daemons) -> None:
    session = await daemons.open("echo one; cat", record=True)
    client = attach(daemons.hub, session)
    await client.printed(b"one")
    file = daemons.config_dir / "recordings" / f"{session.id}.cast"
    await until(lambda: b"one" in file.read_bytes())
    session.left.set()  # nothing is written from here on
    session._part()
    recorder = session.recorder
    assert recorder is not None
    recorder._stop("test")
    await recorder.finished()
    lines = file.read_bytes().splitlines(keepends=True)[:-1]
    file.write_bytes(b"".join(lines) + b'[0.5, "o", "half a li')
    daemons.vanish()
    hub = await daemons.start()
    [again] = hub.all()
    assert again.recorder is not None
    await again.recorder.finished()
    assert shown(again)["recording"]["state"] == "stopped"  # type: ignore[index]
    events = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert events[-1][1:] == ["m", "The recording ends here: the daemon was restarted."]
    assert len(events) == len(lines) + 1
    assert events[-1][0] >= events[-2][0]
    with pytest.raises(Conflict, match="recording already"):
        await hub.recordings.start(again)


async def test_a_recording_that_was_complete_stays_so(daemons: Daemons) -> None:
    session = await daemons.open("echo one; cat", record=True)
    assert session.recorder is not None
    session.recorder.over()
    session.keep()
    await session.recorder.finished()
    file = daemons.config_dir / "recordings" / f"{session.id}.cast"
    before = file.read_bytes()
    await daemons.restart()
    assert file.read_bytes() == before


async def test_waiters_end_with_the_daemon(daemons: Daemons) -> None:
    session = await daemons.open("cat")
    driver = daemons.hub.driver(session.id)
    waits = [
        asyncio.ensure_future(driver.wait("exit", quiet=1, timeout=60)),
        asyncio.ensure_future(driver.wait("idle", quiet=50, timeout=60)),
    ]
    await asyncio.sleep(0)
    await daemons.hub.close()
    assert await asyncio.wait_for(asyncio.gather(*waits), DEADLINE) == [False, False]


async def test_the_gate_knows_of_sandboxes_before_anything_is_restored(daemons: Daemons) -> None:
    context = daemons.context
    await serving.take_over(context)
    assert not daemons.context.authentication.agents_confined
    assert not context.is_built(serving.HUB)
    await daemons.open("cat")
    daemons.vanish()
    assert is_any_persistent(daemons.config_dir)
    await serving.take_over(context)
    assert daemons.context.authentication.agents_confined
    hub = context.port(Hub)
    assert len(hub.live("one")) == 1
    await hub.end("one")
    await serving.stop(context)


@pytest.mark.skipif(problem_of_sandbox(SandboxSettings()) is not None, reason="bubblewrap does not work here")
async def test_a_sandbox_goes_on_as_well_and_ends_with_its_holder(daemons: Daemons) -> None:
    daemons.profiles.sandbox = "standard"
    session = await daemons.open("echo in $(readlink /proc/self/ns/user); cat")
    client = attach(daemons.hub, session)
    await client.printed(b"]\r\n")
    found = re.search(rb"in (user:\[\d+\])", bytes(client.output))
    assert found is not None
    assert found[1].decode() != str(Path("/proc/self/ns/user").readlink())
    hub = await daemons.restart()
    [again] = hub.all()
    assert again.launch.profile.sandbox == "standard"
    client = attach(hub, again)
    client.type(b"still here\n")
    await client.printed(b"still here\r\nstill here")
    os.kill(session.holder, signal.SIGKILL)
    await over(again)
    assert not alive(session.pid)


async def test_a_start_waits_for_all_holders_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(40)

    def stopped(_: Path) -> NoReturn:
        together.wait(10)  # one that waits for others' turns breaks it
        raise TimeoutError("timed out")

    monkeypatch.setattr(restoring, "reach_supervisor", stopped)
    for _ in range(together.parties):
        (tmp_path / DIRECTORY / str(uuid.uuid4())).mkdir(parents=True)
    context: Any = FakeContext(tmp_path)
    assert await restoring.found_again(context) == []
    assert not together.broken
