"""Hosts that share a store: what holds for every store that is not exclusive."""

from __future__ import annotations

from typing import cast

import pytest

from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield.api.storage.hosts import HostEntry, HostStore, StoredHost

from .leases import SharedStore


def entry(name: str, ident: str, about: str = "{}", lease_ms: int = 60_000) -> HostEntry:
    return HostEntry(name, ident, lease_ms, about)


def two(shared: SharedStore) -> tuple[HostStore, HostStore]:
    first, second = shared.stores[:2]
    assert isinstance(first, HostStore)
    return first, cast("HostStore", second)


async def known(store: HostStore) -> list[StoredHost]:
    """Without their ages."""
    return [replace(host, age_ms=0) for host in await store.stored_hosts()]


class StoreHostsContract:
    """Hosts: subclass it and give the fixture `shared`, a `SharedStore`."""

    async def test_each_knows_the_others_by_name(self, shared: SharedStore) -> None:
        a, b = two(shared)
        assert not await b.renew_host(entry("beta", "2", '{"é": 1}'))
        assert not await a.renew_host(entry("alpha", "1"))
        alpha, beta = StoredHost(entry("alpha", "1"), False, 0), StoredHost(entry("beta", "2", '{"é": 1}'), False, 0)
        assert await known(a) == await known(b) == [alpha, beta]
        assert all(host.alive for host in await a.stored_hosts())
        await a.renew_host(entry("alpha", "1", "[2]"))
        assert (await known(b))[0].entry.about == "[2]"

    async def test_a_living_host_keeps_its_name(self, shared: SharedStore) -> None:
        a, b = two(shared)
        await a.renew_host(entry("alpha", "1"))
        with pytest.raises(Conflict):
            await b.renew_host(entry("alpha", "2"))
        await b.leave_host("alpha", "2")
        assert (await a.stored_hosts())[0].alive, "somebody else does not end it"
        await a.leave_host("alpha", "1")
        assert not (await b.stored_hosts())[0].alive
        await b.renew_host(entry("alpha", "2"))
        assert (await known(a))[0].entry.id == "2"

    async def test_a_host_that_is_gone_gives_its_name_away(self, shared: SharedStore) -> None:
        a, b = two(shared)
        await a.renew_host(entry("alpha", "1", lease_ms=-1))
        assert not (await b.stored_hosts())[0].alive
        await b.renew_host(entry("alpha", "2"))
        assert (await b.stored_hosts())[0].alive

    async def test_it_hears_that_it_is_drained_and_stays_so(self, shared: SharedStore) -> None:
        a, b = two(shared)
        assert not await b.drain_host("alpha", True)
        await a.renew_host(entry("alpha", "1"))
        assert await b.drain_host("alpha", True)
        assert [host.draining for host in await b.stored_hosts()] == [True]
        assert await a.renew_host(entry("alpha", "1"))
        await a.leave_host("alpha", "1")
        assert await a.renew_host(entry("alpha", "1")), "a restart does not undo it"
        assert await b.drain_host("alpha", False)
        assert not await a.renew_host(entry("alpha", "1"))
