"""When the event loop waits for an answer itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from jackfield.api.scripting.stream import FrameStream
from jackfield.api.scripts import ScriptData
from jackfield_javascript.engine import FEW, JavaScriptEngine
from jackfield_javascript.patience import MOST_PASSED_OVER, Patience
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool


def looks(patience: Patience, *, answers: bool) -> bool:
    """Whether it looked out for an answer."""
    looked: list[float] = []

    def look(seconds: float) -> str | None:
        looked.append(seconds)
        return "an answer" if answers else None

    assert patience.found(look) == ("an answer" if answers and looked else None)
    assert looked in ([], [80e-6])
    return bool(looked)


def test_it_looks_out_while_answers_come_in_time() -> None:
    patience = Patience(80)
    assert all(looks(patience, answers=True) for _ in range(5))


def test_behind_late_ones_it_looks_out_less_and_less() -> None:
    patience = Patience(80)
    passed_over: list[int] = []
    for _ in range(8):
        assert looks(patience, answers=False)
        passed_over.append(sum(not looks(patience, answers=False) for _ in range(patience._left)))
    assert passed_over == [2, 4, 8, 16, 32, MOST_PASSED_OVER, MOST_PASSED_OVER, MOST_PASSED_OVER]
    assert looks(patience, answers=True)
    assert looks(patience, answers=True)


def test_without_microseconds_it_never_looks() -> None:
    assert Patience(0).found(lambda seconds: "an answer") is None


@pytest.fixture
async def asked(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds of each look."""
    found: list[float] = []
    look = FrameStream.frame_now

    def looked(stream: FrameStream, seconds: float) -> object:
        found.append(seconds)
        return look(stream, seconds)

    monkeypatch.setattr(FrameStream, "frame_now", looked)
    return found


@pytest.fixture
async def ready(request: pytest.FixtureRequest) -> AsyncIterator[JavaScriptEngine]:
    engine = JavaScriptEngine(
        JavaScriptSettings(expression_workers=1, answer_at_once=request.param), SharedWorkerPool()
    )
    yield engine
    await engine.close()


@pytest.mark.parametrize("ready", [0, 1000], indirect=True)
async def test_values_are_the_same_however_they_are_waited_for(ready: JavaScriptEngine, asked: list[float]) -> None:
    data = ScriptData(input=[{"json": {"n": n}} for n in range(FEW + 1)])
    for _ in range(10):
        assert await ready.evaluate(["$json.n + 1"], data, [0]) == [[1]]
    assert bool(asked) == bool(ready._settings.answer_at_once)
    assert set(asked) <= {0.001}
    asked.clear()
    for _ in range(10):
        assert await ready.evaluate(["$json.n"], data, range(FEW + 1)) == [[n] for n in range(FEW + 1)]
    assert not asked


@pytest.mark.parametrize("ready", [1000], indirect=True)
async def test_a_slow_expression_holds_the_loop_up_no_longer_than_that(
    ready: JavaScriptEngine, asked: list[float]
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
