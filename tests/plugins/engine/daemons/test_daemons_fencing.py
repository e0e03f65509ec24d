"""Daemons that share a store: what a death costs, and what a daemon may still do whose lease is over."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from daemons_lab import (
    EFFECTS,
    LEASE,
    Host,
    Hosts,
    Line,
    held_at_the_gate,
    marks,
    nodes,
    taken_over_and_read_by_b,
)
from engine_lab import ended, request, until

from jackfield.api.errors import ConfigurationError, Fenced, StoreUnavailable
from jackfield.api.storage import CallUpdate, ExecutionFilter, NewCall, StoredExecution
from jackfield_engine.shared.known_lives import FILE


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


async def test_a_long_interval_of_renewals_does_not_lose_the_lease(hosts: Hosts) -> None:
    a = await hosts.begin("a", renewal_interval=60)
    execution = await held_at_the_gate(a)
    for _ in range(LEASE * 4):
        await hosts.clock.advance(0.5)
    assert ((await hosts.stored(execution.id)).epoch, a.lab.ran) == (1, ["One", "Gate"])


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
