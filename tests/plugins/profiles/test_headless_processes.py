"""Child processes: their ends, their output, and what is left of them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import InvalidInput
from jackfield.api.process_containers import ProcessContainers
from jackfield.testing.context import FakeContext
from jackfield.testing.processes import is_running
from jackfield_profiles.launching.processes import Finished, OutputTail, ProcessStart, _feed
from jackfield_profiles.launching.processes import run_process as run_in_container

STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    if os.fork() == 0:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    with open(sys.argv[1] + "." + str(os.getpid()), "w"):
        pass
    time.sleep(60)
    os._exit(0)
{after}
"""


def start(tmp_path: Path, source: str, *args: str, stdin: bytes | None = None, **more: float) -> ProcessStart:
    argv = (sys.executable, "-IS", "-c", source, *args)
    limits = {"timeout": 20.0, "grace": 0.2, **more}
    return ProcessStart(
        argv, tmp_path, dict(os.environ), stdin, limits["timeout"], limits["grace"], int(more.get("limit", 4096))
    )


async def run_process(given: ProcessStart, started: Callable[[int], None] = lambda pid: None) -> Finished:
    container = await FakeContext(given.cwd.parent).port(ProcessContainers).open("run-1")  # type: ignore[type-abstract]
    return await run_in_container(given, container, started)


async def until(what: object, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not what():  # type: ignore[operator]
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


def pids(tmp_path: Path) -> list[int]:
    return [int(path.suffix[1:]) for path in tmp_path.glob("pid.*")]


async def test_output_errors_exit_code_and_input(tmp_path: Path) -> None:
    source = "import sys; print(sys.stdin.read()[::-1]); print('oh', file=sys.stderr); sys.exit(7)"
    seen: list[int] = []
    ended = await run_process(start(tmp_path, source, stdin=b"abc"), seen.append)
    assert (ended.exit_code, ended.stdout, ended.stderr, ended.timed_out) == (7, b"cba\n", b"oh\n", False)
    assert len(seen) == 1
    assert not Path(f"/proc/{seen[0]}").exists()


async def test_without_input_standard_input_is_at_its_end(tmp_path: Path) -> None:
    ended = await run_process(start(tmp_path, "import sys; print(repr(sys.stdin.read()))"))
    assert ended.stdout == b"''\n"


async def test_the_input_can_be_opened_by_its_name(tmp_path: Path) -> None:
    """As Aider does."""
    ended = await run_process(start(tmp_path, "print(len(open('/dev/stdin').read()))", stdin=b"x" * 2**20))
    assert ended.stdout == b"1048576\n"


async def test_input_that_nobody_reads_hinders_nothing(tmp_path: Path) -> None:
    ended = await run_process(start(tmp_path, "print(1)", stdin=b"x" * 2**22))
    assert (ended.exit_code, ended.stdout) == (0, b"1\n")


@pytest.mark.parametrize("passes", range(1, 6))
async def test_cancelled_while_its_input_is_connected_it_is_closed_once(passes: int) -> None:
    """A second time, by its number, it might be another file."""
    failures: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
    source, mouth = os.pipe()
    os.set_blocking(source, False)
    feeding = asyncio.ensure_future(_feed(mouth, b"x"))
    for _ in range(passes):
        await asyncio.sleep(0)
    feeding.cancel()
    await asyncio.wait({feeding})
    for _ in range(6):
        await asyncio.sleep(0)
    try:
        assert os.read(source, 2) in (b"", b"x")  # nobody can write any more
    finally:
        os.close(source)
    assert failures == []


async def test_a_signal_is_128_and_its_number(tmp_path: Path) -> None:
    ended = await run_process(start(tmp_path, "import os; os.kill(os.getpid(), 9)"))
    assert ended.exit_code == 128 + signal.SIGKILL


async def test_of_much_output_the_end_is_kept(tmp_path: Path) -> None:
    ended = await run_process(start(tmp_path, "for i in range(200000): print(i)", limit=1024))
    assert len(ended.stdout) == 1024
    assert ended.stdout.endswith(b"199998\n199999\n")


async def test_a_process_group_that_ignores_term_is_killed_at_the_timeout(tmp_path: Path) -> None:
    source = STUBBORN.format(after="time.sleep(60)")
    began = time.monotonic()
    ended = await run_process(start(tmp_path, source, str(tmp_path / "pid"), timeout=1.5))
    assert (ended.timed_out, ended.exit_code) == (True, 128 + signal.SIGKILL)
    assert time.monotonic() - began < 15
    assert len(pids(tmp_path)) == 2
    assert not [pid for pid in pids(tmp_path) if is_running(pid)]


async def test_cancelling_kills_children_and_their_children(tmp_path: Path) -> None:
    running = asyncio.ensure_future(
        run_process(start(tmp_path, STUBBORN.format(after="time.sleep(60)"), str(tmp_path / "pid")))
    )
    await until(lambda: len(pids(tmp_path)) == 2)
    assert all(is_running(pid) for pid in pids(tmp_path))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not [pid for pid in pids(tmp_path) if is_running(pid)]


async def test_a_second_cancellation_kills_at_once(tmp_path: Path) -> None:
    running = asyncio.ensure_future(
        run_process(start(tmp_path, STUBBORN.format(after="time.sleep(60)"), str(tmp_path / "pid"), grace=60))
    )
    await until(lambda: len(pids(tmp_path)) == 2)
    running.cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await until(lambda: not [pid for pid in pids(tmp_path) if is_running(pid)])


async def test_what_an_agent_leaves_behind_is_ended_with_it(tmp_path: Path) -> None:
    source = STUBBORN.format(after="print('done'); sys.stdout.flush()\nwhile True:\n  import glob\n  "
                             "if len(glob.glob(sys.argv[1] + '.*')) == 2: os._exit(3)")  # fmt: skip
    ended = await run_process(start(tmp_path, source, str(tmp_path / "pid")))
    assert (ended.exit_code, ended.stdout, ended.timed_out) == (3, b"done\n", False)
    assert not [pid for pid in pids(tmp_path) if is_running(pid)]


@pytest.mark.parametrize("argument", ["half \ud800", "nul \0"])
async def test_what_no_program_can_be_given_is_told(tmp_path: Path, argument: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be started"):
        await run_process(start(tmp_path, "pass", argument))


async def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    good = start(tmp_path, "")
    with pytest.raises(InvalidInput, match=r"/no/such cannot be started: No such file"):
        await run_process(ProcessStart(("/no/such",), tmp_path, {}, None, 1, 1, 1))
    with pytest.raises(InvalidInput, match=r"working directory .*gone is not there"):
        await run_process(ProcessStart(good.argv, tmp_path / "gone", {}, None, 1, 1, 1))
    with pytest.raises(InvalidInput, match="shorter prompt"):
        await run_process(ProcessStart((*good.argv, "x" * 2**22), tmp_path, {}, None, 1, 1, 1))


@pytest.mark.parametrize(
    "same",
    [
        test_output_errors_exit_code_and_input,
        test_input_that_nobody_reads_hinders_nothing,
        test_a_process_group_that_ignores_term_is_killed_at_the_timeout,
        test_cancelling_kills_children_and_their_children,
        test_what_an_agent_leaves_behind_is_ended_with_it,
    ],
)
def test_the_same_on_uvloop(tmp_path: Path, same: Callable[[Path], Coroutine[None, None, None]]) -> None:
    loop = pytest.importorskip("uvloop").new_event_loop()
    try:
        loop.run_until_complete(same(tmp_path))
    finally:
        loop.close()


@given(chunks=st.lists(st.binary(max_size=20)), limit=st.integers(1, 50))
def test_the_tail_is_the_end_of_all_and_holds_little(chunks: list[bytes], limit: int) -> None:
    tail = OutputTail(limit)
    for chunk in chunks:
        if chunk:
            tail.add(chunk)
    assert tail.content() == b"".join(chunks)[-limit:]
    assert tail._kept <= limit + 20


async def test_how_much_was_printed_is_known_when_the_beginning_is_not_kept(tmp_path: Path) -> None:
    source = "import sys; print('x' * 9999); print('end'); sys.stderr.write('oh')"
    ended = await run_process(start(tmp_path, source, limit=8))
    assert (ended.stdout, ended.written_out, ended.stderr, ended.written_err) == (b"xxx\nend\n", 10_004, b"oh", 2)
