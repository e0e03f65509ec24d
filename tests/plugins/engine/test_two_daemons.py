"""Daemons that share a store: who runs what, what a death costs, and what an orderly end does not."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from engine_lab import Lab, doc, ended, pass_on, request, until
from gate_lab import GATED, Gate, waits

from jackfield.api.clock import Clock, SystemClock
from jackfield.api.engine import Execution
from jackfield.api.errors import ConfigurationError, Conflict, Fenced, StoreUnavailable
from jackfield.api.history import node_records
from jackfield.api.nodes import NodeResult, NodeRun, Suspend
from jackfield.api.records import replace
from jackfield.api.storage import CallUpdate, ExecutionFilter, Incarnation, NewCall, Renewed, StoredExecution
from jackfield.core.bus import MemoryBus, MemoryHub
from jackfield.testing.clock import FakeClock
from jackfield.testing.store import MemoryStore
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.settings import ExecutionsSettings
from jackfield_engine.shared import lease
from jackfield_engine.shared.known_lives import FILE
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

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


@pytest.fixture
async def hosts(tmp_path: Path) -> Any:
    made = Hosts(tmp_path)
    yield made
    mine = asyncio.current_task()
    for host in made.all:
        host.line.off = True
        host.engine.services.timers.close()
    while tasks := [task for task in asyncio.all_tasks() if task is not mine]:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


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


async def test_what_a_dead_daemon_ran_is_taken_over_after_its_lease_and_counts_as_a_crash(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    a.line.off = True
    b.gate.open.set()
    await hosts.clock.advance(LEASE - 2)
    assert (b.lab.ran, (await hosts.stored(execution.id)).epoch) == ([], 1)
    over = await hosts.until_over(execution.id, 4)
    assert (over.row.status, over.epoch, len(marks(over))) == ("success", 2, 1)
    assert (a.lab.ran, b.lab.ran) == (["One", "Gate"], ["Gate", "Two"])
    assert nodes(over) == ["Start", "One", "Gate", "Two"]


async def test_what_an_orderly_end_leaves_goes_on_at_once_and_is_no_crash(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    b.gate.open.set()
    assert await drained(hosts, a) == 1
    over = await hosts.until_over(execution.id, 2)
    assert (over.row.status, over.epoch, marks(over)) == ("success", 1, [])
    assert b.lab.ran == ["Gate", "Two"]


async def drained(hosts: Hosts, host: Host) -> int:
    task = asyncio.create_task(host.engine.drain(0))
    for _ in range(20):
        await asyncio.sleep(0)
        await hosts.clock.advance(0.1)
    return await task


async def test_late_writes_of_a_fenced_daemon_change_nothing(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    a.line.held = []
    a.gate.open.set()
    await until(lambda: "Two" in a.lab.ran or len(a.line.held or ()) > 0)
    b.gate.open.set()
    over = await hosts.until_over(execution.id, LEASE + 2)
    a.line.deliver()
    for _ in range(50):
        await asyncio.sleep(0)
    assert await hosts.stored(execution.id) == over
    with pytest.raises(Fenced):
        await execution.stored
    assert len((await hosts.store.executions(ExecutionFilter(), offset=0, limit=9)).rows) == 1


async def test_a_fenced_daemon_does_not_end_the_call_of_an_execution_that_goes_on(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a, call=NewCall("c", "h", 1, "POST", b"{}", ""), durability="accept")
    a.line.off = True
    b.gate.open.set()
    await hosts.clock.advance(LEASE * 2 / 3 + 1)
    a.line.off = False
    with pytest.raises(Fenced):
        await a.engine.complete_call(execution, CallUpdate("c", "h", "failed", 503, "unavailable"))
    assert (await hosts.until_over(execution.id)).call_status == "success"


async def test_a_fenced_daemon_begins_anew(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    a.line.off = True
    await hosts.clock.advance(LEASE * 2 / 3 + 1)
    with pytest.raises(Fenced):
        await execution.finished
    assert a.engine.state()["running"] == 0
    await hosts.clock.advance(LEASE)
    a.line.off = False
    await hosts.clock.advance(LEASE)
    other = await held_at_the_gate(a)
    a.gate.open.set()
    b.gate.open.set()
    assert (await ended(other)).status == "success"
    assert (await hosts.until_over(execution.id)).row.status == "success"


async def test_no_node_begins_once_two_thirds_of_the_lease_are_over(hosts: Hosts) -> None:
    """Even before anybody has noticed: a process that was stopped goes on with its next step."""
    a = await hosts.begin("a")
    await held_at_the_gate(a)
    a.gate.open.set()
    hosts.clock._elapsed += LEASE * 2 / 3  # nothing wakes up by it
    for _ in range(50):
        await asyncio.sleep(0)
    assert a.lab.ran == ["One", "Gate"]


async def test_no_node_begins_after_the_machine_has_slept_through_the_lease(hosts: Hosts) -> None:
    a = await hosts.begin("a")
    await held_at_the_gate(a)
    a.gate.open.set()
    hosts.clock.suspend(LEASE)
    for _ in range(50):
        await asyncio.sleep(0)
    assert a.lab.ran == ["One", "Gate"]


@pytest.mark.parametrize("cut", range(12))
@pytest.mark.parametrize("durability", ["accept", "finish"])
async def test_a_cut_after_a_commit_loses_and_doubles_nothing(hosts: Hosts, cut: int, durability: str) -> None:
    a = await hosts.begin("a")
    document = doc(("Start", "webhook"), ("One", "effect"), ("Wait", "short"), ("Two", "effect"), ("Three", "effect"))
    workflow = await a.lab.save(document)
    a.line.cut = cut
    execution = a.engine.submit(request(workflow, durability=durability))
    for _ in range(40):
        await hosts.clock.advance(0.5)
    over = await hosts.until_over(execution.id)
    assert over.row.status == "success"
    assert nodes(over) == ["Start", "One", "Wait", "Two", "Three"]
    assert [a.lab.ran.count(name) for name in ("One", "Two", "Three")] == [1, 1, 1]
    assert await hosts.store.owned_executions(over.owner or "") == []


async def test_an_execution_is_cancelled_wherever_it_runs(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    await b.engine.cancel(execution.id)
    await hosts.clock.advance(1.5)
    assert (await execution.finished).status == "cancelled"
    over = await hosts.stored(execution.id)
    assert over.row.status == "cancelled"
    with pytest.raises(Conflict):
        await b.engine.cancel(execution.id)


async def test_the_wish_to_cancel_outlives_the_owner(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    a.line.off = True
    await b.engine.cancel(execution.id)
    assert (await hosts.until_over(execution.id, LEASE + 4)).row.status == "cancelled"


async def test_what_waits_in_the_store_alone_is_cancelled_by_anybody(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = a.engine.submit(request(await a.lab.save(waits(a.lab, 500))))
    await hosts.clock.advance(1)
    assert (await hosts.stored(execution.id)).owner is None
    await b.engine.cancel(execution.id)
    assert (await hosts.stored(execution.id)).row.status == "cancelled"


async def test_a_short_wait_stays_with_its_daemon_and_a_long_one_with_nobody(hosts: Hosts) -> None:
    a, b = await hosts.two()
    short = a.engine.submit(request(await a.lab.save(waits(a.lab, 20))))
    long = a.engine.submit(request(await a.lab.save(waits(a.lab, 500))))
    await hosts.clock.advance(1)
    assert [(await hosts.stored(one.id)).owner is None for one in (short, long)] == [False, True]
    await hosts.clock.advance(20)
    assert (await hosts.stored(short.id)).row.status == "success"
    assert (a.lab.ran.count("After"), b.lab.ran) == (1, [])
    await drained(hosts, a)
    over = await hosts.until_over(long.id, 600)
    assert (over.row.status, over.epoch, marks(over), b.lab.ran) == ("success", 1, [], ["After"])


async def test_a_short_wait_of_a_dead_daemon_goes_on(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = a.engine.submit(request(await a.lab.save(waits(a.lab, 3))))
    await hosts.clock.advance(1)
    a.line.off = True
    over = await hosts.until_over(execution.id, LEASE + 3)
    assert (over.row.status, over.epoch, marks(over)) == ("success", 2, [])
    assert b.lab.ran == ["After"]


async def test_what_does_not_fit_is_run_by_another_daemon(hosts: Hosts) -> None:
    a = await hosts.begin("a", concurrency=1, queue_size=2)
    workflow = await a.lab.save(GATED)
    executions = [a.engine.submit(request(workflow)) for _ in range(6)]
    for _ in range(20):
        await asyncio.sleep(0)
    left = [one.id for one in executions if (await hosts.stored(one.id)).owner is None]
    assert len(left) == 4
    result = asyncio.create_task(a.engine.result(left[-1], 20))
    b = await hosts.begin("b")
    b.gate.open.set()
    for execution_id in left:
        assert (await hosts.until_over(execution_id, 5)).row.status == "success"
    assert (b.lab.ran.count("After"), a.lab.ran) == (4, ["Gate"])
    over = await hosts.until_over(executions[1].id, 5)  # it was queued at the first, where it did not begin
    assert (over.row.status, over.epoch) == ("success", 1)
    assert (b.lab.ran.count("After"), a.lab.ran) == (5, ["Gate"])
    await hosts.clock.advance(2)
    assert (await result).status == "success"


@pytest.mark.parametrize("bus", [True, False])
async def test_whoever_waits_for_what_another_daemon_runs_gets_its_end(hosts: Hosts, bus: bool) -> None:
    """At once with a bus, else within two looks."""
    a, b = await hosts.two(concurrency=1, queue_size=1)
    b.gate.open.set()
    if not bus:
        await a.bus.close()
        await b.bus.close()
    workflow = await a.lab.save(GATED)
    executions = [a.engine.submit(request(workflow, durability="finish")) for _ in range(4)]
    if bus:
        await until(lambda: all(one.finished.done() for one in executions[2:]))
    else:
        await hosts.clock.advance(2)
    assert [(await ended(one)).status for one in executions[2:]] == ["success"] * 2
    assert (a.lab.ran, b.lab.ran.count("After")) == (["Gate"], 2)
    assert not executions[0].finished.done()


async def test_no_daemon_claims_more_than_it_begins_soon(hosts: Hosts) -> None:
    a, b = await hosts.two(concurrency=1)
    workflow = await a.lab.save(GATED)
    executions = [a.engine.submit(request(workflow)) for _ in range(5)]
    await until(lambda: all(one.accepted.done() for one in executions))
    b.engine._backlog._closed = True  # it is busy otherwise
    await drained(hosts, a)
    c = await hosts.begin("c", concurrency=1)
    await hosts.clock.advance(2)
    owned = await hosts.store.owned_executions(c.engine.services.lease.life.id)
    assert (len(owned), c.gate.inside) == (1, 1)
    d = await hosts.begin("d", concurrency=1)
    d.gate.open.set()
    for execution in executions:
        if execution.id not in owned:
            assert (await hosts.until_over(execution.id, 6)).row.status == "success"
    assert (c.lab.ran, d.lab.ran.count("After")) == (["Gate"], 4)


async def test_short_executions_are_not_given_away(hosts: Hosts) -> None:
    a, _ = await hosts.two(concurrency=1)
    workflow = await a.lab.save(doc(("Start", "webhook"), ("Brief", "brief")))
    executions = [a.engine.submit(request(workflow)) for _ in range(30)]
    for execution in executions:
        assert (await hosts.until_over(execution.id, 5)).row.status == "success"
    assert len(a.lab.ran) >= 25


async def test_a_result_is_waited_for_wherever_it_comes_from(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    read, whole = hosts.store.execution, []

    async def counted(execution_id: str) -> StoredExecution | None:
        whole.append(execution_id)
        return await read(execution_id)

    b.line.execution = counted  # type: ignore[attr-defined]  # before `__getattr__`
    result = asyncio.create_task(b.engine.result(execution.id, 20))
    await hosts.clock.advance(3)
    assert (result.done(), whole) == (False, [])  # it may be large, and there may be many who wait
    a.gate.open.set()
    await hosts.clock.advance(2)
    assert (await result).status == "success"


async def test_a_result_that_another_daemon_has_comes_without_a_wait(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    result = asyncio.create_task(b.engine.result(execution.id, 20))
    for _ in range(20):
        await asyncio.sleep(0)
    a.gate.open.set()
    await until(result.done)  # no time has passed
    assert (await result).status == "success"


async def test_a_result_is_waited_for_although_its_daemon_was_fenced(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    result = asyncio.create_task(a.engine.result(execution.id, 20))
    a.line.off = True
    b.gate.open.set()
    await hosts.until_over(execution.id, LEASE + 3)
    a.line.off = False
    for _ in range(LEASE * 2):
        await hosts.clock.advance(1)
    assert (await result).status == "success"


async def test_a_call_ends_a_wait_at_any_daemon(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = a.engine.submit(request(await a.lab.save(doc(("Start", "webhook"), ("F", "form"), ("Z", "effect")))))
    await hosts.clock.advance(1)
    found = await b.engine.waiting(execution.id)
    resumed = await b.engine.resume(found, [{"json": {"came": True}}])
    assert [item["json"] for item in (await ended(resumed)).items] == [{"came": True}]
    with pytest.raises(Conflict):
        await a.engine.resume(found, None)
    for _ in range(40):
        await hosts.clock.advance(1)
    assert (a.lab.ran, b.lab.ran) == (["F"], ["Z"])


async def test_a_call_and_its_time_at_two_daemons_go_on_once(hosts: Hosts) -> None:
    """One daemon holds the wait as its time is near; the call comes to the other one."""
    a, b = await hosts.two()
    execution = a.engine.submit(request(await a.lab.save(doc(("Start", "webhook"), ("F", "form"), ("Z", "effect")))))
    await hosts.clock.advance(11.5)
    held = [host for host in (a, b) if host.engine.state()["waiting"]]
    assert len(held) == 1
    other = b if held[0] is a else a
    await other.engine.resume(await other.engine.waiting(execution.id), None)
    await hosts.clock.advance(10)
    assert (held[0].lab.ran.count("Z"), other.lab.ran.count("Z")) == (0, 1)
    assert (await hosts.stored(execution.id)).row.status == "success"
    assert held[0].engine.state() == {"running": 0, "queued": 0, "waiting": 0, "unsaved": 0}


async def test_a_parent_and_its_child_are_taken_over(hosts: Hosts) -> None:
    a, b = await hosts.two()
    child = await a.lab.save(doc(("In", "executeWorkflowTrigger"), ("Inner", "effect"), ("Gate", "gate")))
    parent = doc(("Start", "webhook"), ("Call", "call", {"parameters": {"workflow": child.id}}), ("After", "effect"))
    execution = await held_at_the_gate(a, parent)
    a.line.off = True
    b.gate.open.set()
    over = await hosts.until_over(execution.id, LEASE + 10)
    assert (over.row.status, b.lab.ran.count("Inner"), b.lab.ran.count("After")) == ("success", 0, 1)
    rows = (await hosts.store.executions(ExecutionFilter(), offset=0, limit=9)).rows
    assert [row.status for row in rows] == ["success", "success"]


async def test_a_cancelled_parent_takes_its_child_at_another_daemon_along(hosts: Hosts) -> None:
    a, b = await hosts.two()
    child = await a.lab.save(doc(("In", "executeWorkflowTrigger"), ("Inner", "effect"), ("Gate", "gate")))
    parent = doc(("Start", "webhook"), ("Call", "call", {"parameters": {"workflow": child.id}}))
    execution = await held_at_the_gate(a, parent)
    await b.engine.cancel(execution.id)
    await hosts.clock.advance(3)
    rows = (await hosts.store.executions(ExecutionFilter(), offset=0, limit=9)).rows
    assert [row.status for row in rows] == ["cancelled", "cancelled"]
    assert a.engine.state()["running"] == 0


async def test_a_parent_is_cancelled_before_its_child_that_another_daemon_has(hosts: Hosts) -> None:
    """Else it would hear of the child's end first, and fail."""
    a = await hosts.begin("a")
    b = await hosts.begin("b", concurrency=1, renewal_interval=2)
    c = await hosts.begin("c", renewal_interval=0.2)
    child = await a.lab.save(doc(("In", "executeWorkflowTrigger"), ("Inner", "effect"), ("Gate", "gate")))
    parent = doc(("Start", "webhook"), ("Call", "call", {"parameters": {"workflow": child.id}}))
    execution = await held_at_the_gate(a, parent)
    inner = next(
        run for run in await hosts.store.owned_executions(a.engine.services.lease.life.id) if run != execution.id
    )
    a.line.off = True
    hosts.store._leases[a.engine.services.lease.life.id].until = 0
    c.engine._backlog._closed = True  # until it has the child
    assert await c.engine.services.lease.claim(("running",), 1, only=[inner]) == [inner]
    await hosts.clock.advance(2)
    c.engine._backlog._closed = False
    c.engine._backlog.add(inner)
    await hosts.clock.advance(4)
    lives = [host.engine.services.lease.life.id for host in (b, c)]
    assert [(await hosts.stored(one)).owner for one in (execution.id, inner)] == lives
    assert (b.lab.ran, c.lab.ran) == (["Call"], ["Gate"])
    d = await hosts.begin("d")
    await d.engine.cancel(execution.id)
    for _ in range(10):
        await hosts.clock.advance(0.5)
    rows = (await hosts.store.executions(ExecutionFilter(), offset=0, limit=9)).rows
    assert [row.status for row in rows] == ["cancelled", "cancelled"]


async def test_a_wait_that_was_due_while_a_call_came_to_nothing_goes_on(hosts: Hosts) -> None:
    a = await hosts.begin("a")
    execution = a.engine.submit(request(await a.lab.save(doc(("Start", "webhook"), ("F", "form"), ("Z", "effect")))))
    await hosts.clock.advance(1)
    found = await a.engine.waiting(execution.id)
    read, answer = hosts.store.execution, asyncio.Event()

    async def fails_late(_: str) -> StoredExecution | None:
        a.line.execution = read  # type: ignore[attr-defined]  # before `__getattr__`
        await answer.wait()
        raise StoreUnavailable

    a.line.execution = fails_late  # type: ignore[attr-defined]
    call = asyncio.create_task(a.engine.resume(found, None))
    for _ in range(30):
        await hosts.clock.advance(0.5)
    assert (await hosts.stored(execution.id)).row.status == "waiting"
    answer.set()
    with pytest.raises(StoreUnavailable):
        await call
    assert (await hosts.until_over(execution.id, 5)).row.status == "success"
    assert a.lab.ran == ["F", "Z"]


async def test_three_deaths_in_turn_lose_and_double_nothing(hosts: Hosts) -> None:
    first = [await hosts.begin(name, concurrency=3) for name in ("a", "b", "c")]
    executions = [await held_at_the_gate(host) for host in first for _ in range(3)]
    for host in first:
        host.line.off = True
        await hosts.clock.advance(LEASE + 2)
    last = await hosts.begin("d", concurrency=20)
    last.gate.open.set()
    for one in executions:
        over = await hosts.until_over(one.id, LEASE * 3)
        assert (over.row.status, nodes(over)) == ("success", ["Start", "One", "Gate", "Two"])
    assert sum(host.lab.ran.count("One") for host in hosts.all) == 9
    assert sum(host.lab.ran.count("Two") for host in hosts.all) == 9


async def test_a_registration_that_takes_its_time_keeps_nothing_from_being_claimed(hosts: Hosts) -> None:
    """Claims and renewals wait for it; what is accepted meanwhile is queued behind it."""
    a = await hosts.begin("a")
    execution = await held_at_the_gate(a)
    await drained(hosts, a)
    b = Host("b", hosts._path / "b", hosts.store, hosts.clock, hosts.hub)
    hosts.all.append(b)
    b.gate.open.set()
    b.line.held = []
    began = asyncio.create_task(b.begin())
    await asyncio.sleep(0)
    mine = b.engine.submit(request(await b.lab.save(GATED)))
    await hosts.clock.advance(2)
    assert len(hosts.store._leases) == 1
    b.line.deliver()
    assert (await hosts.until_over(execution.id, 2)).row.status == "success"
    assert (await ended(mine)).status == "success"
    assert len(hosts.store._leases) == 2
    await began


async def test_an_engine_over_sqlite_takes_over_at_its_start(tmp_path: Path) -> None:
    """Each start is a life of its own there, without a lease: what the last one left by a crash counts as one, what it
    left in order does not."""
    log = logging.getLogger("jackfield.test")
    found: list[tuple[int, int]] = []
    lab = Lab(tmp_path, clock=SystemClock(), settings=ExecutionsSettings(resume_backoff=0))  # type: ignore[arg-type]
    Gate(lab)
    ident = ""
    for end in ("crash", "order", "order"):
        store = lab.store = SqliteStore(tmp_path, SqliteSettings(), log)
        await store.open()
        engine = lab.engine()
        await engine.recover()
        if not ident:
            ident = engine.submit(request(await lab.save(EFFECTS))).id
        async with asyncio.timeout(20):
            while lab.ran.count("Gate") != len(found) + 1:
                await asyncio.sleep(0.005)
        stored = await store.execution(ident)
        assert stored is not None
        found.append((stored.epoch, len(marks(stored))))
        if end == "order":
            await engine.drain(0)
        await store.close()
    assert found == [(1, 0), (2, 1), (2, 1)]


class CountedStore(MemoryStore):
    """Says when a lease was renewed three times."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.count = 0
        self.threads: set[int] = set()
        self.often = threading.Event()

    def renewed(self, owner: str) -> Renewed:
        self.count += 1
        self.threads.add(threading.get_ident())
        if self.count >= 3:
            self.often.set()
        return super().renewed(owner)


async def test_a_blocked_event_loop_does_not_look_dead(tmp_path: Path) -> None:
    store = CountedStore(SystemClock())
    settings = ExecutionsSettings(renewal_interval=0.01)
    lab = Lab(tmp_path, store=store, clock=SystemClock(), settings=settings)  # type: ignore[arg-type]
    engine = EmbeddedEngine(lab.context(), strict=True)
    await engine.recover()
    life = engine.services.lease.life
    await asyncio.sleep(0)
    before = life.until
    assert store.often.wait(20)  # nothing else happens in this event loop meanwhile
    assert life.until > before
    assert threading.get_ident() not in store.threads
    await engine.drain(0)
    assert "jackfield-lease" not in [thread.name for thread in threading.enumerate()]


async def test_what_was_cancelled_while_its_resume_was_put_off_does_not_run(hosts: Hosts) -> None:
    """It was this daemon's, and stood only in the store."""
    a, b = await hosts.two(resume_backoff=20)
    execution = await held_at_the_gate(a)
    a.line.off = True
    for _ in range((LEASE + 2) * 2):
        await hosts.clock.advance(0.5)
    assert b.lab.ran == ["Gate"]
    b.line.off = True
    c = await hosts.begin("c", resume_backoff=20)
    for _ in range((LEASE + 2) * 2):
        await hosts.clock.advance(0.5)
    assert ((await hosts.stored(execution.id)).owner, c.lab.ran) == (c.engine.services.lease.life.id, [])
    await c.engine.cancel(execution.id)
    over = await hosts.stored(execution.id)
    c.gate.open.set()
    for _ in range(120):
        await hosts.clock.advance(0.5)
    assert c.lab.ran == []
    assert await hosts.stored(execution.id) == over
    assert over.row.status == "cancelled"


async def test_what_cannot_be_cancelled_goes_on(hosts: Hosts) -> None:
    """It was claimed for its end, which the store did not take."""
    a, b = await hosts.two(wait_in_memory=0, poll_interval=1)
    document = doc(("Start", "webhook"), ("Wait", "form"), ("Two", "effect"))
    execution = a.engine.submit(request(await a.lab.save(document)))
    for _ in range(4):
        await hosts.clock.advance(0.5)
    assert (await hosts.stored(execution.id)).row.status == "waiting"
    finish = hosts.store.finish_execution

    def refused(_: Any) -> asyncio.Future[None]:
        raise StoreUnavailable

    hosts.store.finish_execution = refused  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable):
        await b.engine.cancel(execution.id)
    hosts.store.finish_execution = finish  # type: ignore[method-assign]
    assert (await hosts.until_over(execution.id)).row.status == "success"


async def test_renewals_outlive_an_unexpected_failure(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    renewals, failures = LineRenewals.renew, iter(range(2))

    async def broken(self: LineRenewals) -> Any:
        if self._line is a.line and next(failures, None) is not None:
            raise RuntimeError("can't start new thread")
        return await renewals(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LineRenewals, "renew", broken)
        for _ in range(LEASE * 4):
            await hosts.clock.advance(0.5)
    assert (await hosts.stored(execution.id)).epoch == 1
    a.gate.open.set()
    assert (await ended(execution)).status == "success"
    assert b.lab.ran == []


async def test_one_that_cannot_be_read_does_not_hold_up_others(hosts: Hosts) -> None:
    a, b = await hosts.two()
    first = await held_at_the_gate(a)
    second = await held_at_the_gate(a)
    read = hosts.store.execution

    async def broken(execution_id: str) -> StoredExecution | None:
        if execution_id == first.id:
            raise RuntimeError("it cannot be read")
        return await read(execution_id)

    b.line.execution = broken  # type: ignore[attr-defined]  # before `__getattr__`
    a.line.off = True
    b.gate.open.set()
    over = await hosts.until_over(second.id, LEASE + 10)
    assert over.row.status == "success"


async def test_what_a_lost_lease_keeps_from_the_store_may_be_sent_again(hosts: Hosts) -> None:
    """A scheduled start, for one, is owed then, and not lost."""
    a = await hosts.begin("a")
    workflow = await a.lab.save(EFFECTS)
    await hosts.clock.advance(1)
    await hosts.store.register(Incarnation("another", "a", LEASE * 1000))
    refused = a.engine.submit(request(workflow))
    with pytest.raises(StoreUnavailable):
        await refused.accepted
    with pytest.raises(StoreUnavailable):
        await refused.finished
    await hosts.clock.advance(LEASE + 2)
    again = await held_at_the_gate(a)
    a.gate.open.set()
    assert (await ended(again)).status == "success"


async def test_of_two_daemons_of_one_name_the_second_does_not_begin(hosts: Hosts) -> None:
    a = await hosts.begin("a")
    execution = await held_at_the_gate(a)
    copied = Host("a", a.lab.path.parent / "copied", hosts.store, hosts.clock, hosts.hub)
    hosts.all.append(copied)
    began = asyncio.create_task(copied.begin())
    for _ in range((LEASE + 5) * 2):
        await hosts.clock.advance(0.5)
    assert began.done()
    with pytest.raises(ConfigurationError, match=r"executions\.daemon"):
        await began
    refused = copied.engine.submit(request(await copied.lab.save(EFFECTS)))
    with pytest.raises(StoreUnavailable):
        await refused.accepted
    a.gate.open.set()
    assert (await ended(execution)).status == "success"
    assert (a.lab.ran, copied.lab.ran) == (["One", "Gate", "Two"], [])


async def test_of_two_daemons_of_one_name_that_run_one_goes_on(hosts: Hosts, caplog: pytest.LogCaptureFixture) -> None:
    """Such as after a registration that came while the first could not renew."""
    a = await hosts.begin("a")
    a.line.off = True
    await hosts.clock.advance(LEASE + 1)
    other = Host("a", a.lab.path.parent / "copied", hosts.store, hosts.clock, hosts.hub)
    hosts.all.append(other)
    await other.begin()
    execution = await held_at_the_gate(other)
    a.line.off = False
    for _ in range(LEASE * 8):
        await hosts.clock.advance(0.5)
    assert (other.lab.ran, (await hosts.stored(execution.id)).epoch) == (["One", "Gate"], 1)
    assert [one.message for one in caplog.records if "executions.daemon" in one.message]


async def test_a_crashed_life_is_ended_at_once_and_one_that_is_not_known_after_its_lease(hosts: Hosts) -> None:
    a = await hosts.begin("a")
    execution = await held_at_the_gate(a)
    a.line.off = True
    a.line = Line(hosts.store)
    await a.begin()
    a.gate.open.set()
    assert (await hosts.until_over(execution.id, 4)).row.status == "success"
    (a.lab.path / FILE).unlink()
    a.line.off = True
    a.line = Line(hosts.store)
    began = asyncio.create_task(a.begin())
    await hosts.clock.advance(LEASE - 2)
    assert not began.done()
    await hosts.clock.advance(4)
    await began


async def test_doubts_do_not_give_away_what_a_call_has_just_woken(hosts: Hosts) -> None:
    """It stands neither in memory nor in the backlog as long as it is read."""
    a = await hosts.begin("a")
    execution = a.engine.submit(request(await a.lab.save(doc(("Start", "webhook"), ("F", "form"), ("Z", "effect")))))
    await hosts.clock.advance(1)
    found = await a.engine.waiting(execution.id)
    read, answer = hosts.store.execution, asyncio.Event()

    async def late(execution_id: str) -> StoredExecution | None:
        stored = await read(execution_id)
        if stored is not None and stored.row.status == "running":
            await answer.wait()
        return stored

    a.line.execution = late  # type: ignore[attr-defined]  # before `__getattr__`
    task = asyncio.create_task(a.engine.resume(found, None))
    await until_running(hosts, execution.id)
    a.engine.services.lease.doubt()
    await hosts.clock.advance(2)
    assert (await hosts.stored(execution.id)).owner == a.engine.services.lease.life.id
    answer.set()
    assert (await ended(await task)).status == "success"
    assert a.lab.ran == ["F", "Z"]


async def until_running(hosts: Hosts, execution_id: str) -> None:
    for _ in range(100):
        if (await hosts.stored(execution_id)).row.status == "running":
            return
        await asyncio.sleep(0)
    raise AssertionError("it does not run")


async def test_a_long_interval_of_renewals_does_not_lose_the_lease(hosts: Hosts) -> None:
    a = await hosts.begin("a", renewal_interval=60)
    execution = await held_at_the_gate(a)
    for _ in range(LEASE * 4):
        await hosts.clock.advance(0.5)
    assert ((await hosts.stored(execution.id)).epoch, a.lab.ran) == (1, ["One", "Gate"])


async def test_a_cancel_counts_while_the_execution_is_read_to_be_run(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    a.line.off = True
    read, held, arrived = hosts.store.execution, asyncio.Event(), asyncio.Event()

    async def slow(execution_id: str) -> StoredExecution | None:
        stored = await read(execution_id)
        if stored is not None and stored.owner == b.engine.services.lease.life.id and not arrived.is_set():
            arrived.set()
            await held.wait()
        return stored

    hosts.store.execution = slow  # type: ignore[method-assign]
    for _ in range((LEASE + 5) * 2):
        await hosts.clock.advance(0.5)
        if arrived.is_set():
            break
    assert arrived.is_set()
    await b.engine.cancel(execution.id)
    held.set()
    b.gate.open.set()
    for _ in range(20):
        await hosts.clock.advance(0.5)
    assert ((await hosts.stored(execution.id)).row.status, b.lab.ran) == ("cancelled", [])


async def test_a_store_that_says_nothing_does_not_keep_a_daemon_from_ending(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "LEAVE_S", 0.01)
    a = await hosts.begin("a")
    await held_at_the_gate(a)
    monkeypatch.setattr(hosts.store, "leave", lambda _: asyncio.get_running_loop().create_future())
    async with asyncio.timeout(20):
        await a.engine.drain(0)


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


async def test_a_drained_daemon_does_not_give_away_what_it_is_reading(hosts: Hosts) -> None:
    """It would run it beside whoever claims it, and without the mark that fences it."""
    b, execution_id, arrive = await taken_over_and_read_by_b(hosts)
    b.engine.services.hosts._here = replace(b.engine.services.hosts.here, draining=True)  # type: ignore[attr-defined]
    c = await hosts.begin("c")
    b.gate.open.set()
    c.gate.open.set()
    for _ in range(8):
        await hosts.clock.advance(0.5)
    arrive.set()
    over = await hosts.until_over(execution_id, 10)
    assert (b.lab.ran, c.lab.ran) == (["Gate", "Two"], [])
    assert (over.row.status, over.epoch, len(marks(over))) == ("success", 2, 1)


@pytest.mark.parametrize("cause", ["lost", "given away"])
async def test_what_is_not_this_daemons_any_more_once_it_is_read_does_not_begin(
    hosts: Hosts, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    b, execution_id, arrive = await taken_over_and_read_by_b(hosts)
    lease, read_back = b.engine.services.lease, b.engine._recovery.read_back
    reserve = read_back.reserve

    async def reserved(stored: StoredExecution, **more: Any) -> Any:
        b.engine._backlog._closed = True  # it is not claimed again
        lease.lost(lease.life) if cause == "lost" else await lease.release([execution_id])
        return await reserve(stored, **more)

    monkeypatch.setattr(read_back, "reserve", reserved)
    arrive.set()
    b.gate.open.set()
    for _ in range(50):
        await asyncio.sleep(0)
    assert b.engine._backlog._closed
    assert b.lab.ran == []


async def test_a_crash_counts_behind_a_daemon_that_was_drained_before_it_had_read_the_execution(hosts: Hosts) -> None:
    a, b = await hosts.two()
    executions = [await held_at_the_gate(a) for _ in range(2)]
    read, arrive = slow_to_read(b, hosts.store)
    a.line.off = True
    for _ in range((LEASE + 2) * 2):
        await hosts.clock.advance(0.5)
    assert read.is_set(), "of the first one, behind which the second one stands"
    b.engine.services.hosts._here = replace(b.engine.services.hosts.here, draining=True)  # type: ignore[attr-defined]
    c = await hosts.begin("c")
    b.gate.open.set()
    c.gate.open.set()
    for _ in range(4):
        await hosts.clock.advance(0.5)
    arrive.set()
    over = [await hosts.until_over(one.id, 10) for one in executions]
    assert (b.lab.ran, c.lab.ran) == (["Gate", "Two"], ["Gate", "Two"])
    assert [(one.row.status, one.epoch, len(marks(one))) for one in over] == [("success", 2, 1)] * 2


@pytest.mark.parametrize("place", ["queue", "store"])
async def test_a_crash_counts_behind_a_daemon_that_stopped_before_the_execution_began_there(
    hosts: Hosts, place: str
) -> None:
    a, b = await hosts.begin("a"), await hosts.begin("b", concurrency=1)
    execution = await held_at_the_gate(a)
    read, arrive = slow_to_read(b, hosts.store)
    if place == "store":
        b.engine._recovery.read_back.may_come = lambda _: False  # type: ignore[method-assign]
        arrive.set()
    a.line.off = True
    for _ in range((LEASE + 2) * 2):
        await hosts.clock.advance(0.5)
    if place == "queue":
        assert read.is_set()
        await held_at_the_gate(b)  # in the only slot
        arrive.set()
        await until(lambda: len(b.engine._scheduler.queue) == 1)
    assert (await hosts.stored(execution.id)).owner == b.engine.services.lease.life.id
    await drained(hosts, b)
    assert (await hosts.stored(execution.id)).row.status == "queued"
    for name in ("c", "d"):  # an orderly end more changes nothing
        last = await hosts.begin(name, concurrency=1)
        if name == "c":
            last.engine._recovery.read_back.may_come = lambda _: False  # type: ignore[method-assign]
            await hosts.clock.advance(1)
            await drained(hosts, last)
    last.gate.open.set()
    over = await hosts.until_over(execution.id, 10)
    assert (over.row.status, over.epoch, len(marks(over))) == ("success", 2, 1)


@pytest.mark.parametrize(("first", "second"), [(0, 60), (0, -60), (60, 0), (-60, 60)])
async def test_a_wait_takes_as_long_as_it_should_whatever_the_clocks_of_the_daemons_say(
    hosts: Hosts, first: int, second: int
) -> None:
    a, b = await hosts.begin("a", first), await hosts.begin("b", second)
    await hosts.clock.advance(2)
    workflow = await a.lab.save(waits(a.lab, 500))
    began = hosts.clock.now_ms()
    execution = a.engine.submit(request(workflow))
    await hosts.clock.advance(1)
    await drained(hosts, a)
    while (await hosts.stored(execution.id)).row.finished_at is None:
        await hosts.clock.advance(0.5)
        assert hosts.clock.now_ms() < began + 700_000
    assert (b.lab.ran, round((hosts.clock.now_ms() - began) / 1000)) == (["After"], 500)


async def queued_by_a(hosts: Hosts, a: Host, count: int) -> list[str]:
    """Executions in the store that nobody has."""
    a.engine.services.hosts._here = replace(a.engine.services.hosts.here, roles=("ingress",))  # type: ignore[attr-defined]
    document = await a.lab.save(EFFECTS)
    begun = [a.engine.submit(request(document)) for _ in range(count)]
    for execution in begun:
        await execution.accepted
    return [execution.id for execution in begun]


def reads_together(host: Host, store: MemoryStore) -> tuple[list[int], asyncio.Event]:
    """How many executions each read is for, and what lets the answers through."""
    sizes: list[int] = []
    arrive = asyncio.Event()

    async def whole_executions(execution_ids: list[str], most: int) -> dict[str, StoredExecution]:
        sizes.append(len(execution_ids))
        found = await store.whole_executions(execution_ids, most)
        await arrive.wait()
        return found

    host.line.whole_executions = whole_executions  # type: ignore[attr-defined]  # before `__getattr__`
    return sizes, arrive


async def test_what_was_claimed_together_is_read_together(hosts: Hosts) -> None:
    a, b = await hosts.two()
    b.gate.open.set()
    sizes, arrive = reads_together(b, hosts.store)
    arrive.set()
    ids = await queued_by_a(hosts, a, 12)
    for ident in ids:
        assert (await hosts.until_over(ident, 5)).row.status == "success"
    assert (a.lab.ran, b.lab.ran.count("Two")) == ([], 12)
    assert sum(sizes) >= 11
    assert len(sizes) <= 3


async def test_what_is_given_away_while_it_is_read_together_begins_only_elsewhere(hosts: Hosts) -> None:
    a, b = await hosts.two()
    sizes, arrive = reads_together(b, hosts.store)
    ids = await queued_by_a(hosts, a, 6)
    for _ in range(4):
        await hosts.clock.advance(0.5)
    assert sizes
    b.engine.services.hosts._here = replace(b.engine.services.hosts.here, draining=True)  # type: ignore[attr-defined]
    c = await hosts.begin("c")
    b.gate.open.set()
    c.gate.open.set()
    for _ in range(6):
        await hosts.clock.advance(0.5)
    arrive.set()
    for ident in ids:
        assert (await hosts.until_over(ident, 10)).row.status == "success"
    assert sorted([*b.lab.ran, *c.lab.ran]) == sorted(["One", "Gate", "Two"] * 6)
    assert len(c.lab.ran) >= 5 * 3


async def test_one_that_is_cancelled_while_it_is_read_together_does_not_begin(hosts: Hosts) -> None:
    a, b = await hosts.two()
    b.gate.open.set()
    sizes, arrive = reads_together(b, hosts.store)
    ids = await queued_by_a(hosts, a, 3)
    for _ in range(4):
        await hosts.clock.advance(0.5)
    assert sizes
    await b.engine.cancel(ids[-1])
    arrive.set()
    over = [await hosts.until_over(ident, 5) for ident in ids]
    assert [each.row.status for each in over] == ["success", "success", "cancelled"]
    assert b.lab.ran.count("One") == 2
