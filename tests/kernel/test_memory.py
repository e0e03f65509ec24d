"""Freed memory is given back."""

from __future__ import annotations

import asyncio
import platform
import threading

import pytest

from jackfield.core.memory import find_trim, trim_forever
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
