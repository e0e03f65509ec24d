"""Work on threads that is not to be given up half way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


async def whole(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Run on a thread, to the end even when the caller is cancelled, and more than once: what comes after must not run
    beside it."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *arguments, **named))
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as exc:
            cancelled = exc
    if cancelled is not None:
        running.exception()  # looked at, so that nobody complains that it was not
        raise cancelled
    return running.result()
