"""Daemons that share a store: an execution is cancelled wherever it is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from daemons_lab import (
    LEASE,
    Hosts,
    held_at_the_gate,
)
from engine_lab import doc, request
from gate_lab import waits

from jackfield.api.errors import Conflict, StoreUnavailable
from jackfield.api.storage import ExecutionFilter, StoredExecution


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
