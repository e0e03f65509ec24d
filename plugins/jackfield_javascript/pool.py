"""A bounded pool of worker processes, started when needed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.records import record
from jackfield.api.scripts import ScriptError
from jackfield_javascript.worker import Worker


@record
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
        self._check_open()
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

    def _check_open(self) -> None:
        if self._closed:
            raise ScriptError("No script is run any more: the daemon is stopping.", kind="busy")

    async def _use(self, body: bytes, timeout: float) -> bytes:
        self._check_open()
        worker = self._rested() or await self._start()
        try:
            self._check_open()
            return await worker.request(body, timeout)
        finally:
            self._put_back(worker)

    def _rested(self) -> Worker | None:
        """An idle worker that still lives."""
        while self._idle:
            worker = self._idle.pop()
            if worker.usable and worker.lives():
                return worker
            self._end(worker)
        return None

    async def _start(self) -> Worker:
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
        if worker not in self._alive:
            return
        self._alive.discard(worker)
        task = asyncio.get_running_loop().create_task(worker.ended())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """Kill every worker and wait until none is left; what runs or waits fails."""
        if self._closed:
            return
        self._closed = True
        self._idle.clear()
        for worker in tuple(self._alive):
            self._end(worker)
        for _ in range(self._limits.size):  # every call has ended, and with it every start of a worker
            await self._slots.acquire()
        await asyncio.gather(*self._ending)
