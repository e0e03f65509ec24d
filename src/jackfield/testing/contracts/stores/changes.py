"""The news that daemons with one store get of each other's changes to workflows."""

from __future__ import annotations

import asyncio

import pytest

from jackfield.api.errors import Conflict
from jackfield.api.shared_tokens import SharedTokens
from jackfield.api.shared_workflows import SharedWorkflows
from jackfield.api.storage import Store, StoredWorkflow

from .leases import SharedStore


async def add(store: Store, ident: str) -> None:
    await store.add_workflow(StoredWorkflow(ident, "W", False, 1, {"nodes": []}, 1, 1), [], None)


async def change(store: Store, ident: str) -> None:
    await store.change_workflow(ident, {"nodes": []}, "W", [], now=2, author=None)


class StoreChangesContract:
    """Changes and revocations of others: subclass it and give the fixture `shared`, a `SharedStore`."""

    async def heard(self, store: Store, since: int | None = None) -> tuple[int, list[str]]:
        assert isinstance(store, SharedWorkflows)
        found = await store.changed_workflows(since)
        return found.revision, list(found.ids)

    async def test_nothing_has_changed_since_the_store_was_opened(self, shared: SharedStore) -> None:
        revision, ids = await self.heard(shared.stores[1])
        assert ids == []
        assert await self.heard(shared.stores[1], revision) == (revision, [])

    async def test_every_change_is_heard(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        await add(a, "w")
        revision, ids = await self.heard(b)
        assert ids == ["w"]
        for write in (
            lambda: change(a, "w"),
            lambda: a.set_active("w", True, [], now=3),
            lambda: a.set_active("w", False, [], now=3),
            lambda: a.delete_workflow("w"),
        ):
            await write()
            later, ids = await self.heard(b, revision)
            assert (ids, later > revision) == (["w"], True)
            revision = later
        assert await self.heard(b, revision) == (revision, [])

    async def test_many_changes_of_a_workflow_are_one(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        await asyncio.gather(*(add(a, ident) for ident in "xyz"))
        for _ in range(3):
            await asyncio.gather(*(change(a, ident) for ident in "xyz"))
        revision, ids = await self.heard(b)
        assert sorted(ids) == ["x", "y", "z"]
        await change(a, "x")
        assert (await self.heard(b, revision))[1] == ["x"]

    async def test_what_was_refused_is_no_change(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        await add(a, "w")
        revision, _ = await self.heard(b)
        with pytest.raises(Conflict):
            await add(a, "w")
        with pytest.raises(Conflict):
            await a.change_workflow("w", {}, "W", [], now=2, author=None, expected_version=7)
        assert await self.heard(b, revision) == (revision, [])

    async def test_a_token_that_another_daemon_has_revoked_is_revoked(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        assert isinstance(b, SharedTokens)
        assert not await b.is_token_revoked("t")
        await a.revoke_token("t", 99)
        assert await b.is_token_revoked("t")
        assert not await b.is_token_revoked("other")

    async def test_changes_of_many_at_once_are_all_heard(self, shared: SharedStore) -> None:
        *writers, listener = shared.stores
        names = [f"w{number}" for number in range(20)]
        found: set[str] = set()
        revision: int | None = None
        writes = asyncio.gather(*(add(writers[n % len(writers)], name) for n, name in enumerate(names)))
        async with asyncio.timeout(20):
            while len(found) < len(names):
                revision, ids = await self.heard(listener, revision)
                assert not found & set(ids)
                found |= set(ids)
                await asyncio.sleep(0)
        await writes
        assert found == set(names)
