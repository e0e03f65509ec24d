"""The port `ScriptWorkers`: one pool for the worker processes of every script engine.

Each kind of worker has its own bound, and all together have one. Where that is reached, an idle process of another kind
makes room; otherwise the request waits. Requests of one kind are served in order, and of several kinds that could go on
the one that waits longest.
"""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import count
from typing import Any, Generic

from jackfield.api.context import PluginContext
from jackfield.api.script_workers import RequestT, ScriptWorker, WorkerKind
from jackfield.api.scripts import ScriptError
from jackfield_workers.memory_room import MemoryRoom
from jackfield_workers.settings import WorkersSettings


class SharedWorkerPool:
    """`most`: processes together; 0: as many as the kinds' sizes add up to. `memory`: MiB that requests together may
    take beyond the amount that each may take anyway.
    """

    def __init__(self, most: int = 0, memory: int = 1024) -> None:
        self._most = most
        self.memory = MemoryRoom(memory << 20)
        self._kinds: list[KindWorkers[Any]] = []  # Any: each kind has its own requests
        self._arrivals = count()
        self.waiting = 0
        """Requests that wait for a process."""

    def workers(self, kind: WorkerKind[RequestT]) -> KindWorkers[RequestT]:
        made = KindWorkers(self, kind)
        self._kinds.append(made)
        return made

    def has_room(self, kind: KindWorkers[Any]) -> bool:
        """Whether one more process of this kind may start. An idle one of another kind is ended for that."""
        most = self._most or sum(each.size for each in self._kinds)
        others = [each for each in self._kinds if each is not kind]
        if not kind.urgent:
            rest = [each for each in others if not each.urgent]
            allowed = max(1, most - 1) if len(rest) < len(others) else most
            if kind.processes + sum(each.processes for each in rest) >= allowed and not _yielded(rest):
                return False
        return sum(each.processes for each in self._kinds) < most or _yielded(others)

    def next_arrival(self) -> int:
        return next(self._arrivals)

    def wake(self) -> None:
        """Let requests that wait go on, those that came first before others."""
        while any(kind.grant() for kind in sorted(self._kinds, key=lambda kind: kind.first_arrival)):
            pass

    def forget(self, kind: KindWorkers[Any]) -> None:
        if kind in self._kinds:
            self._kinds.remove(kind)


def _yielded(kinds: list[KindWorkers[Any]]) -> bool:
    """Whether an idle process of one of these kinds was ended."""
    return any(kind.yield_one() for kind in sorted(kinds, key=lambda kind: -len(kind.idle)))


class KindWorkers(Generic[RequestT]):
    """`Workers` of one kind in the pool."""

    def __init__(self, pool: SharedWorkerPool, kind: WorkerKind[RequestT]) -> None:
        self._pool = pool
        self._kind = kind
        self.size = kind.size
        self.urgent = kind.urgent
        self.idle: list[ScriptWorker[RequestT]] = []
        self.alive: set[ScriptWorker[RequestT]] = set()
        """Those that are idle or have a request."""
        self._busy = 0
        """Requests that have a place: a process, or the right to one."""
        self._entering = 0
        """Those of them that have not taken or started their process yet."""
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False
        self._drained = asyncio.Event()

    @property
    def processes(self) -> int:
        """Those that are there, and those that may be started."""
        return self._busy + max(0, len(self.idle) - self._entering)

    @property
    def first_arrival(self) -> float:
        return self._waiting[0][0] if self._waiting else float("inf")

    async def call(self, request: RequestT, timeout: float, more_memory: int = 0) -> bytes | bytearray:
        if not more_memory:
            return await self._call(request, timeout)
        self._check_open()
        room = self._pool.memory
        if room.waiting >= self._kind.waiting:
            raise self._failed("Too many {work}s wait for memory; try again later.")
        async with room.held(more_memory, self._kind.wait, self._late):
            return await self._call(request, timeout)

    def _late(self) -> ScriptError:
        return self._failed("The {work} waited too long for the memory that its input needs, which others have.")

    async def _call(self, request: RequestT, timeout: float) -> bytes | bytearray:
        self._check_open()
        if self._waiting or not self._take():
            await self._wait()
        self._entering -= 1
        try:
            self._check_open()
            worker = self._rested() or await self._start()
            try:
                self._check_open()
                return await worker.request(request, timeout)
            finally:
                self._put_back(worker)
        finally:
            self._release()

    def _take(self) -> bool:
        if self._busy < self.size and (len(self.idle) > self._entering or self._pool.has_room(self)):
            self._busy += 1
            self._entering += 1
            return True
        return False

    def _release(self) -> None:
        self._busy -= 1
        if self._closed and not self._busy:
            self._drained.set()
        if self._pool.waiting:
            self._pool.wake()

    def grant(self) -> bool:
        """Let the first that waits go on, if it can."""
        while self._waiting and self._waiting[0][1].done():
            self._waiting.popleft()  # cancelled
        if not self._waiting or not self._take():
            return False
        self._waiting.popleft()[1].set_result(None)
        return True

    async def _wait(self) -> None:
        """Return with a place taken."""
        if len(self._waiting) >= self._kind.waiting:
            raise self._failed("Too many {work}s wait to be run; try again later.")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (self._pool.next_arrival(), turn)
        self._waiting.append(entry)
        self._pool.waiting += 1
        try:
            async with asyncio.timeout(self._kind.wait):
                await turn
        except BaseException as exc:
            if entry in self._waiting:
                self._waiting.remove(entry)
            elif not turn.cancelled() and turn.exception() is None:
                self._entering -= 1  # the place came too late
                self._release()
            if isinstance(exc, TimeoutError):
                raise self._failed("The {work} waited too long for a free worker.") from None
            raise
        finally:
            self._pool.waiting -= 1

    def _failed(self, message: str) -> ScriptError:
        return ScriptError(message.format(work=self._kind.work), kind="busy")

    def _stopping(self) -> ScriptError:
        return self._failed("No {work} is run any more: the daemon is stopping.")

    def _check_open(self) -> None:
        if self._closed:
            raise self._stopping()

    def _rested(self) -> ScriptWorker[RequestT] | None:
        """An idle worker that still lives."""
        while self.idle:
            worker = self.idle.pop()
            if worker.usable and worker.lives():
                return worker
            self._end(worker)
        return None

    async def _start(self) -> ScriptWorker[RequestT]:
        worker = await self._kind.start()
        self.alive.add(worker)
        return worker

    def _put_back(self, worker: ScriptWorker[RequestT]) -> None:
        worn = self._kind.uses is not None and worker.uses >= self._kind.uses
        if worker.usable and not worn and not self._closed:
            self.idle.append(worker)
        else:
            self._end(worker)

    def yield_one(self) -> bool:
        """End the process that was idle longest; False when none is, or each is about to be used."""
        if len(self.idle) <= self._entering:
            return False
        self._end(self.idle.pop(0))
        return True

    def _end(self, worker: ScriptWorker[RequestT]) -> None:
        worker.kill()
        if worker not in self.alive:
            return
        self.alive.discard(worker)
        task = asyncio.get_running_loop().create_task(worker.ended())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        while self._waiting:
            turn = self._waiting.popleft()[1]
            if not turn.done():
                turn.set_exception(self._stopping())
        self.idle.clear()
        for worker in tuple(self.alive):
            self._end(worker)
        if self._busy:
            await self._drained.wait()
        await asyncio.gather(*self._ending)
        self._pool.forget(self)


def shared_pool(context: PluginContext) -> SharedWorkerPool:
    settings = context.settings(WorkersSettings)
    return SharedWorkerPool(settings.processes, settings.long_inputs_memory)
