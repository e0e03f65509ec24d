"""The workers of one daemon, as its first process has them.

That process starts them, answers for the store, and passes messages of the bus on. It starts a worker anew that ends,
and ends them all.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from jackfield.api.bus import Bus
from jackfield.api.clock import Clock
from jackfield.api.memos import Memos
from jackfield.api.process_containers import ProcessContainers
from jackfield.api.storage import Store

from ..ports import PortDirectory
from .bus import ProcessBus
from .channel import Item
from .counting import ProcessCounts, Sum
from .store_server import StoreServer

log = logging.getLogger("jackfield.workers")
STEADY = 10.0
"""Seconds after which a worker that ends is started anew at once."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_KILL = 5.0
"""Seconds beyond the stop's time until a worker that does not end is killed, and for what a killed one has left."""


class Process(Protocol):
    """As asyncio has it."""

    pid: int

    async def wait(self) -> int: ...

    def terminate(self) -> None: ...

    def kill(self) -> None: ...


class Starter(Protocol):
    """Starts the worker of this number, with the ends of its lines."""

    def __call__(self, number: int, sockets: Sequence[socket.socket]) -> Awaitable[Process]: ...

    def close(self) -> None:
        """None is started any more; may be called again."""


class Worker:
    """One of them, in its present life."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.process: Process | None = None
        self.server: StoreServer | None = None
        self.moving: socket.socket | None = None
        self.ready = False
        self.counts: ProcessCounts | None = None


class WorkerProcesses:
    """All of them. One per daemon with `daemon.workers` above 1."""

    def __init__(
        self,
        count: int,
        start: Starter,
        ports: PortDirectory,
        clock: Clock,
    ) -> None:
        """ports: the store, the memos and the bus of the daemon are asked for once it starts."""
        self.workers = [Worker(number) for number in range(1, count + 1)]
        self._start = start
        self._ports = ports
        self._clock = clock
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = False
        self._all_were_ready = False
        self._gone = Sum()
        self.moving: Callable[[Worker], None] = lambda _: None
        """Told of a worker with a new line for connections that move."""

    async def start(self) -> None:
        """Begin; `standing` says how many take calls."""
        self._tasks = [
            asyncio.create_task(self._keep(worker), name=f"worker {worker.number}") for worker in self.workers
        ]

    @property
    def serve(self) -> bool:
        """Whether calls are taken: by all once, from then on by any."""
        return self._all_were_ready and any(worker.ready for worker in self.workers)

    def standing(self) -> str:
        ready = sum(worker.ready for worker in self.workers)
        return "ok" if ready == len(self.workers) else f"{ready} of {len(self.workers)} workers are ready"

    def added_up(self, own: ProcessCounts) -> ProcessCounts:
        """With what the workers have counted, those too that have ended: a second ago at most."""
        whole = Sum()
        whole.add(own)
        whole.add(self._gone.counts())
        for worker in self.workers:
            if worker.counts is not None:
                whole.add(worker.counts)
        return whole.counts()

    def tell(self, message: bytes, but: Worker | None = None) -> None:
        """A message of the bus, to all but this one. A worker that reads none is ended: it would keep what it has
        missed, and the messages would fill this process's memory."""
        for worker in self.workers:
            if worker is but or worker.server is None:
                continue
            if not worker.server.is_full:
                worker.server.send(("bus", message))
            elif worker.process is not None:
                log.error("Worker %d reads nothing any more and is killed.", worker.number)
                worker.server = None
                with contextlib.suppress(ProcessLookupError):
                    worker.process.kill()

    def begin_stop(self) -> None:
        """They take no new work, end what is in flight, and then themselves."""
        self._stopping = True
        self._start.close()
        for worker in self.workers:
            if worker.process is not None:
                with contextlib.suppress(ProcessLookupError):
                    worker.process.terminate()

    async def stop(self, deadline: float) -> None:
        """Returns when all have ended; deadline: on the monotonic clock, for those who do not."""
        self.begin_stop()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=max(0.0, deadline - time.monotonic()) + _KILL)
        for worker in self.workers:
            if worker.process is not None:
                log.warning("Worker %d did not end in time and is killed.", worker.number)
                with contextlib.suppress(ProcessLookupError):
                    worker.process.kill()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_KILL)

    async def _keep(self, worker: Worker) -> None:
        pause = _FIRST_PAUSE
        while not self._stopping:
            begun = self._clock.monotonic()
            code = None
            try:
                code = await self._live(worker)
            except Exception:
                log.exception("Worker %d has failed.", worker.number)
            if self._stopping:
                return
            lived = self._clock.monotonic() - begun
            pause = _FIRST_PAUSE if lived >= STEADY else min(pause * 2, _LONGEST_PAUSE)
            log.error("Worker %d has ended (%s) and is started anew in %g s.", worker.number, _told(code), pause)
            await self._clock.sleep(pause)

    async def _live(self, worker: Worker) -> int | None:
        """One life; its exit code."""
        ours: list[socket.socket] = []
        theirs: list[socket.socket] = []
        for kind in (socket.SOCK_STREAM, socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
            mine, other = socket.socketpair(socket.AF_UNIX, kind)
            ours.append(mine)
            theirs.append(other)
        server = StoreServer(self._ports.get(Store), self._ports.get(Memos), lambda item: self._heard(worker, item))
        try:
            await server.open(ours[0], ours[1])
            process = await self._start(worker.number, theirs)
        except Exception as exc:
            log.error("Worker %d cannot be started: %s", worker.number, exc)
            await server.close()
            ours[2].close()
            return None
        finally:
            for sock in theirs:
                sock.close()
        worker.server, worker.process, worker.moving = server, process, ours[2]
        self.moving(worker)
        try:
            if self._stopping:
                process.terminate()
            return await process.wait()
        finally:
            worker.ready, worker.server, worker.process, worker.moving = False, None, None, None
            if worker.counts is not None:
                self._gone.add(worker.counts, ended=True)
                worker.counts = None
            self.moving(worker)
            await self._bury(server)
            ours[2].close()

    async def _bury(self, server: StoreServer) -> None:
        """Of a process that is gone.

        All its messages count, and nothing that it has left runs on beside the one that takes its executions over.
        """
        try:
            with contextlib.suppress(TimeoutError):  # a process of a stranger's may have the line's other end
                await asyncio.wait_for(server.heard_all.wait(), _KILL)
            if not self._stopping:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._ports.get(ProcessContainers).end_leftovers(), _KILL)
        finally:
            await server.close()

    def _heard(self, worker: Worker, item: Item) -> None:
        if item[0] == "bus":
            bus = self._ports.get(Bus)
            if isinstance(bus, ProcessBus):
                bus.told(item[1])
            self.tell(item[1], worker)
        elif item[0] == "counts":
            worker.counts = item[1]
        elif item[0] == "ready":
            worker.ready = True
            self._all_were_ready = self._all_were_ready or all(each.ready for each in self.workers)
            log.info("Worker %d takes calls.", worker.number)


def _told(code: int | None) -> str:
    if code is None:
        return "it was not started"
    return f"signal {-code}" if code < 0 else f"exit code {code}"
