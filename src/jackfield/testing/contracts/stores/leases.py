"""Daemons that share a store side by side: what holds for every store that is not exclusive."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import pytest

from jackfield.api.errors import Conflict, Fenced
from jackfield.api.ids import new_id
from jackfield.api.storage import Claimed, Incarnation, Store

from .ownership import EVERY, WRITES, found, registered
from .rows import ended, new


@dataclass
class SharedStore:
    """`stores`: at least two, open, over the same data, which may be one object more than once.

    `lapse`: returns once every lease of `lease_ms` has run out that is not renewed meanwhile.
    """

    stores: Sequence[Store]
    lease_ms: int
    lapse: Callable[[], Awaitable[None]]

    async def two(self) -> tuple[str, str]:
        """Incarnations of two daemons, at the first and the second store."""
        first = await registered(self.stores[0], "a", self.lease_ms)
        return first, await registered(self.stores[1], "b", self.lease_ms)


class StoreLeasesContract:
    """Leases: subclass it and give the fixture `shared`, a `SharedStore`."""

    async def test_it_is_not_exclusive(self, shared: SharedStore) -> None:
        assert not any(store.exclusive for store in shared.stores)

    async def test_a_renewal_tells_the_one_time_of_all(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        mine, other = await shared.two()
        times: list[int] = []
        for store, owner in ((a, mine), (b, other), (a, mine)):
            renewals = store.renewals(owner)
            times.append((await renewals.renew()).now_ms or 0)
            await renewals.close()
        assert times == sorted(times)
        assert times[0] > 1_700_000_000_000

    async def test_nobody_takes_what_the_living_own(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        mine, other = await shared.two()
        await a.add_execution(new("e", owner=mine))
        assert await b.claim_executions(other, statuses=EVERY, limit=9) == []
        await a.append_steps("e", b"[0]", 0, mine)
        with pytest.raises(Fenced):
            await b.append_steps("e", b"[1]", 1, other)
        with pytest.raises(Fenced):
            await b.finish_execution(ended("e", "cancelled"))
        await b.release_executions(other, ["e"])
        assert await a.owned_executions(mine) == ["e"]

    @pytest.mark.parametrize("write", WRITES)
    async def test_what_the_dead_owned_is_taken_over_and_their_late_writes_change_nothing(
        self, shared: SharedStore, write: str
    ) -> None:
        a, b = shared.stores[:2]
        mine, other = await shared.two()
        await a.add_execution(new("e", owner=mine))
        await a.append_steps("e", b"[0]", 0, mine)
        await shared.lapse()
        await b.renewals(other).renew()
        assert await b.claim_executions(other, statuses=EVERY, limit=9) == [Claimed("e", "running", 2, taken_over=True)]
        before = await found(b)
        for late in (WRITES[write](a, mine), a.renewals(mine).renew(), a.add_execution(new("late", owner=mine))):
            with pytest.raises(Fenced):
                await late
        assert await found(b) == before
        await b.finish_execution(ended("e", owner=other))
        with pytest.raises(Fenced):
            await WRITES[write](a, mine)
        assert (await found(b)).row.status == "success"

    async def test_a_lease_that_ran_out_ends_nothing_by_itself(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        mine, other = await shared.two()
        await a.add_execution(new("e", owner=mine))
        await shared.lapse()
        await a.append_steps("e", b"[0]", 0, mine)
        assert await a.claim_executions(mine, statuses=EVERY, limit=9) == []
        await a.renewals(mine).renew()
        assert await a.owned_executions(mine) == ["e"]
        with pytest.raises(Fenced):  # that claim has found it dead
            await b.renewals(other).renew()

    async def test_who_renews_keeps_what_it_has(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        mine, other = await shared.two()
        await a.add_execution(new("e", owner=mine))
        await shared.lapse()
        await a.renewals(mine).renew()
        await b.renewals(other).renew()
        assert await b.claim_executions(other, statuses=EVERY, limit=9) == []
        await a.finish_execution(ended("e", owner=mine))

    async def test_one_that_was_fenced_begins_anew(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        mine, other = await shared.two()
        await a.add_execution(new("e", owner=mine))
        await a.add_execution(new("f", owner=mine))
        await shared.lapse()
        await b.renewals(other).renew()
        assert [one.id for one in await b.claim_executions(other, statuses=EVERY, limit=1)] == ["e"]
        again = await registered(a, "a", shared.lease_ms)
        assert await a.claim_executions(again, statuses=EVERY, limit=9) == [Claimed("f", "running", 2, taken_over=True)]
        with pytest.raises(Fenced):
            await a.append_steps("e", b"[0]", 0, again)

    async def test_a_daemon_does_not_end_another_one_of_its_name(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        mine, _ = await shared.two()
        await a.add_execution(new("e", owner=mine))
        own = Incarnation(new_id(), "a", shared.lease_ms, earlier=["another"])
        with pytest.raises(Conflict):
            await b.register(own)
        with pytest.raises(Fenced):
            await b.renewals(own.id).renew()
        await a.renewals(mine).renew()
        await a.append_steps("e", b"[0]", 0, mine)
        again = Incarnation(new_id(), "a", shared.lease_ms, earlier=[mine])
        await a.register(again)
        await a.register(again)
        assert [one.id for one in await a.claim_executions(again.id, statuses=EVERY, limit=9)] == ["e"]
        with pytest.raises(Conflict):
            await b.register(own)
        await shared.lapse()
        await b.register(own)
        assert [one.id for one in await b.claim_executions(own.id, statuses=EVERY, limit=9)] == ["e"]

    async def test_a_new_life_takes_nothing_from_other_daemons(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        mine, other = await shared.two()
        await b.add_execution(new("e", owner=other))
        again = await registered(a, "a", shared.lease_ms)
        assert await a.claim_executions(again, statuses=EVERY, limit=9) == []
        await b.append_steps("e", b"[0]", 0, other)
        with pytest.raises(Fenced):
            await a.renewals(mine).renew()

    async def test_who_leaves_hands_over_without_a_lease_running_out(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        mine, other = await shared.two()
        await a.add_execution(new("e", owner=mine))
        await a.leave(mine)
        assert await b.claim_executions(other, statuses=EVERY, limit=9) == [Claimed("e", "queued", 1, taken_over=False)]

    async def test_claims_at_once_share_the_work(self, shared: SharedStore) -> None:
        owners = [await registered(store, f"d{n}", shared.lease_ms) for n, store in enumerate(shared.stores)]
        for n in range(60):
            await shared.stores[n % len(owners)].add_execution(new(f"e{n:02}", status="queued", started_at=None))

        async def worked(store: Store, owner: str) -> list[str]:
            mine: list[str] = []
            while claimed := await store.claim_executions(owner, statuses=("queued",), limit=3):
                for one in claimed:
                    await store.append_steps(one.id, owner.encode(), 0, owner)
                    await store.finish_execution(ended(one.id, owner=owner, number=1))
                    mine.append(one.id)
            return mine

        done = await asyncio.gather(*(worked(s, o) for s, o in zip(shared.stores, owners, strict=True)))
        assert sorted(ident for ids in done for ident in ids) == [f"e{n:02}" for n in range(60)]
        for owner, ids in zip(owners, done, strict=True):
            for ident in ids:
                assert list((await found(shared.stores[0], ident)).steps) == [owner.encode()]

    async def test_of_two_that_end_a_wait_one_wins_and_owns_it(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        mine, other = await shared.two()
        await a.add_execution(new("e", owner=mine))
        await a.set_waiting("e", 5000, b"[0]", 0, mine, mine)
        won = await asyncio.gather(a.end_wait("e", b"[1]", 1, mine), b.end_wait("e", b"[1]", 1, other))
        assert sorted(won) == [False, True]
        stored = await found(a)
        assert (stored.owner, list(stored.steps)) == (mine if won[0] else other, [b"[0]", b"[1]"])
        loser, lost = (b, other) if won[0] else (a, mine)
        with pytest.raises(Fenced):
            await loser.set_running("e", 1, lost)

    async def test_a_wish_of_one_daemon_is_told_to_the_other(self, shared: SharedStore) -> None:
        a, b = shared.stores[:2]
        mine, other = await shared.two()
        await a.add_execution(new("e", owner=mine))
        assert await b.ask_cancel("e")
        assert list((await b.renewals(other).renew()).cancelled) == []
        assert list((await a.renewals(mine).renew()).cancelled) == ["e"]
