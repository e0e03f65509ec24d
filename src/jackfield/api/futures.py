"""Waiting for what goes on without whoever waits."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from functools import partial
from typing import TypeVar

ResultT = TypeVar("ResultT")


async def outlived(future: asyncio.Future[ResultT]) -> ResultT:
    """The result of a future that a cancellation of whoever waits leaves alone. As `asyncio.shield`, at half of its
    cost, which an execution pays at each of its checkpoints."""
    if not future.done():
        waiting: asyncio.Future[None] = future.get_loop().create_future()
        future.add_done_callback(partial(_wake, waiting))
        await waiting
    return future.result()


@contextlib.asynccontextmanager
async def first_of(
    work: Coroutine[object, object, ResultT], *ends: Coroutine[object, object, None]
) -> AsyncIterator[tuple[asyncio.Task[ResultT], list[asyncio.Task[None]]]]:
    """The tasks of the work and of what ends it, once one of them is done. Those that are not are cancelled behind the
    context, and have ended with it."""
    task = asyncio.ensure_future(work)
    ending = [asyncio.ensure_future(one) for one in ends]
    try:
        await asyncio.wait([task, *ending], return_when=asyncio.FIRST_COMPLETED)
        yield task, ending
    finally:
        for one in (task, *ending):
            one.cancel()
        await asyncio.gather(task, *ending, return_exceptions=True)


def _wake(waiting: asyncio.Future[None], future: asyncio.Future[ResultT]) -> None:
    if not waiting.done():
        waiting.set_result(None)
    elif not future.cancelled():
        future.exception()  # nobody hears of it any more, which is no news
