"""Ctrl-C cancels the run and not the command: there is a result to show."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def cancelled_by_interrupt(work: Coroutine[Any, Any, T], otherwise: T) -> T:
    """The work's result. SIGINT and SIGTERM cancel it; it may still give one, else it is `otherwise`."""
    loop = asyncio.get_running_loop()
    task = loop.create_task(work)
    numbers = (signal.SIGINT, signal.SIGTERM)
    with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):  # outside of the main thread
        for number in numbers:
            loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return otherwise
    finally:
        for number in numbers:
            with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(number)
