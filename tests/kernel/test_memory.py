"""Freed memory is given back."""

from __future__ import annotations

import asyncio
import gc
import platform
import subprocess
import sys
import threading
import weakref

import pytest

from jackfield.core.process.memory import LONGEST_BUSY, aged, find_old_cycles, find_trim, trim_forever
from jackfield.testing.clock import FakeClock


async def test_trims_in_a_thread_once_per_interval() -> None:
    clock = FakeClock()
    trims: asyncio.Queue[int] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def trim() -> None:
        loop.call_soon_threadsafe(trims.put_nowait, threading.get_ident())

    task = asyncio.create_task(trim_forever(clock, 30, lambda: trim))
    await clock.advance(29)
    assert trims.empty()
    async with asyncio.timeout(10):
        for _ in range(2):
            while trims.empty():
                await clock.advance(30)
            assert trims.get_nowait() != threading.get_ident()
    task.cancel()


async def test_ends_where_there_is_nothing_to_trim_with() -> None:
    clock = FakeClock()
    task = asyncio.create_task(trim_forever(clock, 30, lambda: None))
    await clock.advance(30)
    await asyncio.wait_for(task, 10)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has malloc_trim")
def test_glibc_has_it() -> None:
    trim = find_trim()
    assert trim is not None
    assert trim() in (0, 1)


ITEMS = """
import gc
from jackfield.cli.processes.serving import COLLECTOR, spare_collector

gc.disable()
spare_collector()
assert gc.get_threshold() == COLLECTOR
looks = [0, 0, 0]
def saw(phase, about):
    looks[about["generation"]] += phase == "start"
gc.callbacks.append(saw)
items = [{"json": {"id": n}} for n in range(20_000)]
for _ in range(5):  # as many nodes, each of which makes items of its own from those before
    items = [{"json": {**item["json"], "more": [n]}, "pairedItem": {"item": n}} for n, item in enumerate(items)]
print(*looks)
"""


def test_no_look_at_everything_while_a_run_makes_20_000_items() -> None:
    """A look at what is alive costs more than the run; the young are looked at, so that cycles do go."""
    done = subprocess.run([sys.executable, "-c", ITEMS], capture_output=True, text=True, timeout=60, check=True)
    young, middle, old = map(int, done.stdout.split())
    assert young > 0
    assert (middle, old) == (0, 0)


async def test_an_idle_process_looks_at_what_is_old_once_and_a_busy_one_each_hour() -> None:
    clock, spent, age, looks = FakeClock(), [0.0], [0], list[float]()
    task = asyncio.create_task(
        find_old_cycles(clock, 30, lambda: looks.append(clock.monotonic()), lambda: spent[0], lambda: age[0])
    )
    begun = clock.monotonic()
    await clock.advance(30)
    assert looks == []  # nothing has become old
    age[0] += 1
    spent[0] += 3
    await clock.advance(30)
    assert looks == []  # it was busy
    spent[0] += 0.1
    for _ in range(3):
        await clock.advance(30)
    assert looks == [begun + 90]
    while clock.monotonic() < begun + 90 + LONGEST_BUSY:
        age[0] += 1
        spent[0] += 3
        assert looks == [begun + 90]
        await clock.advance(30)
    assert looks == [begun + 90, begun + 90 + LONGEST_BUSY]
    task.cancel()


class Linked:
    """Holds itself."""

    def __init__(self) -> None:
        self.own = self


async def test_a_cycle_that_is_old_is_found() -> None:
    clock = FakeClock()
    task = asyncio.create_task(find_old_cycles(clock, 30, used=lambda: 0.0))
    await clock.advance(0)
    made = Linked()
    known, before = weakref.ref(made), aged()
    gc.collect(1)  # whatever lives is old now
    assert aged() != before
    del made
    gc.collect(1)
    assert known() is not None
    await clock.advance(30)
    assert known() is None
    task.cancel()
