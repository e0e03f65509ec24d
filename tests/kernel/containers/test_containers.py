"""Containers of processes, with real processes: what ends, ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.clock import SystemClock
from jackfield.api.process_containers import ContainerSettings, EndStep, ProcessContainer, ProcessLimits
from jackfield.core.containers.cgroups import GroupHome, find_home
from jackfield.core.containers.container import Container
from jackfield.core.containers.marks import ContainerMark, Owner, instance_of, mark_of
from jackfield.core.containers.service import Containers
from jackfield.testing.processes import is_running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
GROUPS = isinstance(find_home(), GroupHome)
METHODS = [
    pytest.param("cgroup", marks=pytest.mark.skipif(not GROUPS, reason="no control group can be made here")),
    "subreaper",
]
ENV = {"PATH": os.environ["PATH"]}
DEADLINE = 20.0

SETSID = "setsid sh -c 'echo $$ > pid; trap \"\" TERM; sleep 300; touch effect' & while :; do sleep 1; done"
DOUBLE_FORK = "(setsid sh -c 'sh -c \"echo \\$\\$ > pid; sleep 300; touch effect\" & ' &) ; sleep 300"
WITHOUT_MARK = "(env -i /usr/bin/setsid /bin/sh -c 'echo $$ > pid; sleep 300; touch effect' &) ; sleep 300"
STOPPED = "sh -c 'echo $$ > pid; kill -STOP $$; sleep 300'& sleep 300"
"""Each writes the pid of the process that is hardest to find."""
COMET = """
import os, time
open("pid", "w").write("1")
os.setsid()
deadline = time.monotonic() + 20
while time.monotonic() < deadline:
    if os.fork():
        os._exit(0)
    time.sleep(0.001)
"""
"""Dies and is born again, so that nobody who looks knows its parent."""
CROWD = """
import os, time
for _ in range(200):
    os.fork() or time.sleep(60) or os._exit(0)
    time.sleep(0.01)
time.sleep(60)
"""
"""One more process every 10 ms."""
BOMB = (
    "import os, time\nos.setuid(64999)\nfor _ in range(8):\n try: os.fork()\n except OSError: pass\n"
    " time.sleep(0.05)\ntime.sleep(60)"
)
"""Up to 256, each time twice as many; as a user whom nothing else runs for."""


def made(directory: Path, method: str, **settings: Any) -> Containers:
    given = ContainerSettings(method=method, grace=0.2, **settings)  # type: ignore[arg-type]  # a test's parameter
    return Containers(directory, given, SystemClock(), lambda name, work: asyncio.get_running_loop().create_task(work))


async def start(container: ProcessContainer, *argv: str, cwd: Path) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *container.command(argv), cwd=cwd, env=container.environment(ENV), start_new_session=True
    )
    container.started(process.pid)
    return process


async def until(met: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not met():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


def written(path: Path) -> Callable[[], int]:
    def look() -> int:
        text = path.read_text() if path.exists() else ""
        return int(text) if text.endswith("\n") or (text and path.name == "pid") else 0

    return look


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("script", [SETSID, DOUBLE_FORK, WITHOUT_MARK, STOPPED])
async def test_the_end_reaches_whatever_a_program_has_started(tmp_path: Path, method: str, script: str) -> None:
    container = await made(tmp_path, method).open("run-1")
    process = await start(container, "/bin/sh", "-c", script, cwd=tmp_path)
    await until(written(tmp_path / "pid"))
    pid = int((tmp_path / "pid").read_text())
    assert {pid, process.pid} <= set(await container.members())
    await container.end()
    assert not is_running(pid)
    assert not await container.members()
    assert await process.wait() != 0
    assert not (tmp_path / "effect").exists()


@pytest.mark.parametrize("method", METHODS)
async def test_a_process_that_is_born_while_its_parent_dies_is_reached(tmp_path: Path, method: str) -> None:
    (tmp_path / "comet.py").write_text(COMET)
    container = await made(tmp_path, method).open("run-1")
    script = f"(env -i COMET={tmp_path} {sys.executable} -IS comet.py &) ; sleep 300"
    process = await start(container, "/bin/sh", "-c", script, cwd=tmp_path)
    await until(written(tmp_path / "pid"))
    await container.end()
    await process.wait()
    left = [path for path in Path("/proc").glob("[0-9]*/environ") if f"COMET={tmp_path}".encode() in content(path)]
    assert left == []


def content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("method", METHODS)
async def test_what_a_program_leaves_is_ended_with_it(tmp_path: Path, method: str) -> None:
    container = await made(tmp_path, method).open("run-1")
    process = await start(container, "/bin/sh", "-c", f"{SETSID.partition('&')[0]}& echo; exit 3", cwd=tmp_path)
    assert await process.wait() == 3
    await container.end()
    assert not await container.members()
    assert not (tmp_path / "effect").exists()


@pytest.mark.parametrize("method", METHODS)
async def test_exit_codes_and_pipes_are_the_programs(tmp_path: Path, method: str) -> None:
    container = await made(tmp_path, method).open("run-1")
    process = await asyncio.create_subprocess_exec(
        *container.command(["/bin/sh", "-c", "cat; echo $JACKFIELD_CONTAINER >&2; kill -USR1 $$"]),
        env=container.environment(ENV), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    output, errors = await process.communicate(b"given")
    assert output == b"given"
    mark = mark_of(errors.decode().strip())
    assert mark is not None
    assert (mark.name, mark.instance) == ("run-1", instance_of(tmp_path))
    assert process.returncode in (-signal.SIGUSR1, 128 + signal.SIGUSR1)
    await container.end()


@pytest.mark.parametrize("method", METHODS)
async def test_steps_are_taken_in_their_order(tmp_path: Path, method: str) -> None:
    script = "trap 'echo HUP >> heard' HUP; trap 'echo TERM >> heard' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    container = await made(tmp_path, method).open("run-1")
    process = await start(container, "/bin/sh", "-c", script, cwd=tmp_path)
    await until(written(tmp_path / "pid"))
    await container.end(EndStep(signal.SIGHUP, 1.0), EndStep(signal.SIGTERM, 1.0))
    assert (tmp_path / "heard").read_text().split() == ["HUP", "TERM"]
    assert await process.wait() in (-signal.SIGKILL, 128 + signal.SIGKILL)


@pytest.mark.parametrize("method", METHODS)
async def test_a_program_started_after_the_signal_gets_it_as_well(tmp_path: Path, method: str) -> None:
    program = (
        "import pathlib, signal, subprocess, time\n"
        "told = []\nsignal.signal(signal.SIGHUP, lambda *_: told.append(1))\n"
        "pathlib.Path('pid').write_text('1')\n"
        "while not told: time.sleep(0.01)\n"
        "pathlib.Path('code').write_text(str(subprocess.call(['/bin/sleep', '60'])))\n"
    )
    container = await made(tmp_path, method).open("run-1")
    await start(container, sys.executable, "-c", program, cwd=tmp_path)
    await until(written(tmp_path / "pid"))
    await container.end(EndStep(signal.SIGHUP, 20))
    assert (tmp_path / "code").read_text() == str(-signal.SIGHUP)


@pytest.mark.parametrize("method", METHODS)
async def test_a_cancelled_end_hurries_and_is_an_end(tmp_path: Path, method: str) -> None:
    container = await made(tmp_path, method).open("run-1")
    process = await start(
        container, "/bin/sh", "-c", "trap '' TERM; echo $$ > pid; while :; do sleep 1; done", cwd=tmp_path
    )
    await until(written(tmp_path / "pid"))
    ending = asyncio.ensure_future(container.end(EndStep(signal.SIGTERM, 300)))
    await asyncio.sleep(0)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert not is_running(process.pid)
    await process.wait()


@pytest.mark.parametrize("method", METHODS)
async def test_too_many_processes_are_killed_all_together(tmp_path: Path, method: str) -> None:
    container = await made(tmp_path, method, watch_interval=0.05).open("run-1", ProcessLimits(processes=40))
    process = await start(container, sys.executable, "-ISc", CROWD, cwd=tmp_path)
    async with asyncio.timeout(DEADLINE):
        await process.wait()
    await container.end()
    assert not await container.members()
    home = find_home()
    if not (method == "cgroup" and isinstance(home, GroupHome) and "pids" in home.controllers):
        assert "its limit is 40" in (container.reason or "")


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
async def test_the_system_stops_a_fork_bomb_at_the_limit_of_threads(tmp_path: Path) -> None:
    container = Container(ContainerMark("0123456789ab", None, tmp_path.name[-40:]), ContainerSettings(), threads=60)
    process = await start(container, sys.executable, "-ISc", BOMB, cwd=tmp_path)
    most = 0
    for _ in range(15):
        most = max(most, len(await container.members()))
        await asyncio.sleep(0.05)
    await container.end()
    assert 40 < most <= 60
    assert not await container.members()
    await process.wait()


@pytest.mark.parametrize("method", METHODS)
async def test_memory_and_processors_are_limited_without_controllers(tmp_path: Path, method: str) -> None:
    program = (
        "import os, sys\nprint(len(os.sched_getaffinity(0)))\ntry: b'x' * (1 << 30)\nexcept MemoryError: print('no')"
    )
    container = await made(tmp_path, method).open("run-1", ProcessLimits(memory=200 << 20, cpu=0.5))
    process = await asyncio.create_subprocess_exec(
        *container.command([sys.executable, "-ISc", program]), env=container.environment(ENV),
        stdout=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    output, _ = await process.communicate()
    await container.end()
    home = find_home()
    controlled = home.controllers if method == "cgroup" and isinstance(home, GroupHome) else frozenset()
    if not controlled:
        assert output.split() == [b"1", b"no"]


def test_limits_go_to_the_controllers_that_there_are(tmp_path: Path) -> None:
    from jackfield.core.containers.service import _files

    bounds = ProcessLimits(memory=1 << 30, processes=100, cpu=1.5)
    every = _files(GroupHome(tmp_path, frozenset({"cpu", "memory", "pids"})), bounds)
    assert every == {"memory.max": str(1 << 30), "pids.max": "100", "cpu.max": "150000 100000"}
    assert _files(GroupHome(tmp_path, frozenset({"pids"})), bounds) == {"pids.max": "100"}


@pytest.mark.parametrize("method", METHODS)
async def test_a_program_that_is_not_there_is_an_error_of_the_system(tmp_path: Path, method: str) -> None:
    container = await made(tmp_path, method).open("run-1")
    with pytest.raises(FileNotFoundError):
        container.command([str(tmp_path / "none")])
    (tmp_path / "text").write_text("")
    with pytest.raises(PermissionError):
        container.command([str(tmp_path / "text")])
    await container.end()


OPENER = """
import asyncio, os, sys
sys.path[:0] = {path!r}
from test_containers import *
async def main():
    directory = Path(sys.argv[1])
    container = await made(directory, sys.argv[2]).open("run-1", outlives=len(sys.argv) > 3)
    await start(container, "/bin/sh", "-c", DOUBLE_FORK, cwd=directory)
    await until(written(directory / "pid"))
    print("ready", flush=True)
    await asyncio.sleep(300)
asyncio.run(main())
"""


def left_by_a_killed_one(directory: Path, method: str, *more: str) -> int:
    """The pid that it has left."""
    program = OPENER.format(path=[str(Path(__file__).parent), *sys.path])
    with subprocess.Popen(
        [sys.executable, "-c", program, str(directory), method, *more], stdout=subprocess.PIPE
    ) as opener:
        assert opener.stdout is not None
        assert opener.stdout.readline() == b"ready\n"
        opener.kill()
    return int((directory / "pid").read_text())


@pytest.mark.parametrize("method", METHODS)
async def test_what_a_killed_daemon_has_left_is_ended(tmp_path: Path, method: str) -> None:
    pid = left_by_a_killed_one(tmp_path, method)
    assert is_running(pid)
    (tmp_path / "other").mkdir()
    assert await made(tmp_path / "other", method).end_leftovers() == 0
    assert is_running(pid)
    assert await made(tmp_path, method).end_leftovers() == 1
    assert not is_running(pid)
    home = find_home()
    if isinstance(home, GroupHome):
        assert not list(home.path.glob(f"jackfield.{instance_of(tmp_path)}.*"))


@pytest.mark.parametrize("method", METHODS)
async def test_what_outlives_its_daemon_is_found_again(tmp_path: Path, method: str) -> None:
    pid = left_by_a_killed_one(tmp_path, method, "outlives")
    containers = made(tmp_path, method)
    assert await containers.end_leftovers() == 0
    (found,) = await containers.unowned()
    assert found.name == "run-1"
    await found.end()
    assert not is_running(pid)


async def test_what_a_living_process_has_open_is_no_leftover(tmp_path: Path) -> None:
    container = await made(tmp_path, "subreaper").open("run-1")
    process = await start(container, "/bin/sleep", "300", cwd=tmp_path)
    assert await made(tmp_path, "subreaper").end_leftovers() == 0
    assert is_running(process.pid)
    await container.end()
    await process.wait()


@pytest.mark.parametrize("owner", [None, Owner(12, 34, 56)])
def test_a_mark_is_read_as_it_is_written(owner: Owner | None) -> None:
    mark = ContainerMark("0123456789ab", owner, "run-x_1")
    assert mark_of(mark.text) == mark


@pytest.mark.parametrize("text", ["", "x", "0123456789ab.0.", "0123456789ab.1-2.run", "0123456789ab.0.a/b", "é.0.run"])
def test_other_texts_are_no_marks(text: str) -> None:
    assert mark_of(text) is None
