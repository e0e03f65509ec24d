"""A bounded number of workers, started when needed, and a bounded number of runs that wait for one."""

from __future__ import annotations

import asyncio

from jackfield.api.scripts import ScriptError
from jackfield_python.settings import PythonSettings
from jackfield_python.worker import Run, Worker

STOPPING = "No program is run any more: the daemon is stopping."


class Pool:
    """The worker used last is used first."""

    def __init__(self, settings: PythonSettings) -> None:
        self._settings = settings
        self._slots = asyncio.Semaphore(settings.workers)
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._waiting = 0
        self._closed = False

    async def run(self, run: Run, timeout: float) -> bytes:
        """The answer, within `timeout` seconds from when a worker gets the run. Raises `ScriptError`."""
        await self._turn()
        try:
            return await self._run(run, timeout)
        finally:
            self._slots.release()

    async def _turn(self) -> None:
        if self._closed:
            raise ScriptError(STOPPING, kind="busy")
        if self._slots.locked() and self._waiting >= self._settings.max_waiting:
            raise ScriptError("Too many programs wait to be run; try again later.", kind="busy")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._settings.max_wait):
                await self._slots.acquire()
        except TimeoutError:
            raise ScriptError("The program waited too long for a free worker.", kind="busy") from None
        finally:
            self._waiting -= 1

    async def _run(self, run: Run, timeout: float) -> bytes:
        if self._closed:
            raise ScriptError(STOPPING, kind="busy")
        worker = await self._rested() or await Worker.start(self._settings)
        self._busy.add(worker)
        try:
            if self._closed:
                raise ScriptError(STOPPING, kind="busy")
            return await worker.run(run, timeout)
        finally:
            self._busy.discard(worker)
            if worker.lives() and not self._closed:
                self._idle.append(worker)
            else:
                await worker.end()

    async def _rested(self) -> Worker | None:
        while self._idle:
            worker = self._idle.pop()
            if worker.lives():
                return worker
            await worker.end()
        return None

    async def close(self) -> None:
        """End every worker; what runs or waits fails."""
        self._closed = True
        for worker in self._busy:
            worker.kill()
        for _ in range(self._settings.workers):  # every run has ended
            await self._slots.acquire()
        for worker in self._idle:
            await worker.end()
        self._idle.clear()
        for _ in range(self._settings.workers):
            self._slots.release()
