"""A bounded pool of worker processes, started when needed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from jackfield.api.scripts import ScriptError
from jackfield_javascript.worker import Worker


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """size: processes; waiting: requests that may wait for one, each for `wait` seconds; uses: requests after which a
    process is replaced, None = never; largest: bytes of an answer; start: seconds that a start may take."""

    size: int
    waiting: int
    wait: float
    start: float
    largest: int
    uses: int | None = None


class WorkerPool:
    """Workers that run the same command. The worker used last is used first, so that idle ones stay untouched."""

    def __init__(self, command: Sequence[str], limits: PoolLimits) -> None:
        self._command = command
        self._limits = limits
        self._slots = asyncio.Semaphore(limits.size)
        self._waiting = 0
        self._idle: list[Worker] = []
        self._alive: set[Worker] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    async def call(self, body: bytes, timeout: float) -> bytes:
        """The answer of a worker, within `timeout` seconds from when it gets the request. Raises `ScriptError`; the
        worker is killed then, and also when the call is cancelled."""
        if self._slots.locked():
            await self._wait()
        else:
            await self._slots.acquire()
        try:
            return await self._use(body, timeout)
        finally:
            self._slots.release()

    async def _wait(self) -> None:
        if self._waiting >= self._limits.waiting:
            raise ScriptError("Too many scripts wait to be run; try again later.", kind="busy")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._limits.wait):
                await self._slots.acquire()
        except TimeoutError:
            raise ScriptError("The script waited too long for a free worker.", kind="busy") from None
        finally:
            self._waiting -= 1

    async def _use(self, body: bytes, timeout: float) -> bytes:
        worker = self._idle.pop() if self._idle else await self._start()
        try:
            return await worker.request(body, timeout)
        finally:
            self._put_back(worker)

    async def _start(self) -> Worker:
        if self._closed:
            raise ScriptError("No script is run any more: the daemon is stopping.", kind="busy")
        worker = await Worker.start(self._command, largest=self._limits.largest, timeout=self._limits.start)
        self._alive.add(worker)
        return worker

    def _put_back(self, worker: Worker) -> None:
        worn = self._limits.uses is not None and worker.uses >= self._limits.uses
        if worker.usable and not worn and not self._closed:
            self._idle.append(worker)
        else:
            self._end(worker)

    def _end(self, worker: Worker) -> None:
        worker.kill()
        self._alive.discard(worker)
        task = asyncio.get_running_loop().create_task(worker.ended())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """Kill every worker and wait until none is left; what runs fails."""
        self._closed = True
        self._idle.clear()
        for worker in tuple(self._alive):
            self._end(worker)
        while self._ending:
            await asyncio.gather(*self._ending, return_exceptions=True)
