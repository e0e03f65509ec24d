"""Facts of the store, and credentials that are sealed anew: what holds for every store."""

from __future__ import annotations

import asyncio

from jackfield.api.records import replace
from jackfield.api.storage import Credential, Store

OURS = Credential("c-1", "ours", "httpBasicAuth", b"sealed", 1000, 2000)


class StoreFactsContract:
    """Facts: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_a_fact_that_nobody_has_set_is_none(self, store: Store) -> None:
        assert await store.fact("master-key") is None

    async def test_a_fact_is_set_once_and_changed_by_who_knows_it(self, store: Store) -> None:
        assert await store.change_fact("master-key", None, "one é")
        assert not await store.change_fact("master-key", None, "another")
        assert await store.fact("master-key") == "one é"
        assert not await store.change_fact("master-key", "another", "two")
        assert await store.change_fact("master-key", "one é", "two")
        assert await store.fact("master-key") == "two"
        assert await store.fact("master") is None

    async def test_a_fact_that_is_not_there_is_not_changed(self, store: Store) -> None:
        assert not await store.change_fact("master-key", "", "one")
        assert await store.fact("master-key") is None

    async def test_of_many_at_once_one_sets_the_fact(self, store: Store) -> None:
        for before in (None, "0"):
            told = await asyncio.gather(*(store.change_fact("key", before, f"no. {number}") for number in range(8)))
            assert sum(told) == 1
            assert await store.change_fact("key", f"no. {told.index(True)}", "0")

    async def test_a_long_fact_is_kept_whole(self, store: Store) -> None:
        assert await store.change_fact("long", None, "x" * 100_000)
        assert await store.fact("long") == "x" * 100_000

    async def test_a_credential_is_resealed_as_it_was_read(self, store: Store) -> None:
        await store.put_credential(OURS)
        assert await store.reseal_credential("c-1", b"sealed", b"anew")
        assert await store.credential("c-1") == replace(OURS, sealed=b"anew")

    async def test_a_credential_that_was_changed_meanwhile_stays(self, store: Store) -> None:
        await store.put_credential(replace(OURS, sealed=b"changed"))
        assert not await store.reseal_credential("c-1", b"sealed", b"anew")
        assert not await store.reseal_credential("c-2", b"sealed", b"anew")
        assert await store.credential("c-1") == replace(OURS, sealed=b"changed")
        assert await store.credential("c-2") is None
