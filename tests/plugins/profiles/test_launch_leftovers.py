"""Agents that go on when their daemon was killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from launch_lab import Lab

from jackfield.api.errors import ConfigurationError
from jackfield.api.profiles import HeadlessRequest
from jackfield_profiles.launching.leftovers import DIRECTORY, Leftovers, RunNote, RunProcess, process

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
STUBBORN = "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(); time.sleep(60)"


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    made = Lab(tmp_path)
    made.agent_fields["headless"] = {"args": ["-p", "{prompt}"], "output": "text"}
    return made


@pytest.fixture
def stubborn() -> Iterator[subprocess.Popen[bytes]]:
    argv = [sys.executable, "-IS", "-uc", STUBBORN]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True) as agent:
        assert agent.stdout is not None
        assert agent.stdout.read(1) == b"\n"
        try:
            yield agent
        finally:
            agent.kill()


def own() -> RunProcess:
    found = process(os.getpid())
    assert found is not None
    return found


def noted(directory: Path, agent: int, owner: RunProcess) -> Path:
    found = process(agent)
    assert found is not None
    path = directory / DIRECTORY / "run-1"
    path.parent.mkdir(mode=0o700, parents=True)
    path.write_bytes(msgspec.json.encode(RunNote(found, owner)))
    return path


def dead() -> RunProcess:
    """A process whose number another has now."""
    here = own()
    return RunProcess(here.pid, here.started - 1, here.space)


async def test_a_run_is_noted_for_as_long_as_it_goes_on(lab: Lab) -> None:
    lab.program("import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)")
    running = asyncio.ensure_future(lab.runs.run(lab.profile, HeadlessRequest(prompt="x")))
    notes = lab.directory / "config" / DIRECTORY
    await _until(lambda: notes.is_dir() and [path for path in notes.iterdir() if path.stat().st_size])
    (path,) = notes.iterdir()
    note = msgspec.json.decode(path.read_bytes(), type=RunNote)
    assert note.owner == own()
    assert note.agent.lives()
    assert path.stat().st_mode & 0o777 == 0o600
    (lab.home / "go").touch()
    await running
    await _until(lambda: not list(notes.iterdir()))


async def test_what_a_killed_daemon_has_left_is_ended_before_the_next_run(
    lab: Lab, stubborn: subprocess.Popen[bytes]
) -> None:
    path = noted(lab.directory / "config", stubborn.pid, dead())
    lab.program(f"import os\nprint(os.path.exists('/proc/{stubborn.pid}/exe') and 'beside')")
    done = await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))
    assert done.output == "False\n"
    assert stubborn.wait(10) == -signal.SIGKILL
    assert not path.exists()


async def test_runs_of_living_processes_are_left_alone(tmp_path: Path, stubborn: subprocess.Popen[bytes]) -> None:
    path = noted(tmp_path, stubborn.pid, own())
    await Leftovers(tmp_path, 0.2, print).end()
    assert stubborn.poll() is None
    assert path.exists()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b'{"agent":1}'])
async def test_a_note_that_cannot_be_read_goes(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / DIRECTORY / "run-1"
    path.parent.mkdir()
    path.write_bytes(content)
    await Leftovers(tmp_path, 0.2, print).end()
    assert not path.exists()


async def test_another_process_of_the_same_number_is_no_leftover(
    tmp_path: Path, stubborn: subprocess.Popen[bytes]
) -> None:
    path = noted(tmp_path, stubborn.pid, dead())
    note = msgspec.json.decode(path.read_bytes(), type=RunNote)
    earlier = RunProcess(note.agent.pid, note.agent.started - 1, note.agent.space)
    path.write_bytes(msgspec.json.encode(RunNote(earlier, note.owner)))
    await Leftovers(tmp_path, 0.2, print).end()
    assert stubborn.poll() is None
    assert not path.exists()


async def test_a_run_that_cannot_be_noted_goes_on(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    (lab.directory / "config").mkdir(exist_ok=True)
    (lab.directory / "config" / DIRECTORY).write_bytes(b"")
    lab.program("print('done')")
    assert (await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))).output == "done\n"
    async with asyncio.timeout(10):  # the note is written beside the run
        while "cannot be noted" not in caplog.text:
            await asyncio.sleep(0.01)


async def test_an_agent_starts_though_its_use_cannot_be_noted(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    async def touch(alias: str) -> None:
        raise ConfigurationError("The file cannot be used: No space left on device.")

    lab.program("print('done')")
    lab.launcher._profiles.touch = touch  # type: ignore[method-assign]
    assert (await lab.runs.run(lab.profile, HeadlessRequest(prompt="x"))).output == "done\n"
    assert "No space left" in caplog.text


async def _until(met: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not met():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
