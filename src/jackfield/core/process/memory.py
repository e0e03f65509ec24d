"""Keeping resident memory flat with glibc's allocator. The store's threads allocate and free blocks of every size;
glibc would keep what they free, in pieces and for each thread apart, so that resident memory creeps up although nothing
is held. With one arena for all threads (which the interpreter's lock lets in one at a time anyway) and freed memory
given back now and then it stays where it is: `python bench/memory.py`."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
from collections.abc import Callable

from jackfield.api.clock import Clock

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
    """Every `interval` seconds, the first time one interval after the start, which has no time for it; ends where the C
    library has nothing to trim with."""
    await clock.sleep(interval)
    trim = await asyncio.to_thread(find)
    while trim is not None:
        await asyncio.to_thread(trim)
        await clock.sleep(interval)
