"""Parts that a thread makes, as the body of an answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, Full, Queue

EXPORT_IDLE_SECONDS = 60
"""How long an export waits for its reader to take the next part."""


async def begun(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """All of it again, once the first part is there."""
    yield first
    async for part in rest:
        yield part


async def streamed(parts: Iterator[bytes]) -> AsyncGenerator[bytes]:
    """Parts that a thread makes, each when the one before was taken."""
    queue: Queue[bytes | BaseException | None] = Queue(4)
    gone = False

    def make() -> None:
        last: BaseException | None = None
        try:
            for part in parts:
                queue.put(part, timeout=EXPORT_IDLE_SECONDS)
                if gone:
                    return
        except Full:
            return
        except Exception as exc:
            last = exc
        queue.put(last)

    def take() -> bytes | BaseException | None:
        try:
            return queue.get(timeout=EXPORT_IDLE_SECONDS)
        except Empty:
            return TimeoutError("the export has stalled")

    # A separate thread: clients that have stalled must not hold those that everybody shares.
    own = ThreadPoolExecutor(1, "jackfield-usage-export")
    making = asyncio.get_running_loop().run_in_executor(own, make)
    try:
        while (part := await asyncio.to_thread(take)) is not None:
            if isinstance(part, BaseException):
                raise part
            yield part
        await making
    finally:
        gone = True
        while not queue.empty():
            queue.get_nowait()
        own.shutdown(wait=False)
