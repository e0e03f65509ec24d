"""Waits for a store that does not answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from jackfield.api.clock import Clock
from jackfield.api.errors import StoreUnavailable

T = TypeVar("T")
_RETRY_S = 1.0
"""Between two tries."""


async def answered(clock: Clock, ask: Callable[[], Awaitable[T]]) -> T:
    """The result of `ask`, which is asked until the store answers."""
    while True:
        try:
            return await ask()
        except StoreUnavailable:
            await clock.sleep(_RETRY_S)
