"""Ended executions are deleted by age and by count; open ones never."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from jackfield.api.pruning import prune, prune_forever
from jackfield.api.records import replace
from jackfield.api.storage import ExecutionFilter, FinishedExecution, NewExecution
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_engine.retention import retention_at, start
from jackfield_engine.settings import ExecutionsSettings

HOUR = 3_600_000


async def _store(clock: FakeClock, ages: list[int]) -> MemoryStore:
    """Ended executions of these ages in hours, and one that is still open."""
    store = MemoryStore()
    await store.open()
    for number, age in enumerate(ages):
        at = clock.now_ms() - age * HOUR
        end = FinishedExecution(f"done-{number}", "success", finished_at=at, started_at=at)
        await store.add_execution(NewExecution(f"done-{number}", "w", 1, "manual", "running", at, b"{}"), end)
    old = clock.now_ms() - 10_000 * HOUR
    await store.add_execution(NewExecution("open", "w", 1, "manual", "waiting", old, b"{}"))
    return store


async def _left(store: MemoryStore, limit: int = 100) -> set[str]:
    return {row.id for row in (await store.executions(ExecutionFilter(), offset=0, limit=limit)).rows}


async def test_by_age_and_by_count(tmp_path: Path) -> None:
    clock = FakeClock()
    store = await _store(clock, [1, 2, 3, 400])
    context = FakeContext(tmp_path, clock=clock, ports={"Store": store})
    assert not await prune(context, partial(retention_at, ExecutionsSettings()))
    assert await _left(store) == {"done-0", "done-1", "done-2", "open"}
    await prune(context, partial(retention_at, ExecutionsSettings(max_count=2)))
    assert await _left(store) == {"done-0", "done-1", "open"}


async def test_it_goes_on_by_the_clock(tmp_path: Path) -> None:
    clock = FakeClock()
    store = await _store(clock, [400])
    context = FakeContext(tmp_path, clock=clock, ports={"Store": store})
    executions = partial(retention_at, ExecutionsSettings())
    task = asyncio.create_task(prune_forever(context, 60, executions, "It could not be done."))
    await clock.advance(59)
    assert "done-0" in await _left(store)
    await clock.advance(2)
    assert await _left(store) == {"open"}
    task.cancel()


@pytest.mark.parametrize("worker", [0, 1])
async def test_the_store_holds_the_cap_between_two_looks(tmp_path: Path, worker: int) -> None:
    clock = FakeClock()
    store = await _store(clock, [1, 2, 3])
    tables = [ExecutionsSettings(max_count=2, prune_interval=3600)]
    context = FakeContext(tmp_path, clock=clock, ports={"Store": store}, tables=tables)
    context.service = replace(context.service, worker=worker)
    start(context)
    assert any(task.get_name() == "retention" for task in asyncio.all_tasks()) == (worker == 0)
    at = clock.now_ms()
    end = FinishedExecution("new", "success", finished_at=at, started_at=at)
    await store.add_execution(NewExecution("new", "w", 1, "manual", "running", at, b"{}"), end)
    assert await _left(store) == {"new", "done-0", "open"}
