"""Work that goes on side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


async def each(given: Iterable[Given], work: Callable[[Given], Awaitable[Made]], most: int) -> list[Made]:
    """The results of the work for each, in their order. most: at the same time. All of it ends before the first failure
    is raised, so that none goes on behind whoever failed."""
    turns = asyncio.Semaphore(most)

    async def one(row: Given) -> Made:
        async with turns:
            return await work(row)

    found = await asyncio.gather(*(one(row) for row in given), return_exceptions=True)
    made: list[Made] = []
    for result in found:
        if isinstance(result, BaseException):
            raise result
        made.append(result)
    return made
