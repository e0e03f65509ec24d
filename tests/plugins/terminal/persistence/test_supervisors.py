"""Supervisors that die, hang, or are strangers, and what they leave behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.profiles import Profile
from jackfield.testing.context import FakeContext
from jackfield.testing.processes import is_running
from jackfield_terminal import hub as hubs
from jackfield_terminal.http.routes import shown
from jackfield_terminal.persistent.directory import DIRECTORY
from jackfield_terminal.persistent.restoring import findings
from jackfield_terminal.persistent.session import UNKNOWN
from jackfield_terminal.persistent.starting import PersistentStarter
from jackfield_terminal.pty.processes import alive
from jackfield_terminal.supervisor import client as holding
from jackfield_terminal.supervisor.frames import OUTPUT, SOCKET, frame, number_frame

from ..conftest import DEADLINE, FakeProfiles, attach, python
from .persistence_lab import SECRET, SERVER, Daemons, descriptors, over, until


@pytest.fixture(params=["posix_spawn", "ptyprocess"])
def spawner(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_a_holder_that_is_killed_ends_its_session_with_a_reason(daemons: Daemons) -> None:
    session = await daemons.open("trap '' HUP; echo ready; while :; do sleep 0.05; done")
    client = attach(daemons.hub, session)
    await client.printed(b"ready")
    os.kill(session.holder, signal.SIGKILL)
    await over(session)
    assert session.exit_code == UNKNOWN
    assert shown(session)["reason"] == "The session cannot go on: its supervisor has ended."
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
    await until(lambda: not is_running(session.holder))
    other.close()


async def test_a_holder_that_is_stopped_does_not_prevent_the_end(
    daemons: Daemons, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "ANSWERING", 0.2)
    session = await daemons.open("cat")
    os.kill(session.holder, signal.SIGSTOP)
    await asyncio.wait_for(daemons.hub.stop(session.id), DEADLINE)
    assert session.exit_code == UNKNOWN
    assert shown(session)["reason"] == "The session cannot go on: its supervisor does not answer."
    await until(lambda: not is_running(session.holder) and not is_running(session.pid))


async def test_a_holder_that_is_killed_without_a_daemon_is_swept(daemons: Daemons) -> None:
    session = await daemons.open("cat")
    daemons.vanish()
    os.kill(session.holder, signal.SIGKILL)
    await until(lambda: not is_running(session.holder) and not is_running(session.pid))  # the kernel hangs it up
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
    await until(lambda: not is_running(session.holder))
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
    await until(lambda: not is_running(session.holder))
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
    ("system", "metadata", "persists"),
    [
        ("linux", {}, True),
        ("linux", {"persist": False}, False),
        ("darwin", {}, False),
        ("darwin", {"persist": True}, False),
    ],
)
def test_a_session_that_is_to_persist_where_possible_starts_everywhere(
    system: str, metadata: dict[str, Any], persists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    profile = Profile("p", "a", "b", "c", "m", metadata=metadata)
    assert PersistentStarter(FakeContext(tmp_path)).wanted("where_possible", profile) is persists
