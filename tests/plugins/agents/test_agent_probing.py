"""Running the commands that detect agents."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from agent_bench import environment, gone
from hypothesis import given
from hypothesis import strategies as st

from jackfield.testing.processes import is_running
from jackfield_agents import probing
from jackfield_agents.probing import KEPT, probe, version_in


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.1.197 (Claude Code)", "2.1.197"),
        ("codex-cli 0.169.0", "0.169.0"),
        ("1.18.33\n", "1.18.33"),
        ("v3.0.0-beta.2", "3.0.0-beta.2"),
        ("tool version 7", None),
        ("", None),
        ("node 22 warns; tool 1.2", "1.2"),
        ("..1.. 2.3.", "2.3"),
    ],
)
def test_the_version_is_the_first_dotted_number(text: str, version: str | None) -> None:
    assert version_in(text) == version


@given(st.text())
def test_any_output_is_read(text: str) -> None:
    found = version_in(text)
    assert found is None or found in text


async def sh(script: str, timeout: float = 5) -> probing.ProbeOutcome:
    return await probe(["/bin/sh", "-c", script], timeout, environment())


async def test_a_command_that_succeeds_gives_its_version_from_either_stream() -> None:
    assert await sh("echo tool 1.2.3") == probing.ProbeOutcome(None, "1.2.3")
    assert await sh("echo tool 1.2.3 >&2") == probing.ProbeOutcome(None, "1.2.3")


async def test_a_command_that_fails_says_how() -> None:
    assert (await sh("echo 1.2.3; exit 3")).failure == "ended with exit code 3"
    assert (await sh("kill -TERM $$")).failure == "was ended by signal 15"
    outcome = await probe(["/nonexistent/tool"], 5, environment())
    assert "No such file" in str(outcome.failure)


async def test_a_text_without_a_program_behind_it_is_no_program(tmp_path: Path) -> None:
    path = tmp_path / "tool"
    path.write_bytes(b"\0\1\2")
    path.chmod(0o755)
    assert "cannot be started" in str((await probe([str(path)], 5, environment())).failure)


async def test_the_whole_group_is_killed_at_the_limit(tmp_path: Path) -> None:
    started = time.monotonic()
    outcome = await sh(f"sleep 60 & echo $! > {tmp_path}/child; echo $$ > {tmp_path}/self; wait", timeout=0.5)
    assert outcome.timed_out
    assert outcome.failure == "did not end within 0.5 s"
    assert time.monotonic() - started < 4
    for name in ("self", "child"):
        assert await gone(int((tmp_path / name).read_text()))


async def test_a_child_that_holds_the_output_does_not_delay_the_answer(tmp_path: Path) -> None:
    started = time.monotonic()
    outcome = await sh(f"sleep 60 & echo $! > {tmp_path}/child; echo tool 1.2.3")
    assert outcome == probing.ProbeOutcome(None, "1.2.3")
    assert time.monotonic() - started < 4
    assert await gone(int((tmp_path / "child").read_text()))


async def test_cancelling_kills_the_group(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    task = asyncio.ensure_future(sh(f"echo $$ > {mark}.new; mv {mark}.new {mark}; exec sleep 60", timeout=60))
    while not mark.exists():
        await asyncio.sleep(0.01)
    pid = int(mark.read_text())
    assert is_running(pid)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await gone(pid)


async def test_cancelling_while_it_starts_leaves_nothing(tmp_path: Path) -> None:
    for turns in range(8):
        task = asyncio.ensure_future(sh(f"echo $$ >> {tmp_path}/pids; exec sleep 60", timeout=60))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    left = (tmp_path / "pids").read_text().split() if (tmp_path / "pids").exists() else []
    for pid in left:
        assert await gone(int(pid))


async def test_much_output_is_read_and_dropped() -> None:
    outcome = await sh(f"echo tool 1.2.3; head -c {KEPT * 20} /dev/zero; echo 9.9.9")
    assert outcome == probing.ProbeOutcome(None, "1.2.3")


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def test_no_descriptors_are_left_open() -> None:
    await sh("true")
    before = open_descriptors()
    for _ in range(5):
        await sh("true")
        await sh("sleep 5", timeout=0.02)
        await probe(["/nonexistent/tool"], 5, environment())
    assert open_descriptors() <= before + 1


def test_secrets_of_the_daemon_are_not_passed_on() -> None:
    given = {"PATH": "/bin", "HOME": "/h", "ANTHROPIC_API_KEY": "k", "JACKFIELD_ENCRYPTION_KEY": "k", "LANG": "C"}
    assert probing.environment(given) == {
        "PATH": "/bin",
        "HOME": "/h",
        "LANG": "C",
        "TERM": "dumb",
        "NO_COLOR": "1",
    }


async def test_input_is_empty_and_no_shell_is_between() -> None:
    assert await sh("read line || echo 1.1.1") == probing.ProbeOutcome(None, "1.1.1")
    assert await probe(["/bin/echo", "2.2.2; exit 1 $(id)"], 5, environment()) == probing.ProbeOutcome(None, "2.2.2")
