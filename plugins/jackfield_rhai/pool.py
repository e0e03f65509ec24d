"""Threads for scripts. Limits say how many run at a time, how many wait, and how long each waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from jackfield.api.scripts import ScriptError

T = TypeVar("T")
STOPPING = "No script is run any more: the daemon is stopping."


class ScriptPool:
    """A bounded pool. The scripts' own deadlines end what runs."""

    def __init__(self, threads: int, waiting: int, wait: float) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="rhai")
        self._slots = asyncio.Semaphore(threads)
        self._room = waiting
        self._wait = wait
        self._closed = False

    async def run(self, work: Callable[[], T]) -> T:
        """Do it in a thread. Raises `ScriptError` of the kind busy when no turn came."""
        if self._slots.locked():
            await self._queue()
        else:
            await self._slots.acquire()
        if self._closed:
            self._slots.release()
            raise ScriptError(STOPPING, kind="busy")
        try:
            future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        except RuntimeError:  # no thread could be started
            self._slots.release()
            raise ScriptError("No thread can be started for the script.", kind="busy") from None
        # A caller that gives up leaves the thread busy until the script's deadline: the turn is over only then.
        future.add_done_callback(lambda _: self._slots.release())
        return await asyncio.shield(future)

    async def _queue(self) -> None:
        if self._room <= 0:
            raise ScriptError("Too many scripts wait to be run; try again later.", kind="busy")
        self._room -= 1
        try:
            async with asyncio.timeout(self._wait):
                await self._slots.acquire()
        except TimeoutError:
            raise ScriptError("The script waited too long for its turn.", kind="busy") from None
        finally:
            self._room += 1

    async def close(self) -> None:
        """Wait for the scripts that run; none starts afterwards."""
        self._closed = True
        await asyncio.to_thread(self._pool.shutdown)
