"""What all scripts may take together."""

from __future__ import annotations

import asyncio
import threading

import pytest

from jackfield.api.scripts import ScriptError
from jackfield_rhai.engine import RhaiEngine
from jackfield_rhai.settings import RhaiSettings


@pytest.mark.parametrize(
    ("threads", "each", "total", "expected"),
    [(2, 64, 128, (2, 64)), (8, 64, 128, (2, 64)), (8, 64, 100, (1, 64)), (8, 64, 16, (1, 16)), (1, 64, 1024, (1, 64))],
)
def test_no_more_run_than_have_room(threads: int, each: int, total: int, expected: tuple[int, int]) -> None:
    settings = RhaiSettings(threads=threads, max_memory=each, total_memory=total)
    assert (settings.side_by_side, settings.memory_each) == expected
    assert settings.side_by_side * settings.memory_each <= total


async def test_the_others_wait_and_are_then_refused() -> None:
    engine = RhaiEngine(RhaiSettings(threads=8, max_memory=64, total_memory=64, max_wait=0.01))
    begun, go_on = threading.Event(), threading.Event()

    def work() -> bool:
        begun.set()
        return go_on.wait(30)

    first = asyncio.ensure_future(engine._pool.run(work))
    await asyncio.to_thread(begun.wait, 30)
    try:
        with pytest.raises(ScriptError, match="waited too long") as caught:
            await engine.value("1", {})
        assert caught.value.kind == "busy"
    finally:
        go_on.set()
        assert await first
        await engine.close()


async def test_a_script_has_no_more_than_all_may_have() -> None:
    engine = RhaiEngine(RhaiSettings(max_memory=1024, total_memory=1, max_operations=1_000_000))
    try:
        with pytest.raises(ScriptError) as caught:
            await engine.value('let a = []; for i in 0..9000 { a.push("x" + i + "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"); } a.len()', {})  # fmt: skip  # noqa: E501
        assert caught.value.kind == "memory"
    finally:
        await engine.close()
