"""Executions that are asked for while others are read come with the next read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from jackfield.api.errors import DataDamaged, StoreUnavailable
from jackfield.api.storage import NewExecution, StoredExecution
from jackfield.testing.clock import FakeClock
from jackfield.testing.store import MemoryStore
from jackfield_engine.lifecycle.gathered import PAGE, GatheredReads


class SlowStore(MemoryStore):
    """Answers when the test says so. asked: of the ids that each read was for."""

    def __init__(self) -> None:
        super().__init__(FakeClock())
        self.asked: list[list[str]] = []
        self.answers = asyncio.Semaphore(0)
        self.damaged = ""
        self.spoils = False
        """Whether one that is damaged makes the read of all fail."""

    async def execution(self, execution_id: str) -> StoredExecution | None:
        self.asked.append([execution_id])
        await self.answers.acquire()
        if execution_id == self.damaged:
            raise DataDamaged("It is damaged.")
        return await super().execution(execution_id)

    async def whole_executions(self, execution_ids: Sequence[str], most_bytes: int) -> dict[str, StoredExecution]:
        self.asked.append(list(execution_ids))
        await self.answers.acquire()
        if self.spoils and self.damaged in execution_ids:
            raise ValueError
        kept = [MemoryStore.execution(self, one) for one in execution_ids if one != self.damaged]
        return {found.row.id: found for found in await asyncio.gather(*kept) if found is not None}


@pytest.fixture
async def store() -> SlowStore:
    made = SlowStore()
    for n in range(PAGE * 2):
        await made.add_execution(NewExecution(f"e{n}", None, 1, "manual", "running", 1000, b"{}", 1000))
    return made


def asked(reads: GatheredReads, *ids: str) -> list[asyncio.Task[StoredExecution | None]]:
    return [asyncio.ensure_future(reads.execution(one)) for one in ids]


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_what_is_asked_for_meanwhile_is_read_together(store: SlowStore) -> None:
    reads = GatheredReads(store)
    tasks = asked(reads, "e0")
    await turns()
    tasks += asked(reads, "e1", "e2", "e1", "e0")
    await turns()
    assert store.asked == [["e0"]], "one at a time"
    for _ in range(2):
        store.answers.release()
    found = await asyncio.gather(*tasks)
    assert [one.row.id for one in found if one is not None] == ["e0", "e1", "e2", "e1", "e0"]
    assert store.asked == [["e0"], ["e1", "e2", "e0"]]


async def test_a_read_has_no_more_than_a_page(store: SlowStore) -> None:
    for _ in range(9):
        store.answers.release()
    await asyncio.gather(*asked(GatheredReads(store), *(f"e{n}" for n in range(PAGE + 7))))
    assert [len(ids) for ids in store.asked] == [PAGE, 7]


@pytest.mark.parametrize("spoils", [False, True])
async def test_one_that_is_damaged_or_unknown_does_not_harm_the_others(store: SlowStore, spoils: bool) -> None:
    store.damaged, store.spoils = "e1", spoils
    for _ in range(9):
        store.answers.release()
    found = await asyncio.gather(*asked(GatheredReads(store), "e0", "e1", "nobody", "e2"), return_exceptions=True)
    assert isinstance(found[1], DataDamaged)
    assert found[2] is None
    assert [each.row.id for each in found if isinstance(each, StoredExecution)] == ["e0", "e2"]


async def test_an_outage_is_told_to_all_and_the_next_read_is_another(store: SlowStore) -> None:
    reads = GatheredReads(store)
    for _ in range(9):
        store.answers.release()
    store.fail_with = StoreUnavailable()
    found = await asyncio.gather(*asked(reads, "e0", "e1"), return_exceptions=True)
    assert [type(each) for each in found] == [StoreUnavailable] * 2
    store.fail_with = None
    assert (await reads.execution("e0")) is not None
