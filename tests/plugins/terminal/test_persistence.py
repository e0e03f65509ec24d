"""Sessions that survive their daemon: real holders, and one hub after another over the same directory."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from jackfield.api.errors import Conflict, InvalidInput, JackfieldError
from jackfield.api.records import replace
from jackfield.testing.context import FakeContext
from jackfield_terminal import holding, restoring
from jackfield_terminal import hub as hubs
from jackfield_terminal.frames import OUTPUT, SOCKET, Frames, ended_frame, frame, number_frame
from jackfield_terminal.held_session import UNKNOWN, HeldSession
from jackfield_terminal.hub import Hub
from jackfield_terminal.lazy import DIRECTORY, LazyHub, is_anything_held
from jackfield_terminal.processes import alive
from jackfield_terminal.restoring import findings
from jackfield_terminal.routes import shown
from jackfield_terminal.sandbox import trial
from jackfield_terminal.settings import SandboxSettings, TerminalSettings

from .conftest import DEADLINE, FakeProfiles, attach, python, start

NUMBERS = python("i = 0\nwhile True:\n    print(i, flush=True)\n    i += 1")
BEYOND = python(r"""
import os, time
os.write(1, b"\x1b[?1049h")
os.read(0, 9)
for i in range(200000): print(i)
print("all", flush=True)
open("printed", "w")
time.sleep(99)
""")
SERVER = f"""
import socket
s = socket.socket(socket.AF_UNIX)
s.bind({SOCKET!r})
s.listen()
print(flush=True)
c, _ = s.accept()
c.sendall(b"HTTP/1.1 400 nonsense" * 9)
c.recv(9)
"""
SECRET = "sk-very-secret-0123456789"


class Daemons:
    """One hub after another."""

    def __init__(self, root: Path, profiles: FakeProfiles) -> None:
        self.profiles = profiles
        self.config_dir = root / "config"
        self.hub: Hub = None  # type: ignore[assignment]  # made by `start`
        self.context: FakeContext
        self.pids: set[int] = set()
        self._hubs: list[Hub] = []

    async def start(self, **settings: Any) -> Hub:
        table = TerminalSettings(**{"hang_up_grace": 0.2, "kill_grace": 0.5, "stall": 0.2, **settings})
        ports = {"profiles": self.profiles, "script_engines": {}}
        self.context = FakeContext(self.config_dir, tables=[table, SandboxSettings()], ports=ports)
        self.hub = Hub(self.context)
        self._hubs.append(self.hub)
        await self.hub.restore()
        self.pids |= {pid for session in self.hub.all() for pid in (session.pid, getattr(session, "holder", 0))}
        return self.hub

    async def open(self, script: str, **more: Any) -> HeldSession:
        session = await start(self.hub, script, persist=True, **more)
        assert isinstance(session, HeldSession)
        self.pids |= {session.pid, session.holder}
        return session

    def vanish(self) -> None:
        """As with kill -9: every descriptor is closed, and a holder is told nothing."""
        for session in self.hub.all():
            if isinstance(session, HeldSession) and not session.ended.is_set():
                session.leave()
        self.hub._sessions.clear()

    async def restart(self, **settings: Any) -> Hub:
        await self.hub.close()
        return await self.start(**settings)

    def directories(self) -> list[Path]:
        with contextlib.suppress(FileNotFoundError):
            return sorted((self.config_dir / DIRECTORY).iterdir())
        return []

    async def close(self) -> None:
        for hub in self._hubs:
            self.pids |= {session.holder for session in hub.all() if isinstance(session, HeldSession)}
            await hub.close()
        for pid in self.pids - {0}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


@pytest.fixture
async def daemons(tmp_path: Path, profiles: FakeProfiles) -> AsyncIterator[Daemons]:
    made = Daemons(tmp_path, profiles)
    await made.start()
    yield made
    await made.close()


async def until(seen: Callable[[], object]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not seen():
            await asyncio.sleep(0.005)


async def over(session: Any) -> None:
    async with asyncio.timeout(DEADLINE):
        await session.ended.wait()


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


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
    await until(lambda: not is_there(session.holder))
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
    """More than the memory of the holder: the agent does not wait, and the cut cuts nothing."""
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
    await until(lambda: not is_there(session.pid))
    hub = await daemons.start()
    [again] = hub.all()
    client = attach(hub, again)
    await client.until(lambda: client.frames and client.frames[-1]["type"] == "websocket.close")
    assert client.messages("state_changed") == [{"type": "state_changed", "state": "terminated", "exit_code": 7}]
    assert b"last" in client.output
    await until(lambda: not is_there(session.holder))
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
        early = Frames().feed(ended_frame(held.handover.end, 9))
        return [(memo, replace(held, early=early))]

    real = hubs.found_again
    monkeypatch.setattr(hubs, "found_again", found)
    [again] = (await daemons.start()).all()
    await over(again)
    await until(lambda: daemons.profiles.ends)
    assert daemons.profiles.ends == [("one", 9)]
    await until(lambda: not is_there(session.pid))  # the holder ends what is still there


async def test_an_end_that_another_daemon_began_to_record_is_not_recorded_again(daemons: Daemons) -> None:
    session = await daemons.open("read x; exit 3")
    assert session.account()
    daemons.vanish()
    hub = await daemons.start()
    [again] = hub.all()
    os.kill(session.pid, signal.SIGKILL)
    await over(again)
    assert again.exit_code == 137
    await until(lambda: not is_there(session.holder))
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


async def test_a_holder_that_is_killed_ends_its_session_with_a_reason(daemons: Daemons) -> None:
    session = await daemons.open("trap '' HUP; echo ready; while :; do sleep 0.05; done")
    client = attach(daemons.hub, session)
    await client.printed(b"ready")
    os.kill(session.holder, signal.SIGKILL)
    await over(session)
    assert session.exit_code == UNKNOWN
    assert shown(session)["reason"] == "The session cannot go on: its holder has ended."
    assert not alive(session.pid)
    await until(lambda: daemons.profiles.ends)
    assert daemons.profiles.ends == [("one", UNKNOWN)]
    assert not Path(f"/proc/{session.holder}").exists()  # not even as a zombie
    assert (await daemons.restart()).all() == []
    assert daemons.directories() == []


@pytest.mark.parametrize(
    ("sent", "why"),
    [(number_frame(OUTPUT, 2**60), "ahead of its memory"), (b"\xff" * 9, "too long"), (frame(OUTPUT, b"1"), "eight")],
)
async def test_a_holder_that_talks_nonsense_is_dismissed(daemons: Daemons, sent: bytes, why: str) -> None:
    session = await daemons.open("cat")
    asyncio.get_running_loop().remove_reader(session._connection)
    session._connection.close()
    mine, other = socket.socketpair()
    mine.setblocking(False)
    session._connection = mine
    asyncio.get_running_loop().add_reader(mine, session._heard)
    other.sendall(sent)
    await over(session)
    assert session.reason is not None
    assert why in session.reason
    await until(lambda: not is_there(session.holder))
    other.close()


async def test_a_holder_that_is_stopped_does_not_prevent_the_end(
    daemons: Daemons, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "ANSWERING", 0.2)
    session = await daemons.open("cat")
    os.kill(session.holder, signal.SIGSTOP)
    await asyncio.wait_for(daemons.hub.stop(session.id), DEADLINE)
    assert session.exit_code == UNKNOWN
    assert shown(session)["reason"] == "The session cannot go on: its holder does not answer."
    assert not is_there(session.holder)
    assert not is_there(session.pid)


async def test_a_holder_that_is_killed_without_a_daemon_is_swept(daemons: Daemons) -> None:
    session = await daemons.open("cat")
    daemons.vanish()
    os.kill(session.holder, signal.SIGKILL)
    await until(lambda: not is_there(session.holder) and not is_there(session.pid))  # the kernel hangs it up
    [finding] = findings(daemons.config_dir)
    assert finding.good
    assert "left of an ended session" in finding.message
    assert (await daemons.start()).all() == []
    assert daemons.directories() == []


async def test_nobody_is_waited_for_longer_than_the_lifetime(daemons: Daemons) -> None:
    await daemons.restart(persist_lifetime=0.3)
    session = await daemons.open("trap 'echo hup' HUP; while :; do sleep 0.05; done")
    other = await daemons.open("exit 0")
    await over(other)
    await daemons.hub.close()
    await until(lambda: not is_there(session.holder))
    assert not alive(session.pid)
    assert daemons.directories() == []


async def test_who_only_connects_does_not_prolong_the_lifetime_nor_stand_in_the_way(daemons: Daemons) -> None:
    session = await daemons.open("cat")
    [directory] = daemons.directories()
    opened = os.open(directory, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as early, socket.socket(socket.AF_UNIX) as late:
        early.connect(f"/proc/self/fd/{opened}/{SOCKET}")  # while the daemon is attached
        daemons.vanish()
        late.connect(f"/proc/self/fd/{opened}/{SOCKET}")
        late.sendall(b"\xff" * 100)
        early.close()
        late.settimeout(DEADLINE)
        assert await asyncio.to_thread(late.recv, 100) == b""
    os.close(opened)
    hub = await daemons.start()
    assert [each.id for each in hub.all()] == [session.id]


async def test_foreign_files_are_left_alone_and_named(daemons: Daemons, tmp_path: Path) -> None:
    session = await daemons.open("cat")
    root = daemons.config_dir / DIRECTORY
    name = "12345678-1234-1234-1234-12345678901{}"
    (root / "notes.txt").write_text("mine")
    (root / "mine").mkdir()
    (root / name.format(0)).mkdir()
    (root / name.format(0) / SOCKET).write_text("no socket")
    (root / name.format(1)).symlink_to(tmp_path)
    (root / name.format(2)).mkdir()
    (root / name.format(2) / "holder.v99").write_text("")
    (root / name.format(3)).mkdir()
    with nonsense(root / name.format(3) / SOCKET):
        hub = await daemons.restart()
    assert [each.id for each in hub.all()] == [session.id]
    assert len(daemons.directories()) == 7
    texts = [finding.message for finding in findings(daemons.config_dir)]
    assert texts[0] == "sessions that survive the daemon: 1"
    assert sum("nothing of a terminal session" in text for text in texts) == 4
    assert sum("another version" in text for text in texts) == 1
    assert not all(finding.good for finding in findings(daemons.config_dir))


@contextlib.contextmanager
def nonsense(path: Path) -> Any:
    """Somebody else's server."""
    with subprocess.Popen([sys.executable, "-c", SERVER], cwd=path.parent, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


async def test_daemons_of_other_directories_do_not_touch_each_other(
    daemons: Daemons, tmp_path: Path, profiles: FakeProfiles
) -> None:
    other = Daemons(tmp_path / "other", profiles)
    await other.start()
    mine, theirs = await daemons.open("cat"), await other.open("cat")
    await daemons.restart()
    await other.restart()
    assert [each.id for each in daemons.hub.all()] == [mine.id]
    assert [each.id for each in other.hub.all()] == [theirs.id]
    await other.hub.stop(theirs.id)
    assert alive(mine.pid)
    await other.close()


async def test_secrets_are_in_no_argument_and_no_file(daemons: Daemons) -> None:
    daemons.profiles.env = {"API_KEY": SECRET, "ODD": os.fsdecode(b"\xff\xfe")}
    session = await daemons.open("echo key $API_KEY; cat")
    client = attach(daemons.hub, session)
    await client.printed(SECRET.encode())
    assert SECRET.encode() not in Path(f"/proc/{session.holder}/cmdline").read_bytes()
    assert SECRET.encode() not in Path(f"/proc/{session.holder}/environ").read_bytes()
    for path in daemons.config_dir.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()
        assert path.lstat().st_mode & 0o077 == 0
    hub = await daemons.restart()
    assert dict(hub.all()[0].launch.env) == dict(session.launch.env)


async def test_words_reach_the_agent_byte_by_byte(daemons: Daemons) -> None:
    daemons.profiles.env = {"ODD": os.fsdecode(b"\xff\xfe")}
    words = ["two words", "ünï", "", os.fsdecode(b"\xc3(")]
    session = await daemons.open('printf "%s|" "$ODD" "$@" | od -An -tx1', args=["sh", *words])
    await over(session)
    expected = b"|".join(os.fsencode(word) for word in [daemons.profiles.env["ODD"], *words, ""])
    assert bytes.fromhex(session.log.scrollback()[0].decode()) == expected
    with pytest.raises(InvalidInput, match="character"):
        await daemons.open("true", args=["\ud800"])


async def test_a_holder_is_small(daemons: Daemons) -> None:
    session = await daemons.open("cat")
    status = Path(f"/proc/{session.holder}/status").read_text()
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    assert found is not None
    assert int(found[1]) < 8192


async def test_the_agent_inherits_nothing_of_its_holder(daemons: Daemons) -> None:
    source = 'import os\nprint(sorted(int(f) for f in os.listdir("/proc/self/fd"))[:5], os.getpid() == os.getsid(0))'
    session = await daemons.open(python(source))
    await over(session)
    assert b"[0, 1, 2, 3] True" in session.log.scrollback()[0]  # 3 is the listing's own


async def test_no_descriptor_and_no_process_is_left(daemons: Daemons) -> None:
    async def one() -> int:
        session = await daemons.open("exit 0")
        await over(session)
        await until(lambda: not Path(f"/proc/{session.holder}").exists())
        return session.holder

    await one()
    before = descriptors()
    await asyncio.gather(*(one() for _ in range(15)))
    await until(lambda: descriptors() <= before)
    session = await daemons.open("cat")
    for _ in range(10):
        daemons.vanish()
        await daemons.start()
    await daemons.hub.stop(session.id)
    await until(lambda: not is_there(session.holder))
    await until(lambda: descriptors() <= before)


async def test_an_agent_that_cannot_be_started_leaves_nothing(
    daemons: Daemons, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(JackfieldError, match="Argument list too long"):
        await daemons.open("true", args=["x" * 131_071] * 40)
    with pytest.raises(InvalidInput, match="character"):
        await daemons.open("true", args=["a\0b"])
    monkeypatch.setattr(holding, "PROGRAM", Path("/nonexistent.py"))
    with pytest.raises(JackfieldError, match="cannot be started"):
        await daemons.open("true")
    assert daemons.directories() == []
    assert [code for _, code in daemons.profiles.ends] == [127, 127, 127]


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
    assert isinstance(session, HeldSession) == persists
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
    lazy = LazyHub(daemons.context)
    await lazy.restore()
    assert not daemons.context.agents_confined
    assert "hub" not in vars(lazy)
    await daemons.open("cat")
    daemons.vanish()
    assert is_anything_held(daemons.config_dir)
    await lazy.restore()
    assert daemons.context.agents_confined
    assert len(lazy.live("one")) == 1
    await lazy.hub.end("one")
    await lazy.close()


@pytest.mark.skipif(trial(SandboxSettings()) is not None, reason="bubblewrap does not work here")
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

    monkeypatch.setattr(restoring, "reach_holder", stopped)
    for _ in range(together.parties):
        (tmp_path / DIRECTORY / str(uuid.uuid4())).mkdir(parents=True)
    context: Any = FakeContext(tmp_path)
    assert await restoring.found_again(context) == []
    assert not together.broken
