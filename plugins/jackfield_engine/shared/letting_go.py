"""Long lists of items are freed in slices. A million items that go with their last holder take the event loop, and
every other thread, a good part of a second."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from jackfield.api.nodes.items import LONG
from jackfield.api.workflows import Items

_SLICE = 5_000
"""Items that are freed at a time."""
_FEW = 16
"""Items of which each is looked at for long lists in its fields."""


def let_go(lists: Iterable[Items]) -> None:
    """Free the items of these lists on a thread, once the event loop's present callback is over, when their other
    holders should have gone."""
    kept = [part for items in lists for part in _long_parts(items)]
    if kept:
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.run_in_executor, None, _free, kept)


def _long_parts(items: Items) -> Iterable[list[object]]:
    """Copies, which hold the same items."""
    if len(items) > LONG:
        yield list(items)
    elif len(items) <= _FEW:
        for item in items:
            for value in item["json"].values():
                if isinstance(value, list) and len(value) > LONG:
                    yield [*value]


def _free(kept: list[list[object]]) -> None:
    while kept:
        part = kept.pop()
        while part:
            del part[-_SLICE:]
