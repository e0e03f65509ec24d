"""The cache of parsed workflows: right, bounded, fast."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.errors import NotFound
from jackfield.api.ids import new_id
from jackfield.api.storage import StoredWorkflow
from jackfield.testing.context import FakeContext
from jackfield_workflows.documents.reader import CachedReader
from jackfield_workflows.settings import WorkflowsSettings


@dataclass
class OneTableStore:
    """The two verbs that the reader uses."""

    rows: dict[tuple[str, int | None], StoredWorkflow] = field(default_factory=dict)
    reads: int = 0
    gate: asyncio.Event | None = None

    def put(self, name: str, *, id: str | None = None, version: int = 1, active: bool = False, size: int = 0) -> str:
        document: Any = {"name": name, "nodes": [], "meta": "x" * size}
        row = StoredWorkflow(id or new_id(), name, active, version, document, 0, 0)
        self.rows[row.id, None] = self.rows[row.id, version] = row
        return row.id

    async def workflow(self, workflow_id: str) -> StoredWorkflow | None:
        return await self._read(workflow_id, None)

    async def workflow_version(self, workflow_id: str, version: int) -> StoredWorkflow | None:
        return await self._read(workflow_id, version)

    async def _read(self, workflow_id: str, version: int | None) -> StoredWorkflow | None:
        self.reads += 1
        row = self.rows.get((workflow_id, version))
        if self.gate is not None:
            await self.gate.wait()
        return row


@pytest.fixture
def store() -> OneTableStore:
    return OneTableStore()


@pytest.fixture
def reader(tmp_path: Path, store: OneTableStore) -> CachedReader:
    return make(tmp_path, store)


def make(tmp_path: Path, store: OneTableStore, **settings: Any) -> CachedReader:
    return CachedReader(FakeContext(tmp_path, tables=[WorkflowsSettings(**settings)], ports={"Store": store}))


async def test_a_version_is_parsed_once(reader: CachedReader, store: OneTableStore) -> None:
    ident = store.put("a", version=3, active=True)
    first = await reader.load(ident)
    assert (first.name, first.version, first.active) == ("a", 3, True)
    assert await reader.load(ident) is first
    assert await reader.load(ident, 3) is first
    assert store.reads == 1


async def test_old_versions_stand_beside_the_present_one(reader: CachedReader, store: OneTableStore) -> None:
    ident = store.put("old", version=1)
    store.put("new", id=ident, version=2)
    assert [(await reader.load(ident, version)).name for version in (1, None, 2, 1)] == ["old", "new", "new", "old"]
    assert store.reads == 2


async def test_what_was_forgotten_is_read_again(reader: CachedReader, store: OneTableStore) -> None:
    ident = store.put("a")
    assert (await reader.load(ident)).active is False
    store.put("a", id=ident, active=True)
    reader.forget(ident)
    assert (await reader.load(ident)).active is True
    assert (await reader.load(ident, 1)).active is True


async def test_a_read_that_a_change_overtakes_is_not_kept(reader: CachedReader, store: OneTableStore) -> None:
    ident = store.put("before")
    store.gate = asyncio.Event()
    slow = asyncio.ensure_future(reader.load(ident))
    await asyncio.sleep(0)
    store.put("after", id=ident, version=2)
    reader.forget(ident)
    store.gate.set()
    await slow
    assert (await reader.load(ident)).name == "after"


@pytest.mark.parametrize("ident", ["01900000-0000-7000-8000-000000000000", "", "\0", "x" * 3000, "../etc"])
async def test_unknown_workflows_are_not_found(reader: CachedReader, ident: str) -> None:
    with pytest.raises(NotFound):
        await reader.load(ident)


@pytest.mark.parametrize("version", [0, -1, 2, 10**30])
async def test_unknown_versions_are_not_found(reader: CachedReader, store: OneTableStore, version: int) -> None:
    ident = store.put("a")
    with pytest.raises(NotFound):
        await reader.load(ident, version)


async def test_the_cache_keeps_what_was_used_last(tmp_path: Path, store: OneTableStore) -> None:
    reader = make(tmp_path, store, cached_workflows=2)
    a, b, c = (store.put(name) for name in "abc")
    for ident in (a, b, a, c):
        await reader.load(ident)
    assert store.reads == 3
    await reader.load(a)
    assert store.reads == 3
    await reader.load(b)
    assert store.reads == 4


async def test_the_cache_is_bounded_in_bytes_and_versions(tmp_path: Path, store: OneTableStore) -> None:
    reader = make(tmp_path, store, cached_bytes=1000)
    large = store.put("large", size=2000)
    for ident in [large, *(store.put("small", size=300) for _ in range(10)), large]:
        await reader.load(ident)
    assert reader._size <= 1000
    assert 1 <= len(reader._cache) <= 3
    many = store.put("v", version=1)
    for version in range(2, 50):
        store.put("v", id=many, version=version)
        await reader.load(many, version)
    assert len(reader._cache[many].versions) <= 8
    for ident in list(reader._cache):
        reader.forget(ident)
    assert (reader._size, len(reader._cache)) == (0, 0)


async def test_a_cached_load_costs_next_to_nothing(reader: CachedReader, store: OneTableStore) -> None:
    ident = store.put("a")
    await reader.load(ident)

    async def best() -> float:
        rounds = []
        for _ in range(20):
            start = time.perf_counter()
            for _ in range(500):
                await reader.load(ident)
            rounds.append((time.perf_counter() - start) / 500)
        return min(rounds)

    assert await best() < 5e-6
