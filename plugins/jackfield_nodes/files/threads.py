"""Work on threads that is not left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


async def run_to_end(work: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
    """Run on a thread, to its end also when the caller is cancelled meanwhile.

    A descriptor that is closed under a thread may be another file's the moment after.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def opened(
    work: Callable[Arguments, Result],
    give_up: Callable[[Result], object],
    *args: Arguments.args,
    **kwargs: Arguments.kwargs,
) -> Result:
    """The same for work that opens something: `give_up` closes it when the caller was cancelled meanwhile."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if task.exception() is None:
            give_up(task.result())
        raise
