"""The worker processes: killed in time, replaced after a death, confined, and gone after close."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from jackfield.api.scripts import ScriptData, ScriptError
from jackfield.testing.processes import is_running
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

DATA = ScriptData(input=[{"json": {}}])
FOREVER = "for (;;);"
DEADLINE = 5.0


def children() -> set[int]:
    """Worker processes of this test process, by pid."""
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else []
            command = (entry / "cmdline").read_bytes() if fields else b""
        except OSError:
            continue
        if fields and int(fields[1]) == os.getpid() and b"jackfield_javascript/child.py" in command:
            found.add(int(entry.name))
    return found


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not condition():
            await asyncio.sleep(0.005)


@pytest.fixture
async def two() -> AsyncIterator[JavaScriptEngine]:
    engine = JavaScriptEngine(JavaScriptSettings(code_workers=2), SharedWorkerPool())
    yield engine
    await engine.close()


async def run(engine: JavaScriptEngine, source: str, timeout: float = 5) -> object:
    return (await engine.run(source, DATA, each=False, timeout=timeout)).value


@pytest.mark.parametrize("size", [0, 60_000, 65_536, 70_000, 1_000_000])
async def test_answers_arrive_whole_in_however_many_pieces(two: JavaScriptEngine, size: int) -> None:
    text = (await two.evaluate([f"'é'.repeat({size}) + 'end'"], DATA, [0]))[0][0]
    assert text == "é" * size + "end"


@pytest.mark.parametrize(
    "source", [FOREVER, "await new Promise((done) => setTimeout(done, 60_000))", "/(a+)+$/.test('a'.repeat(50) + 'b')"]
)
async def test_a_run_is_killed_at_its_deadline(two: JavaScriptEngine, source: str) -> None:
    assert await run(two, "return 1") == 1
    (pid,) = children()
    late = []
    for _ in range(3):  # the machine may be busy with other things
        began = time.perf_counter()
        with pytest.raises(ScriptError) as caught:
            await run(two, source, timeout=0.3)
        late.append(time.perf_counter() - began - 0.3)
        assert caught.value.kind == "timeout"
        await run(two, "return 1")
        if late[-1] < 0.2:
            break
    assert min(late) < 0.2
    await until(lambda: pid not in children())
    assert await run(two, "return 2") == 2


async def test_endless_runs_hold_others_up_for_their_time_only(two: JavaScriptEngine) -> None:
    """Two workers and three endless runs of 0.3 s: the fourth waits for the second round and then runs."""
    began = time.perf_counter()
    *endless, fourth = await asyncio.gather(
        *(run(two, FOREVER, timeout=0.3) for _ in range(3)), run(two, "return 4"), return_exceptions=True
    )
    assert [getattr(error, "kind", None) for error in endless] == ["timeout"] * 3
    assert fourth == 4
    assert time.perf_counter() - began < DEADLINE


async def test_endless_code_does_not_hold_up_expressions(two: JavaScriptEngine) -> None:
    await two.evaluate(["1"], DATA, [0])
    endless = [asyncio.ensure_future(run(two, FOREVER, timeout=1)) for _ in range(3)]
    await asyncio.sleep(0)
    assert await two.evaluate(["1 + 1"], DATA, [0]) == [[2]]
    assert not any(task.done() for task in endless)
    for task in endless:
        task.cancel()
    await asyncio.gather(*endless, return_exceptions=True)


async def test_the_death_of_a_worker_fails_that_run_only(two: JavaScriptEngine) -> None:
    assert await run(two, "return 1") == 1
    (first,) = children()
    doomed = asyncio.ensure_future(run(two, FOREVER))
    await asyncio.sleep(0)
    other = asyncio.ensure_future(run(two, "await new Promise((done) => setTimeout(done, 300)); return 'other'"))
    await until(lambda: len(children()) == 2)
    os.kill(first, signal.SIGKILL)
    with pytest.raises(ScriptError) as caught:
        await doomed
    assert caught.value.kind == "crash"
    assert await other == "other"
    assert await run(two, "return 2") == 2


async def test_a_worker_that_died_while_idle_is_replaced(two: JavaScriptEngine) -> None:
    assert await run(two, "return 1") == 1
    (pid,) = children()
    os.kill(pid, signal.SIGKILL)
    await until(lambda: not is_running(pid))
    assert await run(two, "return 2") == 2


async def test_cancelling_the_caller_kills_the_run(two: JavaScriptEngine) -> None:
    assert await run(two, "return 1") == 1
    (pid,) = children()
    task = asyncio.ensure_future(run(two, FOREVER))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not is_running(pid))
    assert await run(two, "return 2") == 2


async def test_cancelling_one_that_waits(two: JavaScriptEngine) -> None:
    busy = [asyncio.ensure_future(run(two, FOREVER, timeout=0.5)) for _ in range(2)]
    waiting = asyncio.ensure_future(run(two, "return 1"))
    await until(lambda: len(children()) == 2)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.gather(*busy, return_exceptions=True)
    assert [await run(two, "return 2"), await run(two, "return 3")] == [2, 3]


async def test_nothing_is_left_after_close() -> None:
    engine = JavaScriptEngine(JavaScriptSettings(), SharedWorkerPool())
    await engine.evaluate(["1"], DATA, [0])
    endless = asyncio.ensure_future(run(engine, FOREVER))
    await until(lambda: len(children()) == 2)
    pids = children()
    await engine.close()
    with pytest.raises(ScriptError):
        await endless
    assert not any(is_running(pid) for pid in pids)
    assert children() == set()
    with pytest.raises(ScriptError):
        await run(engine, "return 1")
    await engine.close()


async def test_no_process_before_the_first_script() -> None:
    engine = JavaScriptEngine(JavaScriptSettings(), SharedWorkerPool())
    assert children() == set()
    await engine.close()


async def test_a_worker_is_replaced_after_its_uses() -> None:
    engine = JavaScriptEngine(JavaScriptSettings(code_workers=1, uses=2), SharedWorkerPool())
    try:
        pids = set()
        for _ in range(4):
            await run(engine, "return 1")
            pids |= children()
        await until(lambda: len(children()) <= 1)
        assert len(pids) >= 2
    finally:
        await engine.close()


async def test_a_worker_is_confined(two: JavaScriptEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JACKFIELD_ENCRYPTION_KEY", "very secret")
    await run(two, "return 1")
    (pid,) = children()
    environment = Path(f"/proc/{pid}/environ").read_bytes()
    names = {entry.partition(b"=")[0] for entry in environment.split(b"\0") if entry}
    assert names <= {b"PATH", b"LANG", b"LC_ALL", b"TZ"}
    assert Path(f"/proc/{pid}/cwd").resolve() == Path("/")
    limits = Path(f"/proc/{pid}/limits").read_text()
    assert "Max core file size        0                    0" in limits
    assert "Max file size             0                    0" in limits
    status = Path(f"/proc/{pid}/status").read_text()
    assert "NoNewPrivs:\t1" in status
    assert "Seccomp:\t2" in status
    assert len(list(Path(f"/proc/{pid}/fd").iterdir())) <= 4


PARENT = """
import asyncio, sys
from jackfield.api.scripts import ScriptData
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

async def main():
    engine = JavaScriptEngine(JavaScriptSettings(), SharedWorkerPool())
    data = ScriptData(input=[{"json": {}}])
    await engine.evaluate(["1"], data, [0])
    asyncio.ensure_future(engine.run("for (;;);", data, each=False, timeout=600))
    kinds = engine._expressions, engine._code
    while not engine._code.alive:
        await asyncio.sleep(0.005)
    print(*(worker.pid for each in kinds for worker in each.alive), flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_workers_die_with_the_daemon() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    try:
        assert parent.stdout is not None
        pids = [int(pid) for pid in (await asyncio.to_thread(parent.stdout.readline)).split()]
        assert len(pids) == 2
        assert all(is_running(pid) for pid in pids)
    finally:
        parent.kill()
        parent.communicate()
    await until(lambda: not any(is_running(pid) for pid in pids))


async def test_a_worker_that_can_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = JavaScriptEngine(JavaScriptSettings(), SharedWorkerPool())
    monkeypatch.setattr(sys, "executable", "/bin/false")
    try:
        with pytest.raises(ScriptError) as caught:
            await run(engine, "return 1")
        assert "could not be started" in caught.value.message
        assert caught.value.kind == "crash"
    finally:
        await engine.close()
    assert children() == set()


async def test_cancelling_during_a_start() -> None:
    engine = JavaScriptEngine(JavaScriptSettings(), SharedWorkerPool())
    task = asyncio.ensure_future(run(engine, "return 1"))
    await until(lambda: len(children()) == 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children() == set()
    assert await run(engine, "return 2") == 2
    await engine.close()


def test_it_works_on_uvloop() -> None:
    uvloop = pytest.importorskip("uvloop")

    async def use() -> object:
        engine = JavaScriptEngine(JavaScriptSettings(), SharedWorkerPool())
        try:
            with pytest.raises(ScriptError):
                await run(engine, FOREVER, timeout=0.1)
            return await run(engine, "return 1"), await engine.evaluate(["2"], DATA, [0])
        finally:
            await engine.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(use()) == (1, [[2]])


async def test_many_at_once(two: JavaScriptEngine) -> None:
    runs = (run(two, f"return {number}") for number in range(40))
    values = (two.evaluate([f"{number} + 1"], DATA, [0]) for number in range(200))
    assert await asyncio.gather(*runs) == list(range(40))
    assert await asyncio.gather(*values) == [[[number + 1]] for number in range(200)]
