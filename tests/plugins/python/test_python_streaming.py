"""Long lists to and from a program: in parts, whole or not at all, whatever becomes of its process meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.jsontext import LARGE, Json
from jackfield.api.nodes.items import LONG
from jackfield.api.scripting import rows
from jackfield.api.scripting.frames import Body, Frame
from jackfield.api.scripting.rows import ScriptRows, json_of
from jackfield.api.scripts import ScriptData, ScriptError
from jackfield_python.engine import PythonEngine
from jackfield_python.worker import PythonWorker

DEADLINE = 20.0
STUCK = """
class Endless(dict):
    def __init__(self):
        super().__init__(a=1)
    def items(self):
        while True: pass
return [{"json": {"n": n}} if n < 20_000 else Endless() for n in range(30_000)]
"""
"""Most of this list has been given when it hangs."""


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> list[Frame]:
    """Those that came before an answer's last one."""
    found: list[Frame] = []
    take = ScriptRows.take

    async def taken(rows: ScriptRows, frame: Frame) -> None:
        found.append(frame)
        await take(rows, frame)

    monkeypatch.setattr(ScriptRows, "take", taken)
    return found


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Pids of those that were asked, one for each request."""
    found: list[int] = []
    request = PythonWorker.request

    async def asked(worker: PythonWorker, *given: Any) -> object:
        found.append(worker._process.pid)
        return await request(worker, *given)

    monkeypatch.setattr(PythonWorker, "request", asked)
    return found


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not condition():
            await asyncio.sleep(0.005)


def child_of(pid: int) -> int:
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


def numbered(count: int) -> list[Any]:
    return [{"json": {"n": n, "text": f"é {n}"}} for n in range(count)]


@pytest.mark.parametrize("count", [0, 1, 64, 65, 1000, LONG + 3000])
async def test_lists_of_any_length_come_whole(run: Any, frames: list[Frame], count: int) -> None:
    given = numbered(count)
    assert (await run("return _input.all()", input=given)).value == given
    assert (len(frames) > 0) == (count > 64)
    each = await run("return {**_json, 'i': _itemIndex}", input=given, each=True)
    assert each.value == [{**item["json"], "i": n} for n, item in enumerate(given)]
    assert all(len(frame.body) < 200_000 for frame in frames)


async def test_large_elements_come_by_themselves(run: Any, frames: list[Frame]) -> None:
    found = (await run("return [{'n': n, 'text': 'x' * 200_000} for n in range(80)]")).value
    assert found == [{"n": n, "text": "x" * 200_000} for n in range(80)]
    assert frames[0].number == 16
    assert {frame.number for frame in frames[3:]} == {1}


async def test_what_cannot_be_written_in_the_middle_is_named_by_its_place(run: Any, frames: list[Frame]) -> None:
    with pytest.raises(ScriptError) as caught:
        await run("return [{'n': n} if n != 4_321 else {'deep': [object()]} for n in range(5_000)]")
    assert "the result[4321].deep[0] is of the type object" in caught.value.message
    assert frames


async def test_odd_values_in_the_middle_are_written_the_careful_way(run: Any) -> None:
    source = "return [n if n % 500 else (float('nan'), {n}, datetime.date(2026, 1, 2)) for n in range(2_000)]"
    found = (await run(f"import datetime\n{source}")).value
    assert found == [n if n % 500 else [None, [n], "2026-01-02"] for n in range(2_000)]


async def test_a_failure_in_the_middle_of_each_item_names_it(run: Any, frames: list[Frame]) -> None:
    with pytest.raises(ScriptError) as caught:
        await run("return {'n': 1 / (4_000 - _itemIndex), 'text': 'x' * 100}", input=numbered(5_000), each=True)
    assert (caught.value.item, caught.value.message) == (4_000, "ZeroDivisionError: division by zero")
    assert frames


async def test_a_death_in_the_middle_of_a_list_fails_that_run_alone(
    run: Any, frames: list[Frame], workers: list[int]
) -> None:
    doomed = asyncio.ensure_future(run(STUCK))
    await until(lambda: len(frames) > 5)
    os.kill(child_of(workers[0]), signal.SIGKILL)
    with pytest.raises(ScriptError):
        await doomed
    assert (await run("return 2")).value == 2


async def test_a_list_that_is_never_over_ends_with_its_time(run: Any, frames: list[Frame]) -> None:
    with pytest.raises(ScriptError) as caught:
        await run(STUCK, timeout=2)
    assert (caught.value.kind, caught.value.message) == ("timeout", "The program did not finish within 2 seconds.")
    assert frames
    assert (await run("return 2")).value == 2


async def test_a_list_that_needs_too_much_memory_names_the_limit(
    make_engine: Callable[..., PythonEngine], frames: list[Frame]
) -> None:
    engine = make_engine(memory=32, max_memory=64)
    source = """
class Grows(dict):
    def __init__(self):
        super().__init__(a=1)
    def items(self):
        return [str(n) * 1000 for n in range(10 ** 9)]
return [{"n": n} if n < 4_900 else Grows() for n in range(5_000)]
"""
    with pytest.raises(ScriptError) as caught:
        await engine.run(source, ScriptData(input=[]), each=False, timeout=DEADLINE)
    assert caught.value.kind == "memory"
    assert "32 MiB" in caught.value.message
    assert "scripts.python.memory" in caught.value.message
    assert frames


@pytest.mark.parametrize("each", [False, True])
async def test_a_list_with_more_data_than_allowed_names_the_limit(
    make_engine: Callable[..., PythonEngine], each: bool
) -> None:
    engine = make_engine(max_result=1)
    source = "return {'text': 'x' * 1000}" if each else "return [{'text': 'x' * 1000}] * 2_000"
    with pytest.raises(ScriptError) as caught:
        await engine.run(source, ScriptData(input=numbered(2_000)), each=each, timeout=DEADLINE)
    assert "more than the 1 MiB of data that it may" in caught.value.message
    assert "scripts.python.max_result" in caught.value.message


async def test_cancelling_in_the_middle_of_a_list_ends_the_process(
    run: Any, frames: list[Frame], workers: list[int]
) -> None:
    task = asyncio.ensure_future(run(STUCK))
    await until(lambda: frames)
    child = child_of(workers[0])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not Path(f"/proc/{child}").exists())
    assert (await run("return 2")).value == 2


async def test_a_long_value_is_parsed_beside_the_event_loop(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An item may be as long as a list."""
    threads: list[threading.Thread] = []

    def parsed(body: Body) -> Json:
        threads.append(threading.current_thread())
        return json_of(body)

    monkeypatch.setattr(rows, "json_of", parsed)
    result = await run(f'return {{"json": {{"text": "x" * {LARGE}}}}}')
    assert result.value == {"json": {"text": "x" * LARGE}}
    assert threading.main_thread() not in threads
    assert threads
