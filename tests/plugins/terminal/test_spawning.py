"""What both ways of starting a program in a pseudo-terminal hold: the contract of `Spawner`."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import signal
import sys
import termios
from pathlib import Path

import pytest

from jackfield.api.errors import InvalidInput
from jackfield.testing.context import FakeContext
from jackfield_terminal.findings import findings
from jackfield_terminal.hub import Hub
from jackfield_terminal.pty.ptyprocess_spawning import spawn_with_ptyprocess
from jackfield_terminal.pty.spawning import Spawner, spawn_in_terminal
from jackfield_terminal.settings import TerminalSettings

from .conftest import FakeProfiles, start

THREADS = 1 << 31 | 1 << 32
"""The two signals of the thread library, which it ignores in new programs."""
ENV = {"PATH": os.environ["PATH"]}


@pytest.fixture(params=[spawn_in_terminal, spawn_with_ptyprocess], ids=["posix_spawn", "ptyprocess"])
def spawner(request: pytest.FixtureRequest) -> Spawner:
    found: Spawner = request.param
    return found


def output(pid: int, master: int) -> tuple[bytes, int]:
    """All that is printed, and the exit code."""
    os.set_blocking(master, True)
    printed = b""
    with contextlib.suppress(OSError):  # EIO: nobody has the terminal any more
        while data := os.read(master, 65536):
            printed += data
    os.close(master)
    return printed, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def children() -> set[str]:
    """Processes of ours, ended ones that nobody has collected too; other tests may have left some."""
    found = set()
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            if file.read_text(errors="replace").rpartition(")")[2].split()[1] == str(os.getpid()):
                found.add(file.parent.name)
    return found


def descriptors() -> set[str]:
    return {entry.name for entry in Path("/proc/self/fd").iterdir()}


def test_a_program_has_its_terminal_size_directory_and_words(spawner: Spawner, tmp_path: Path) -> None:
    script = 'exec 9</dev/tty && stty size && pwd && printf "%s," "$@" "$ODD" && kill -0 -$$ && exit 7'
    argv = ["/bin/sh", "-c", script, "sh", "two words", "", os.fsdecode(b"\xff")]
    pid, master = spawner(argv, {**ENV, "ODD": os.fsdecode(b"\xfe")}, str(tmp_path), 91, 33)
    assert not os.get_inheritable(master)
    assert not os.get_blocking(master)
    assert os.getsid(pid) == pid
    printed, code = output(pid, master)
    assert printed == b"33 91\r\n" + os.fsencode(tmp_path) + b"\r\ntwo words,,\xff,\xfe,"
    assert code == 7


def test_bytes_will_do(spawner: Spawner) -> None:
    pid, master = spawner([b"/bin/sh", b"-c", b"echo $X"], {b"X": b"\xff"}, b"/", 80, 24)
    assert output(pid, master) == (b"\xff\r\n", 0)


def test_the_size_can_be_changed_and_the_program_hears_of_it(spawner: Spawner) -> None:
    script = "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.01; done"
    pid, master = spawner(["/bin/sh", "-c", script], ENV, "/", 80, 24)
    os.set_blocking(master, True)
    assert os.read(master, 7) == b"ready\r\n"
    termios.tcsetwinsize(master, (5, 6))
    assert output(pid, master) == (b"5 6\r\n", 0)


async def test_no_signal_is_ignored_or_blocked_and_nothing_is_open(spawner: Spawner) -> None:
    """Started on a thread that blocks a signal, as the daemon does on one, in a program that ignores another."""
    argv = ["/bin/sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status; exec ls /proc/self/fd"]
    kind = fcntl.F_DUPFD if spawner is spawn_with_ptyprocess else fcntl.F_DUPFD_CLOEXEC
    opened = fcntl.fcntl(0, kind, 300)  # ptyprocess closes what is open; ours goes by the flag

    def started() -> tuple[int, int]:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
        return spawner(argv, ENV, "/", 80, 24)

    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        printed, code = output(*await asyncio.to_thread(started))
    finally:
        signal.signal(signal.SIGUSR1, before)
        os.close(opened)
    blocked, ignored = (int(line.split()[1], 16) for line in printed.splitlines()[:2])
    assert blocked == 0
    assert ignored & ~THREADS == 0
    assert code == 0
    found = {int(name) for name in printed.split()[4:]}
    assert found >= {0, 1, 2}
    assert opened not in found


def test_a_directory_or_program_that_is_not_there_is_told_in_the_terminal(spawner: Spawner, tmp_path: Path) -> None:
    printed, code = output(*spawner(["true"], ENV, str(tmp_path / "absent"), 80, 24))
    assert b"absent" in printed
    assert code != 0
    printed, code = output(*spawner(["no-such-program"], ENV, "/", 80, 24))
    assert b"no-such-program" in printed
    assert code == 127


@pytest.mark.parametrize(
    ("argv", "env"),
    [
        (["a\0b"], {}),
        (["a\ud800"], {}),
        (["a"], {"b\0": ""}),
        (["a"], {"b": "\0"}),
        (["a"], {"b=c": ""}),
    ],
)
def test_what_no_program_can_be_given_is_a_mistake(spawner: Spawner, argv: list[str], env: dict[str, str]) -> None:
    before = descriptors(), children()
    with pytest.raises(ValueError):
        spawner(argv, env, "/", 80, 24)
    assert (descriptors(), children()) == before


def test_what_the_system_refuses_is_an_error_that_leaves_nothing(spawner: Spawner) -> None:
    before = descriptors(), children()
    with pytest.raises(OSError, match="Argument list too long") as caught:
        spawner(["true", *["x" * 131_071] * 40], ENV, "/", 80, 24)
    assert (caught.value.errno, caught.value.strerror) == (errno.E2BIG, "Argument list too long")
    assert (descriptors(), children()) == before


def test_the_package_leaves_the_terminal_to_us() -> None:
    """Its object ends the program with itself, and another child must not get the terminal."""
    # Not cat alone: it closes its three files before it ends, and the hang-up that follows would kill it.
    pid, master = spawn_with_ptyprocess(["/bin/sh", "-c", "cat; exit 0"], ENV, "/", 80, 24)
    os.kill(pid, 0)
    os.write(master, b"still there\n\x04")
    assert output(pid, master) == (b"still there\r\nstill there\r\n", 0)


async def test_without_the_package_a_session_is_refused_with_the_command_that_installs_it(
    tmp_path: Path, profiles: FakeProfiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = FakeContext(tmp_path, tables=[TerminalSettings(spawner="ptyprocess")], ports={"Profiles": profiles})
    assert ("terminals", True) in [(found.subject, found.good) for found in await findings(context)]
    monkeypatch.setitem(sys.modules, "ptyprocess", None)
    monkeypatch.setattr("jackfield_terminal.starting.find_spec", lambda _: None)
    hub = Hub(context)
    with pytest.raises(InvalidInput, match=r"pip install 'jackfield\[ptyprocess\]'") as caught:
        await start(hub, "true")
    assert caught.value.code == "SPAWNER_UNAVAILABLE"
    assert profiles.ends == []
    [finding] = [found for found in await findings(context) if found.subject == "terminals" and not found.good]
    assert "pip install" in finding.message
    with pytest.raises(OSError, match="not installed"):
        spawn_with_ptyprocess(["true"], ENV, "/", 80, 24)
    await hub.close()
