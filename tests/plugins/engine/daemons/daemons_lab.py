"""Daemons that share a store, on one clock, each with a line that a test can cut."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from engine_lab import Lab, doc, pass_on, request, until
from gate_lab import Gate

from jackfield.api.engine import Execution
from jackfield.api.errors import StoreUnavailable
from jackfield.api.history import node_records
from jackfield.api.nodes import NodeResult, NodeRun, Suspend
from jackfield.api.storage import StoredExecution
from jackfield.core.bus import MemoryBus, MemoryHub
from jackfield.testing.clock import FakeClock
from jackfield.testing.store import MemoryStore
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.settings import ExecutionsSettings

LEASE = 9

WRITES = ("add_execution", "append_steps", "set_running", "set_waiting", "finish_execution", "end_wait", "register",
          "claim_executions", "release_executions")  # fmt: skip


class Line:
    """One daemon's line to the store. off: nothing comes through, and nothing answers. held: writes that arrive when
    the test says so; None: at once. cut: at which write from now the answer is lost, although it was done."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.off = False
        self.held: list[Callable[[], object]] | None = None
        self.cut: int | None = None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        return (lambda *args, **more: self._call(name, found, *args, **more)) if callable(found) else found

    def _call(self, name: str, verb: Callable[..., Any], *args: Any, **more: Any) -> Any:
        if name == "renewals":
            return LineRenewals(self, verb(*args))
        if self.off and name in ("execution", "standing"):
            raise StoreUnavailable("The line is cut.")
        if self.off:
            return asyncio.get_running_loop().create_future()
        if name in WRITES and self.held is not None:
            return self._later(verb, *args, **more)
        if name in WRITES and self.cut is not None:
            self.cut -= 1
            if self.cut < 0:
                self.cut = None
                return self._lost(verb(*args, **more))
        return verb(*args, **more)

    def _later(self, verb: Callable[..., Any], *args: Any, **more: Any) -> asyncio.Future[Any]:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def arrive() -> None:
            asyncio.ensure_future(verb(*args, **more)).add_done_callback(partial(pass_on, answer))

        assert self.held is not None
        self.held.append(arrive)
        return answer

    def _lost(self, answer: Awaitable[object]) -> asyncio.Future[Any]:
        async def lost() -> None:
            await answer
            raise StoreUnavailable("The outcome is not known.")

        return asyncio.ensure_future(lost())

    def deliver(self) -> None:
        held, self.held = self.held, None
        for arrive in held or ():
            arrive()


class LineRenewals:
    """Renewals over the same line."""

    def __init__(self, line: Line, renewals: Any) -> None:
        self._line = line
        self._renewals = renewals

    async def renew(self) -> Any:
        if self._line.off or self._line.held is not None:
            raise StoreUnavailable("The line is cut.")
        return await self._renewals.renew()

    async def close(self) -> None:
        await self._renewals.close()


def as_task(work: Callable[[], Coroutine[object, object, None]]) -> Callable[[], Awaitable[None]]:
    """The renewals by the test's clock."""
    task = asyncio.get_running_loop().create_task(work())

    async def end() -> None:
        task.cancel()
        await asyncio.wait([task])

    return end


def waiting_for(clock: FakeClock, seconds: int, call: dict[str, Any] | None) -> Any:
    """A node that waits, until its time or a call."""

    async def act(run: NodeRun) -> NodeResult:
        return Suspend(clock.now_ms() + seconds * 1000, [run.items], call)

    return act


def brief(clock: FakeClock) -> Any:
    """A node that takes a tenth of a second."""

    async def act(run: NodeRun) -> NodeResult:
        await clock.sleep(0.1)
        return [run.items]

    return act


class Askew:
    """A clock whose wall time is set wrong, by so many seconds."""

    def __init__(self, clock: FakeClock, ahead: int) -> None:
        self._clock = clock
        self._ahead = ahead
        self.monotonic, self.boottime, self.sleep = clock.monotonic, clock.boottime, clock.sleep

    def now_ms(self) -> int:
        return self._clock.now_ms() + self._ahead * 1000


class Host:
    """A machine with its daemon."""

    def __init__(self, name: str, path: Path, store: MemoryStore, clock: Any, hub: MemoryHub, **settings: Any) -> None:
        path.mkdir()
        self._hub = hub
        self.line = Line(store)
        given = {"daemon": name, "lease": LEASE, "resume_backoff": 0, **settings}
        self.lab = Lab(path, store=store, clock=clock, settings=ExecutionsSettings(**given))
        self.gate = Gate(self.lab)
        self.lab.kind("short", waiting_for(clock, 2, None))
        self.lab.kind("form", waiting_for(clock, 12, {"method": "POST"}))
        self.lab.kind("brief", brief(clock))
        self.engine: EmbeddedEngine

    async def begin(self) -> EmbeddedEngine:
        context = self.lab.context(self.line)  # type: ignore[arg-type]
        context.ports["Bus"] = self.bus = MemoryBus(self.lab.clock, self._hub)
        await self.bus.open()
        self.engine = EmbeddedEngine(context, strict=True, runner=as_task)
        await self.engine.recover()
        return self.engine


class Hosts:
    """Some of them over one store."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.clock = FakeClock()
        self.store = MemoryStore(self.clock)
        self.hub = MemoryHub()
        self.all: list[Host] = []

    async def begin(self, name: str, ahead: int = 0, **settings: Any) -> Host:
        """ahead: of its clock before that of the store, in seconds."""
        clock = Askew(self.clock, ahead)
        host = Host(name, self._path / name, self.store, clock if ahead else self.clock, self.hub, **settings)
        self.all.append(host)
        await host.begin()
        return host

    async def stored(self, execution_id: str) -> StoredExecution:
        found = await self.store.execution(execution_id)
        assert found is not None
        return found

    async def until_over(self, execution_id: str, seconds: int = 60) -> StoredExecution:
        for _ in range(seconds * 2):
            if (found := await self.stored(execution_id)).row.finished_at is not None:
                return found
            await self.clock.advance(0.5)
        raise AssertionError(f"it is still {found.row.status}")

    async def two(self, **settings: Any) -> tuple[Host, Host]:
        return await self.begin("a", **settings), await self.begin("b", **settings)


EFFECTS = doc(("Start", "webhook"), ("One", "effect"), ("Gate", "gate"), ("Two", "effect"))


async def held_at_the_gate(host: Host, document: Any = EFFECTS, **more: Any) -> Execution:
    inside = host.gate.inside
    execution = host.engine.submit(request(await host.lab.save(document), **more))
    await until(lambda: host.gate.inside == inside + 1)
    await execution.accepted
    for _ in range(20):
        await asyncio.sleep(0)
    return execution


def marks(stored: StoredExecution) -> list[bytes]:
    return [chunk for chunk in stored.steps if b'"mark":"resumed"' in chunk]


def nodes(stored: StoredExecution) -> list[str]:
    return [record["node"] for record in node_records(stored.steps)]


async def drained(hosts: Hosts, host: Host) -> int:
    task = asyncio.create_task(host.engine.drain(0))
    for _ in range(20):
        await asyncio.sleep(0)
        await hosts.clock.advance(0.1)
    return await task


def slow_to_read(host: Host, store: MemoryStore) -> tuple[asyncio.Event, asyncio.Event]:
    """What it reads of an execution reaches it late: once it is read, and when the test says so. It reads each by
    itself."""
    read, arrive = asyncio.Event(), asyncio.Event()

    async def execution(execution_id: str) -> StoredExecution | None:
        found = await store.execution(execution_id)
        read.set()
        await arrive.wait()
        return found

    async def whole_executions(execution_ids: list[str], most: int) -> dict[str, StoredExecution]:
        return {}

    host.line.execution = execution  # type: ignore[attr-defined]  # before `__getattr__`
    host.line.whole_executions = whole_executions  # type: ignore[attr-defined]
    return read, arrive


async def taken_over_and_read_by_b(hosts: Hosts) -> tuple[Host, str, asyncio.Event]:
    """B has claimed what a dead daemon ran, and waits for the store to tell of it."""
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    read, arrive = slow_to_read(b, hosts.store)
    a.line.off = True
    for _ in range((LEASE + 2) * 2):
        await hosts.clock.advance(0.5)
    assert read.is_set()
    return b, execution.id, arrive
