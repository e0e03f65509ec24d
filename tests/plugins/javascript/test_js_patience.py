"""When the event loop waits for an answer itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from jackfield.api.scripting.stream import FrameStream
from jackfield.api.scripts import ScriptData
from jackfield_javascript.engine import FEW, JavaScriptEngine
from jackfield_javascript.patience import MOST_PASSED_OVER, SOON, Patience
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

LATE = SOON * 2


def passed_over(patience: Patience) -> int:
    """How many evaluations it did not wait for before the next one."""
    count = 0
    while not patience.waits():
        count += 1
    return count


def test_it_waits_while_answers_come_soon() -> None:
    patience = Patience(1)
    for _ in range(5):
        assert patience.waits()
        patience.told(SOON / 2)


def test_behind_late_ones_it_waits_less_and_less() -> None:
    patience = Patience(1)
    found = []
    for _ in range(8):
        patience.told(LATE)
        found.append(passed_over(patience))
    assert found == [2, 4, 8, 16, 32, MOST_PASSED_OVER, MOST_PASSED_OVER, MOST_PASSED_OVER]
    patience.told(SOON / 2)
    assert passed_over(patience) == 0


def test_without_milliseconds_it_never_waits() -> None:
    assert not Patience(0).waits()


@pytest.fixture
async def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Milliseconds of each wait."""
    found: list[int] = []
    wait = FrameStream.frame_now

    def waited(stream: FrameStream, milliseconds: int) -> object:
        found.append(milliseconds)
        return wait(stream, milliseconds)

    monkeypatch.setattr(FrameStream, "frame_now", waited)
    return found


@pytest.fixture
async def ready(request: pytest.FixtureRequest) -> AsyncIterator[JavaScriptEngine]:
    engine = JavaScriptEngine(
        JavaScriptSettings(expression_workers=1, answer_at_once=request.param), SharedWorkerPool()
    )
    yield engine
    await engine.close()


@pytest.mark.parametrize("ready", [0, 2], indirect=True)
async def test_values_are_the_same_however_they_are_waited_for(ready: JavaScriptEngine, asked: list[int]) -> None:
    data = ScriptData(input=[{"json": {"n": n}} for n in range(FEW + 1)])
    for _ in range(10):
        assert await ready.evaluate(["$json.n + 1"], data, [0]) == [[1]]
    assert set(asked) == ({2} if ready._settings.answer_at_once else set())
    asked.clear()
    for _ in range(10):
        assert await ready.evaluate(["$json.n"], data, range(FEW + 1)) == [[n] for n in range(FEW + 1)]
    assert not asked


@pytest.mark.parametrize("ready", [1], indirect=True)
async def test_a_slow_expression_holds_the_loop_up_no_longer_than_that(
    ready: JavaScriptEngine, asked: list[int]
) -> None:
    """Other work goes on while it is evaluated."""
    await ready.evaluate(["1"], ScriptData(input=[{"json": {}}]), [0])
    slow = "(() => { const end = Date.now() + 300; while (Date.now() < end); return 'late' })()"
    turns, over = 0, asyncio.Event()

    async def others() -> None:
        nonlocal turns
        while not over.is_set():
            turns += 1
            await asyncio.sleep(0)

    busy = asyncio.ensure_future(others())
    assert await ready.evaluate([slow], ScriptData(input=[{"json": {}}]), [0]) == [["late"]]
    over.set()
    await busy
    assert turns > 10
    assert len(asked) <= 2
