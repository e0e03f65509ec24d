"""Work over many items in slices, so that others get the event loop in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

T = TypeVar("T")

SLICE = 500
"""Items of one slice: some milliseconds of work, even where each item is a few conditions to evaluate."""


async def each(rows: Iterable[T], size: int = SLICE) -> AsyncIterator[tuple[int, T]]:
    """(index, row) of every row, with a pause after every `size` rows."""
    for index, row in enumerate(rows):
        if index and not index % size:
            await asyncio.sleep(0)
        yield index, row
