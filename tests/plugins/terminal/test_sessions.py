"""Sessions over real pseudo-terminals: start, output, input, size, signals, exit, and the end by force."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
from pathlib import Path

import pytest

from jackfield.api.auth import Principal
from jackfield.api.errors import AccessDenied, Conflict, NotFound
from jackfield_terminal.hub import Hub
from jackfield_terminal.pty.processes import alive, members
from jackfield_terminal.settings import TerminalSettings

from .conftest import DEADLINE, NEAR, FakeProfiles, attach, python, start

VIEWER = Principal("1", "v", "viewer", "jwt")
SCOPED = Principal("2", "k", "member", "api_key", scopes=frozenset({"workflows:read"}))


@pytest.fixture(params=["posix_spawn", "ptyprocess"])
def settings(request: pytest.FixtureRequest) -> TerminalSettings:
    return TerminalSettings(hang_up_grace=0.2, kill_grace=0.5, stall=0.2, spawner=request.param)


async def ended(session: object) -> None:
    async with asyncio.timeout(DEADLINE):
        await session.ended.wait()  # type: ignore[attr-defined]


async def test_output_and_exit_code_reach_a_client_in_order(hub: Hub) -> None:
    session = await start(hub, "printf hello; exit 7")
    client = attach(hub, session)
    await client.until(lambda: client.frames and client.frames[-1]["type"] == "websocket.close")
    kinds = [frame["type"] for frame in client.frames]
    assert kinds[0] == "websocket.accept"
    assert client.messages("connected") == [{"type": "connected", "session_id": session.id}]
    assert bytes(client.output) == b"hello"
    assert client.messages("state_changed") == [{"type": "state_changed", "state": "terminated", "exit_code": 7}]
    assert client.frames[-1]["code"] == 1000


async def test_the_terminal_is_the_controlling_one(hub: Hub) -> None:
    session = await start(hub, "exec 3</dev/tty && tty && stty size && kill -0 -$$ && echo leader", size=(91, 33))
    await ended(session)
    text = session.log.scrollback()[0].decode()
    assert "/dev/pts/" in text
    assert "33 91" in text
    assert "leader" in text


async def test_the_terminal_has_a_name_whatever_the_daemon_was_started_in(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    session = await start(hub, "echo $TERM")
    await ended(session)
    assert session.log.scrollback()[0].split() == [b"xterm-256color"]


async def test_it_runs_in_its_directory_with_its_arguments_and_nothing_ignored(hub: Hub, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    source = (
        "import os,sys,signal\n"
        "print(os.getcwd(), sys.argv[1:], signal.getsignal(signal.SIGPIPE) is signal.SIG_DFL)\n"
        'print(sorted(int(f) for f in os.listdir("/proc/self/fd"))[:4])'
    )
    session = await start(
        hub, 'exec "$@"', args=["sh", "python3", "-IS", "-c", source, "two words", ""], working_dir=str(folder)
    )
    await ended(session)
    text = session.log.scrollback()[0].decode()
    assert f"{folder} ['two words', '']" in text
    assert "[0, 1, 2, 3]" in text  # 3 is the listing's own


async def test_input_and_signals_reach_the_foreground_group(hub: Hub) -> None:
    session = await start(hub, "trap 'echo got-int' INT; while read line; do echo said:$line; done; echo over")
    client = attach(hub, session)
    client.type(b"word\n")
    await client.printed(b"said:word")
    client.say({"type": "signal", "signal": 2})
    await client.printed(b"got-int")


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"type": 7}', '{"type": "resize", "cols": 0, "rows": 1}', '{"type":"signal"}']
)
async def test_nonsense_gets_an_error_and_the_connection_stays(hub: Hub, text: str) -> None:
    session = await start(hub, "cat")
    client = attach(hub, session)
    client.say(text)
    await client.until(lambda: client.messages("error"))
    client.type(b"still\n")
    await client.printed(b"still")


async def test_an_oversized_frame_is_refused(hub: Hub, settings: TerminalSettings) -> None:
    session = await start(hub, "cat")
    client = attach(hub, session)
    client.type(b"x" * (settings.input_limit + 1))
    await client.until(lambda: client.messages("error"))
    assert str(settings.input_limit) in client.messages("error")[0]["message"]


DIGEST = """
import os, tty, hashlib
tty.setraw(0)
os.write(1, b"RAW")
d = b""
while len(d) < 200000: d += os.read(0, 65536)
os.write(1, hashlib.sha256(d).hexdigest().encode())
"""


async def test_more_input_than_the_terminal_takes_arrives_whole(hub: Hub) -> None:
    session = await start(hub, python(DIGEST))
    client = attach(hub, session)
    await client.printed(b"RAW")
    data = os.urandom(200_000)
    client.type(data)
    await client.printed(hashlib.sha256(data).hexdigest().encode())


async def test_the_smallest_size_per_dimension_counts_and_grows_back(hub: Hub) -> None:
    session = await start(hub, "cat")
    one, two, viewer = attach(hub, session), attach(hub, session), attach(hub, session, "mode=ro")
    one.say({"type": "resize", "cols": 120, "rows": 40})
    two.say({"type": "resize", "cols": 100, "rows": 50})
    viewer.say({"type": "resize", "cols": 10, "rows": 10})
    async with asyncio.timeout(DEADLINE):
        while (session.cols, session.rows) != (100, 40):
            await asyncio.sleep(0)
        two.leave()
        while (session.cols, session.rows) != (120, 40):
            await asyncio.sleep(0)


async def test_a_viewer_cannot_type(hub: Hub) -> None:
    session = await start(hub, "cat")
    viewer, writer = attach(hub, session, "mode=ro"), attach(hub, session)
    viewer.type(b"forbidden\n")
    viewer.say({"type": "signal", "signal": 9})
    writer.type(b"allowed\n")
    await viewer.printed(b"allowed")
    assert b"forbidden" not in viewer.output


async def test_a_signalled_agent_has_128_and_the_number(hub: Hub) -> None:
    session = await start(hub, "kill -USR1 $$")
    await ended(session)
    assert session.exit_code == 128 + signal.SIGUSR1


async def test_the_end_is_seen_although_a_child_keeps_the_terminal(hub: Hub) -> None:
    session = await start(hub, "trap '' HUP; sleep 300 & echo last; exit 3")
    await ended(session)
    assert session.exit_code == 3
    assert b"last" in session.log.scrollback()[0]
    for pid in members(session.pid):
        os.kill(pid, signal.SIGKILL)


async def gone(pid: int) -> None:
    """No process of the session is left; what was killed takes a moment to be collected."""
    async with asyncio.timeout(DEADLINE):
        while alive(pid):
            await asyncio.sleep(0.01)


async def test_stopping_goes_up_to_kill_and_takes_every_process(hub: Hub, profiles: FakeProfiles) -> None:
    session = await start(hub, "trap 'echo hup' HUP; trap 'echo term' TERM; echo ready; while :; do sleep 0.05; done")
    client = attach(hub, session)
    await client.printed(b"ready")
    await hub.stop(session.id)
    assert session.exit_code == 137
    text = session.log.scrollback()[0]
    assert text.index(b"hup") < text.index(b"term")
    await gone(session.pid)
    async with asyncio.timeout(DEADLINE):
        while not profiles.ends:
            await asyncio.sleep(0)
    assert profiles.ends == [("one", 137)]


async def test_a_shells_background_jobs_in_groups_of_their_own_are_ended(hub: Hub) -> None:
    session = await start(hub, "set -m; sleep 300 & sleep 300 & echo ready; wait")
    client = attach(hub, session)
    await client.printed(b"ready")
    await hub.stop(session.id)
    await gone(session.pid)


async def test_scrollback_of_an_ended_session_stays_until_it_is_cleaned_up(hub: Hub) -> None:
    session = await start(hub, "echo remember")
    await ended(session)
    late = attach(hub, session)
    await late.until(lambda: late.frames and late.frames[-1]["type"] == "websocket.close")
    assert b"remember" in late.output
    await hub.clean_up(NEAR)
    with pytest.raises(NotFound):
        hub.find(session.id)
    gone = attach(hub, session)
    await gone.until(lambda: gone.frames and gone.frames[-1]["type"] == "websocket.close")
    assert gone.frames[-1]["code"] == 4404


async def test_unknown_profiles_and_too_many_sessions_are_refused(tmp_path: Path, profiles: FakeProfiles) -> None:
    from jackfield.testing.context import FakeContext

    hub = Hub(FakeContext(tmp_path, tables=[TerminalSettings(max_sessions=2)], ports={"Profiles": profiles}))
    with pytest.raises(NotFound):
        await start(hub, "cat", alias="unknown")
    first = await start(hub, "cat")
    await start(hub, "cat")
    with pytest.raises(Conflict, match=r"terminal\.max_sessions"):
        await start(hub, "cat")
    await hub.stop(first.id)
    await start(hub, "cat")
    await hub.close()


def children() -> set[str]:
    """Of this process, the ended ones that nobody waited for too. Servers of other tests may be among them."""
    return {child for task in Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()}


async def test_no_descriptor_and_no_process_is_left_over_100_sessions(hub: Hub) -> None:
    before, others = len(list(Path("/proc/self/fd").iterdir())), children()
    for _ in range(20):
        sessions = [await start(hub, "echo x") for _ in range(5)]
        for session in sessions:
            await ended(session)
        await hub.clean_up(NEAR)
    while hub._ending:
        await asyncio.wait(set(hub._ending))
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1
    assert children() <= others


async def test_a_stopped_agent_hears_of_the_end(hub: Hub) -> None:
    session = await start(hub, "trap 'echo bye; exit 7' HUP; echo ready; while :; do sleep 0.05; done")
    await attach(hub, session).printed(b"ready")
    os.kill(session.pid, signal.SIGSTOP)
    await hub.stop(session.id)
    assert session.exit_code == 7


async def test_an_ended_session_whose_number_another_has_ends_nobody(hub: Hub) -> None:
    session = await start(hub, "exit 0")
    await session.ended.wait()
    other = await asyncio.create_subprocess_exec("sleep", "60", start_new_session=True)
    try:
        session.pid = other.pid  # as after the numbers have wrapped around
        await hub.stop(session.id)
        assert other.returncode is None
        os.kill(other.pid, 0)
    finally:
        other.kill()
        assert await other.wait() == -signal.SIGKILL


async def test_a_caller_that_may_only_read_may_only_look(hub: Hub) -> None:
    session = await start(hub, "cat")
    for principal in (VIEWER, SCOPED):
        with pytest.raises(AccessDenied):
            await attach(hub, session, principal=principal).task
        viewer = attach(hub, session, "mode=ro", principal=principal)
        await viewer.until(lambda viewer=viewer: viewer.messages("connected"))
    writer = attach(hub, session, principal=Principal("3", "m", "member", "jwt"))
    writer.type(b"typed\n")
    await writer.printed(b"typed")
