"""Execute Command: off by default, bounded, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from integration_fakes import Bench, rows

from jackfield.api.nodes import NodeError
from jackfield.testing.processes import is_running


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench(execute_command=True)


async def test_off_by_default(make_bench: Callable[..., Bench]) -> None:
    with pytest.raises(NodeError, match=r"integrations\.execute_command"):
        await make_bench().json("executeCommand", 1, {"command": "true"})


async def test_output(bench: Bench) -> None:
    made = await bench.json("executeCommand", 1, {"command": "echo ü; echo bad >&2"})
    assert made == [{"exitCode": 0, "stdout": "ü", "stderr": "bad"}]
    two = [{"command": "echo 1", "executeOnce": False}, {"command": "echo 2", "executeOnce": False}]
    assert [row["stdout"] for row in await bench.json("executeCommand", 1, two, rows({}, {}))] == ["1", "2"]
    assert len(await bench.json("executeCommand", 1, {"command": "true"}, rows({}, {}))) == 1


async def test_failures(bench: Bench) -> None:
    with pytest.raises(NodeError, match="exit code 3: oh no"):
        await bench.json("executeCommand", 1, {"command": "echo oh no >&2; exit 3"})
    with pytest.raises(NodeError, match="signal 9"):
        await bench.json("executeCommand", 1, {"command": "kill -9 $$"})
    assert await bench.json("executeCommand", 1, {"command": "exit 1"}, on_error="continueRegularOutput") == [
        {"error": "The command ended with exit code 1."}
    ]
    with pytest.raises(NodeError, match="empty"):
        await bench.json("executeCommand", 1, {"command": " "})


async def test_the_daemons_environment_stays_hidden(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JACKFIELD_ENCRYPTION_KEY", "hidden-value")
    monkeypatch.setenv("LC_TIME", "C")
    (row,) = await bench.json("executeCommand", 1, {"command": "env"})
    assert "hidden-value" not in str(row["stdout"])
    assert "LC_TIME=C" in str(row["stdout"])


async def gone(process: int) -> None:
    end = time.monotonic() + 5
    while is_running(process):
        assert time.monotonic() < end, "the process is still there"
        await asyncio.sleep(0.01)


async def written(file: Path) -> int:
    end = time.monotonic() + 5
    while not (file.exists() and file.read_text().endswith("\n")):
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
    return int(file.read_text())


async def test_timeout_ends_every_process(make_bench: Callable[..., Bench], tmp_path: Path) -> None:
    bench = make_bench(execute_command=True, command_timeout=0.5)
    file = tmp_path / "pid"
    with pytest.raises(NodeError, match=r"longer than 0\.5 seconds"):
        await bench.json("executeCommand", 1, {"command": f"sleep 300 & echo $! > {file}; wait"})
    await gone(await written(file))


async def test_cancelling_ends_every_process(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    command = {"command": f"sleep 300 & echo $! > {file}; wait"}
    task = asyncio.create_task(bench.json("executeCommand", 1, command))
    child = await written(file)
    assert os.getpgid(child) != os.getpgid(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(child)


async def test_a_process_that_leaves_the_session_is_ended(make_bench: Callable[..., Bench], tmp_path: Path) -> None:
    bench = make_bench(execute_command=True, command_timeout=0.5)
    file = tmp_path / "pid"
    with pytest.raises(NodeError, match=r"longer than 0\.5 seconds"):
        await bench.json("executeCommand", 1, {"command": f"setsid sh -c 'echo $$ > {file}; exec sleep 300' & wait"})
    assert not is_running(await written(file))


async def test_output_is_bounded(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(execute_command=True, command_output_bytes=1024)
    for redirect in ("", ">&2"):
        with pytest.raises(NodeError, match="more than 1024 bytes"):
            await bench.json("executeCommand", 1, {"command": f"yes {redirect}"})
