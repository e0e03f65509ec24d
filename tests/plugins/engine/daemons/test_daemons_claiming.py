"""Daemons that share a store: who runs what, and who takes what another one has left."""

from __future__ import annotations

import asyncio

import pytest
from daemons_lab import (
    EFFECTS,
    LEASE,
    Host,
    Hosts,
    drained,
    held_at_the_gate,
    marks,
    taken_over_and_read_by_b,
)
from engine_lab import doc, ended, request, until
from gate_lab import GATED

from jackfield.api.records import replace
from jackfield.api.storage import StoredExecution
from jackfield.testing.store import MemoryStore


async def test_what_an_orderly_end_leaves_goes_on_at_once_and_is_no_crash(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = await held_at_the_gate(a)
    b.gate.open.set()
    assert await drained(hosts, a) == 1
    over = await hosts.until_over(execution.id, 2)
    assert (over.row.status, over.epoch, marks(over)) == ("success", 1, [])
    assert b.lab.ran == ["Gate", "Two"]


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
