"""Keeping resident memory flat.

Only a look at everything finds garbage in cycles that has outlived two looks of the cyclic collector. Such a look takes
milliseconds for each 10,000 objects. The daemon's thresholds put it off forever, so that no run is walked while it
grows: it has its time when nothing else is done.

With glibc's allocator, the store's threads allocate and free blocks of every size. It would keep the freed blocks, in
pieces and for each thread apart. So resident memory would creep up although nothing is held. One arena for all threads
costs nothing, since the interpreter's lock lets in one at a time anyway. With it, and freed memory given back now and
then, resident memory stays level: `python bench/memory.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import time
from collections.abc import Callable

from jackfield.api.clock import Clock

IDLE_SHARE = 0.02
"""Of one core: what an idle process stays below."""
LONGEST_BUSY = 3600.0
"""Seconds after which a process that is never idle looks as well."""
_M_ARENA_MAX = -8
"""From glibc's malloc.h."""


def share_arena() -> None:
    """One arena for every thread that starts from now on. Nothing happens with another C library."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def find_trim() -> Callable[[], object] | None:
    """glibc's `malloc_trim(0)`, which takes a few milliseconds without the GIL; None with any other C library."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return None
    return lambda: trim(0)


async def trim_forever(
    clock: Clock, interval: float, find: Callable[[], Callable[[], object] | None] = find_trim
) -> None:
    """Every `interval` seconds, the first time one interval after the start, which has no time for it. Ends where the C
    library has nothing to trim with."""
    await clock.sleep(interval)
    trim = await asyncio.to_thread(find)
    while trim is not None:
        await asyncio.to_thread(trim)
        await clock.sleep(interval)


def aged() -> int:
    """Changes when objects became old that only a look at everything finds."""
    return int(gc.get_stats()[1]["collections"])


async def find_old_cycles(
    clock: Clock,
    interval: float,
    look: Callable[[], object] = gc.collect,
    used: Callable[[], float] = time.process_time,
    age: Callable[[], int] = aged,
) -> None:
    """Look at everything once objects have become old, after an `interval` in which the process did hardly anything, at
    the latest after `LONGEST_BUSY`. On this thread, where what is found may be freed. used: seconds of the processor so
    far."""
    spent, known, looked_at = used(), age(), clock.monotonic()
    while True:
        await clock.sleep(interval)
        is_idle = used() - spent < interval * IDLE_SHARE
        if age() != known and (is_idle or clock.monotonic() - looked_at >= LONGEST_BUSY):
            look()
            known, looked_at = age(), clock.monotonic()
        spent = used()
