"""Daemons that share a store: lost answers, crashes in turn, and stores that do not answer."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path
from typing import Any

import pytest
from daemons_lab import (
    EFFECTS,
    LEASE,
    Hosts,
    LineRenewals,
    drained,
    held_at_the_gate,
    marks,
    nodes,
    slow_to_read,
)
from engine_lab import Lab, doc, ended, request, until
from gate_lab import Gate

from jackfield.api.clock import Clock, SystemClock
from jackfield.api.errors import StoreUnavailable
from jackfield.api.records import replace
from jackfield.api.storage import Incarnation, NewExecution, Renewed, StoredExecution
from jackfield.testing.store import MemoryStore
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.run.stored_form import input_json
from jackfield_engine.settings import ExecutionsSettings
from jackfield_engine.shared import lease
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore


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


async def test_a_claim_that_arrives_behind_its_time_leaves_nothing_lying(hosts: Hosts) -> None:
    """Its connection broke; it reached the store after this daemon had asked over another one."""
    a = await hosts.begin("a")
    workflow = await a.lab.save(doc(("Start", "webhook"), ("One", "effect")))
    sent: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    async def lost(*args: Any, **more: Any) -> Any:
        sent.append((args, more))
        del a.line.claim_executions  # type: ignore[attr-defined]  # the next goes through
        raise StoreUnavailable("The connection broke.")

    a.line.claim_executions = lost  # type: ignore[attr-defined]  # before `__getattr__`
    await hosts.clock.advance(4)
    given, _ = input_json(request(workflow))
    await hosts.store.add_execution(NewExecution("late", workflow.id, 1, "webhook", "queued", 1, given))
    ((args, more),) = sent
    assert [one.id for one in await hosts.store.claim_executions(*args, **more)] == ["late"]
    await hosts.clock.advance(3)
    assert a.lab.ran == []
    over = await hosts.until_over("late", LEASE + 2)
    assert (over.row.status, a.lab.ran) == ("success", ["One"])


async def test_doubts_give_nothing_away_that_is_being_read(hosts: Hosts) -> None:
    """It would begin here behind its release, beside whoever claims it then."""
    a = await hosts.begin("a")
    workflow = await a.lab.save(doc(("Start", "webhook"), ("One", "effect")))
    life, (given, _) = a.engine.services.lease.life, input_json(request(workflow))
    await hosts.clock.advance(1)
    await hosts.store.add_execution(NewExecution("e", workflow.id, 1, "webhook", "queued", 1, given, owner=life.id))
    with a.engine.live.reading("e"):
        a.engine.services.lease.doubt()
        await hosts.clock.advance(2)
        assert ((await hosts.stored("e")).owner, a.lab.ran) == (life.id, [])
    assert (await hosts.until_over("e", LEASE + 2)).row.status == "success"


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


async def test_a_store_that_says_nothing_does_not_keep_a_daemon_from_ending(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "LEAVE_S", 0.01)
    a = await hosts.begin("a")
    await held_at_the_gate(a)
    monkeypatch.setattr(hosts.store, "leave", lambda _: asyncio.get_running_loop().create_future())
    async with asyncio.timeout(20):
        await a.engine.drain(0)


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
