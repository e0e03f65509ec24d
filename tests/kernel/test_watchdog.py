"""What the watchdog tells: callbacks that have the processor for longer than the threshold, and what waits for long."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import FrameType
from typing import ClassVar, cast

import pytest

from jackfield.api.clock import SystemClock
from jackfield.core.process.watchdog import WAITING, BlockingCode, Watchdog, _callback

THRESHOLD = 0.05


class Told:
    def __init__(self) -> None:
        self.found: list[tuple[BlockingCode, float]] = []

    async def by(self, timeout: float) -> BlockingCode | None:
        """What is told within so many seconds."""
        deadline = time.monotonic() + timeout
        while not self.found and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        return self.found[0][0] if self.found else None


@pytest.fixture
async def told() -> AsyncIterator[Told]:
    made = Told()
    watchdog = Watchdog(THRESHOLD, lambda _: "", lambda *found: made.found.append(found), SystemClock())
    watchdog.start(asyncio.get_running_loop())
    await asyncio.sleep(0)
    yield made
    watchdog.stop()


def computes(seconds: float) -> None:
    """Of the thread's own processor time, however busy the machine is."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


async def test_a_callback_that_computes_is_told(told: Told) -> None:
    computes(4 * THRESHOLD)
    holder = await told.by(5)
    assert holder is not None
    assert "computes" in holder.place


async def test_an_import_says_that_it_is_one(told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_to_import.py").write_text(f"import time\ntime.sleep({WAITING + 4 * THRESHOLD})\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("slow_to_import")
    holder = await told.by(5)
    assert holder is not None
    assert holder.loading
    told.found.clear()
    computes(4 * THRESHOLD)
    other = await told.by(5)
    assert other is not None
    assert not other.loading


async def test_a_callback_that_waits_is_told_after_longer(told: Told) -> None:
    time.sleep(WAITING + 4 * THRESHOLD)
    holder = await told.by(5)
    assert holder is not None
    assert "test_a_callback_that_waits" in holder.place


async def test_many_short_callbacks_are_not(told: Told) -> None:
    """Each gives way; a round of the loop with all of them takes longer than the threshold."""

    async def short() -> None:
        for _ in range(5):
            computes(THRESHOLD / 20)
            await asyncio.sleep(0)

    await asyncio.gather(*(short() for _ in range(40)))
    assert await told.by(4 * THRESHOLD) is None


def test_a_frame_that_the_loop_leaves_meanwhile_is_the_outermost() -> None:
    """The loop runs on while another thread looks: what was above a frame a moment ago is not there any more."""

    class LeftFrame:
        f_globals: ClassVar[dict[str, object]] = {"__name__": "ours"}

        def __init__(self, *above: object) -> None:
            self._above = list(above)

        @property
        def f_back(self) -> object:
            return self._above.pop(0) if self._above else None

    inner = LeftFrame(LeftFrame())
    found = _callback(cast("FrameType", inner))
    assert found is not inner
    assert inner.f_back is None
