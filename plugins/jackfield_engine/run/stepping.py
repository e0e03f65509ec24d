"""Awaiting with an eye on the time: most nodes end without ever giving up the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, TypeVar

T = TypeVar("T")


async def watched(work: Awaitable[T], seconds: float, slow: Callable[[], None]) -> T:
    """Await the work; call `slow` once when it takes longer. Costs nothing for work that ends at once."""
    if not isinstance(work, Coroutine):
        return await work
    try:
        first = work.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    timer = asyncio.get_running_loop().call_later(seconds, slow)
    try:
        return await _Rest(work, first)
    finally:
        timer.cancel()


class _Rest(Awaitable[T]):
    """The rest of a coroutine that has given out its first future."""

    def __init__(self, work: Coroutine[Any, Any, T], first: Any) -> None:  # what it gives out is the event loop's own
        self._work = work
        self._first = first

    def __await__(self) -> Generator[Any, Any, T]:
        waits = self._first
        while True:
            thrown: BaseException | None = None
            sent = None
            try:
                sent = yield waits
            except BaseException as exc:
                thrown = exc
            try:
                waits = self._work.send(sent) if thrown is None else self._work.throw(thrown)
            except StopIteration as stop:
                result: T = stop.value
                return result
