"""Whoever waits for what goes on without it."""

from __future__ import annotations

import asyncio
import gc

import pytest

from jackfield.api.errors import StoreUnavailable
from jackfield.api.futures import outlived


async def test_a_result_and_an_error_come_to_all_who_wait() -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    waiting = [asyncio.create_task(outlived(future)) for _ in range(2)]
    await asyncio.sleep(0)
    future.set_result(7)
    assert await asyncio.gather(*waiting) == [7, 7]
    assert await outlived(future) == 7
    failed: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(outlived(failed))
    await asyncio.sleep(0)
    failed.set_exception(StoreUnavailable())
    with pytest.raises(StoreUnavailable):
        await task


async def test_a_cancelled_wait_leaves_the_future_and_hears_no_error() -> None:
    loop = asyncio.get_running_loop()
    told: list[object] = []
    loop.set_exception_handler(lambda _, context: told.append(context))
    future: asyncio.Future[int] = loop.create_future()
    task = asyncio.create_task(outlived(future))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not future.done()
    future.set_exception(StoreUnavailable())
    await asyncio.sleep(0)
    del future, task
    gc.collect()
    assert told == []
