"""Entries of plugins: what holds for every store."""

from __future__ import annotations

import asyncio

from jackfield.api.records import replace
from jackfield.api.storage import Store
from jackfield.api.storage.entries import Entry

_ODD = bytes(range(256))


def entry(id: str, parent: str = "p", place: int = 0, *, kind: str = "k", data: bytes = _ODD) -> Entry:
    return Entry(kind, id, parent, place, 1, data)


async def ids(
    store: Store, after: tuple[int, str] | None = None, *, limit: int = 100, newest_first: bool = False
) -> list[str]:
    found = await store.entries("k", "p", after=after, limit=limit, newest_first=newest_first)
    return [each.id for each in found]


class StoreEntriesContract:
    """Entries: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_one_that_was_changed_meanwhile_stays(self, store: Store) -> None:
        first = entry("a", place=2**50)
        assert await store.put_entry(first, None)
        assert not await store.put_entry(replace(first, data=b"late"), None)
        second = replace(first, revision=2, parent="q", place=-1, data=b"")
        assert await store.put_entry(second, 1)
        assert not await store.put_entry(replace(first, revision=2, data=b"late"), 1)
        assert not await store.put_entry(entry("unknown"), 1)
        assert await store.entry("k", "a") == second
        assert await store.entry("other", "a") is None

    async def test_of_many_at_once_one_is_stored(self, store: Store) -> None:
        assert await store.put_entry(entry("a"), None)
        changes = [store.put_entry(replace(entry("a"), revision=2, data=bytes([n])), 1) for n in range(8)]
        assert sum(await asyncio.gather(*changes)) == 1

    async def test_they_come_in_order_and_in_parts(self, store: Store) -> None:
        for name, place in (("b", 1), ("ä", 1), ("a", 1), ("z", 0), ("c", 2)):
            assert await store.put_entry(entry(name, place=place), None)
        assert await store.put_entry(entry("a", kind="other"), None)
        assert await store.put_entry(entry("elsewhere", "q"), None)
        assert await ids(store) == ["z", "a", "b", "ä", "c"]
        assert await ids(store, newest_first=True) == ["c", "ä", "b", "a", "z"]
        assert await ids(store, (1, "a"), limit=2) == ["b", "ä"]
        assert await ids(store, (1, "b"), newest_first=True) == ["a", "z"]
        assert (await store.entry_count("k", "p"), await store.entry_count("k", "none")) == (5, 0)

    async def test_deleting_leaves_other_parents_and_kinds(self, store: Store) -> None:
        for each in (entry("a"), entry("b"), entry("c", "q"), entry("a", kind="other")):
            assert await store.put_entry(each, None)
        assert await store.delete_entry("k", "a")
        assert not await store.delete_entry("k", "a")
        assert await store.delete_entries("k", "p") == 1
        assert await store.delete_entries("k", "p") == 0
        assert await store.entry("k", "c") == entry("c", "q")
        assert await store.entry("other", "a") == entry("a", kind="other")
