"""The owners of executions, and repeated writes: the rules for every store, with one daemon after another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest

from jackfield.api.errors import Conflict, Fenced
from jackfield.api.ids import new_id
from jackfield.api.storage import (
    CallUpdate,
    Claimed,
    Delivery,
    Incarnation,
    OpenStatus,
    Renewed,
    Standing,
    Store,
    StoredExecution,
)

from .rows import call, calls, ended, new

EVERY: tuple[OpenStatus, ...] = ("queued", "running", "waiting")
Write: TypeAlias = Callable[[Store, str], Awaitable[object]]
WRITES: dict[str, Write] = {
    "append": lambda store, owner: store.append_steps("e", b"[9]", 9, owner),
    "run": lambda store, owner: store.set_running("e", 1, owner),
    "wait": lambda store, owner: store.set_waiting("e", None, b"[9]", 9, owner),
    "finish": lambda store, owner: store.finish_execution(ended("e", "failed", steps=b"[9]", number=9, owner=owner)),
}
"""Changes of the execution `e` by an owner."""


async def registered(store: Store, daemon: str = "a", lease_ms: int = 10_000) -> str:
    """A fresh incarnation's id."""
    incarnation = Incarnation(new_id(), daemon, lease_ms)
    await store.register(incarnation)
    return incarnation.id


async def found(store: Store, execution_id: str = "e") -> StoredExecution:
    """It is there."""
    stored = await store.execution(execution_id)
    assert stored is not None
    return stored


class StoreOwnershipContract:
    """Owners, claims and repeated writes: subclass it and give the fixture `store`, an open and empty `Store`."""

    # -- repeated writes

    @pytest.mark.parametrize("together", [True, False])
    async def test_chunks_are_kept_once_and_read_in_order_of_their_numbers(self, store: Store, together: bool) -> None:
        me = await registered(store)
        await store.add_execution(new("e", owner=me))
        for number in (0, 5, 2, 5, 0):
            written = store.append_steps("e", b"[%d]" % number, number, me)
            if not together:
                await written
        await written
        stored = await found(store)
        assert (list(stored.steps), stored.next_chunk) == ([b"[0]", b"[2]", b"[5]"], 6)

    async def test_an_acceptance_may_be_repeated(self, store: Store) -> None:
        me = await registered(store)
        execution = new("e", owner=me, call=call("c"), delivery=Delivery("h", "key", 2**50))
        await asyncio.gather(store.add_execution(execution), store.add_execution(execution))
        await store.append_steps("e", b"[0]", 0, me)
        await store.add_execution(execution)
        stored = await found(store)
        assert (stored.row.status, list(stored.steps), stored.owner) == ("running", [b"[0]"], me)
        assert len(await calls(store)) == 1
        assert (await store.webhook_stats("h")).total_calls == 1

    async def test_an_acceptance_with_its_end_may_be_repeated(self, store: Store) -> None:
        execution, end = new("e", status="success", call=call("c")), ended("e", steps=b"[0]")
        await store.add_execution(execution, end)
        await store.add_execution(execution, end)
        assert list((await found(store)).steps) == [b"[0]"]
        assert (await store.webhook_stats("h")).total_calls == 1

    @pytest.mark.parametrize("other", [new("e", 1001), new("e", call=call("c"))], ids=["time", "call"])
    async def test_another_execution_of_the_same_id_is_refused(self, store: Store, other: object) -> None:
        await store.add_execution(new("e"))
        with pytest.raises(Conflict):
            await store.add_execution(other)  # type: ignore[arg-type]
        assert await calls(store) == []

    async def test_a_wait_may_be_stored_twice(self, store: Store) -> None:
        me = await registered(store)
        await store.add_execution(new("e", owner=me))
        for _ in range(2):
            await store.set_waiting("e", 5000, b"[0]", 0, me)
        stored = await found(store)
        assert (stored.row.status, stored.row.resume_at, list(stored.steps)) == ("waiting", 5000, [b"[0]"])

    async def test_an_end_of_a_wait_may_be_repeated(self, store: Store) -> None:
        me = await registered(store)
        await store.add_execution(new("e", owner=me))
        await store.set_waiting("e", None, b"[0]", 0, me)
        assert await store.end_wait("e", b"[1]", 1, me) is True
        assert await store.end_wait("e", b"[1]", 1, me) is True
        assert await store.end_wait("e", b"[other]", 1, me) is False
        assert await store.end_wait("e", b"[1]", 2, me) is False
        assert await store.end_wait("e", b"[1]", 1) is False
        await store.finish_execution(ended("e", number=2, owner=me))
        assert await store.end_wait("e", b"[1]", 1, me) is True
        assert list((await found(store)).steps) == [b"[0]", b"[1]"]

    async def test_an_end_may_be_repeated(self, store: Store) -> None:
        me = await registered(store)
        await store.add_execution(new("e", owner=me))
        for _ in range(2):
            await store.finish_execution(ended("e", steps=b"[0]", owner=me))
        stored = await found(store)
        assert (stored.row.status, list(stored.steps), stored.owner) == ("success", [b"[0]"], me)

    # -- owners

    @pytest.mark.parametrize("write", WRITES)
    async def test_who_does_not_own_an_execution_changes_nothing(self, store: Store, write: str) -> None:
        me = await registered(store)
        await store.add_execution(new("e", owner=me))
        await store.add_execution(new("free", status="queued", started_at=None))
        before = await found(store)
        with pytest.raises(Fenced):
            await WRITES[write](store, None)  # type: ignore[arg-type]
        with pytest.raises(Fenced):
            await WRITES[write](store, "never registered")
        with pytest.raises(Fenced):
            await store.append_steps("free", b"[0]", 0, me)
        assert await found(store) == before
        await WRITES[write](store, me)
        assert await found(store) != before

    @pytest.mark.parametrize("write", WRITES)
    async def test_writes_of_an_owner_whose_daemon_began_anew_change_nothing(self, store: Store, write: str) -> None:
        old = await registered(store)
        await store.add_execution(new("e", owner=old))
        await store.add_execution(new("over", owner=old), ended("over", owner=old))
        before = await found(store)
        await registered(store)
        for late in (
            WRITES[write](store, old),
            store.append_steps("over", b"[0]", 0, old),
            store.append_steps("unknown", b"[0]", 0, old),
            store.add_execution(new("late", owner=old)),
            store.release_executions(old, ["e"]),
            store.claim_executions(old, statuses=EVERY, limit=9),
            store.end_wait("e", b"[9]", 9, old),
            store.register(Incarnation(old, "a", 10_000)),
        ):
            with pytest.raises(Fenced):
                await late
        assert await found(store) == before
        assert await store.execution("late") is None

    async def test_one_that_is_fenced_does_not_keep_others_from_writing(self, store: Store) -> None:
        old = await registered(store)
        me = await registered(store)
        results = await asyncio.gather(
            store.add_execution(new("e", owner=me)),
            store.add_execution(new("late", owner=old)),
            store.append_steps("e", b"[0]", 0, me),
            store.append_steps("e", b"[1]", 1, old),
            store.append_steps("e", b"[2]", 2, me),
            return_exceptions=True,
        )
        assert [type(each) for each in results] == [type(None), Fenced, type(None), Fenced, type(None)]
        assert list((await found(store)).steps) == [b"[0]", b"[2]"]

    async def test_what_is_queued_behind_a_registration_is_taken(self, store: Store) -> None:
        incarnation = Incarnation(new_id(), "a", 10_000)
        await asyncio.gather(
            store.register(incarnation),
            store.add_execution(new("e", owner=incarnation.id)),
            store.append_steps("e", b"[0]", 0, incarnation.id),
            store.register(incarnation),
        )
        stored = await found(store)
        assert (list(stored.steps), stored.owner, stored.epoch) == ([b"[0]"], incarnation.id, 1)

    async def test_a_call_is_not_answered_by_one_that_is_fenced(self, store: Store) -> None:
        old = await registered(store)
        await store.add_execution(new("e", owner=old, call=call("c")))
        me = await registered(store)
        with pytest.raises(Fenced):
            await store.update_call(CallUpdate("c", "h", "failed", 503, "late"), owner=old)
        (found,) = await calls(store)
        assert (found.status, found.response_status) == ("pending", None)
        await store.update_call(CallUpdate("c", "h", "success", 200, "in time"), owner=me)
        (found,) = await calls(store)
        assert (found.status, found.response_status) == ("success", 200)

    async def test_how_an_execution_stands(self, store: Store) -> None:
        me = await registered(store)
        await store.add_execution(new("e", owner=me))
        await store.add_execution(new("free", status="queued", started_at=None))
        await store.add_execution(new("over", owner=me), ended("over", owner=me))
        found = [await store.standing(one) for one in ("e", "free", "over", "never")]
        assert found == [Standing(True, me), Standing(True, None), Standing(False, me), None]

    # -- claims

    async def test_what_never_had_an_owner_is_claimed_once_in_order(self, store: Store) -> None:
        me = await registered(store)
        for n in (3, 1, 2, 0):
            await store.add_execution(new(f"e{n}", status="queued", started_at=None))
        first = await store.claim_executions(me, statuses=EVERY, limit=3)
        assert first == [Claimed(f"e{n}", "queued", 1, taken_over=False) for n in range(3)]
        assert [one.id for one in await store.claim_executions(me, statuses=EVERY, limit=9)] == ["e3"]
        assert await store.claim_executions(me, statuses=EVERY, limit=9) == []
        assert await store.owned_executions(me) == ["e0", "e1", "e2", "e3"]
        await store.finish_execution(ended("e1", owner=me))
        assert await store.owned_executions(me) == ["e0", "e2", "e3"]

    async def test_a_claim_takes_over_what_an_earlier_life_left(self, store: Store) -> None:
        old = await registered(store)
        await store.add_execution(new("e", owner=old))
        await store.add_execution(new("f", owner=old, status="queued", started_at=None))
        await store.add_execution(new("over", owner=old), ended("over", owner=old))
        assert await store.claim_executions(old, statuses=EVERY, limit=9) == []
        me = await registered(store)
        assert await store.owned_executions(old) == ["e", "f"]
        assert await store.claim_executions(me, statuses=EVERY, limit=9) == [
            Claimed("e", "running", 2, taken_over=True), Claimed("f", "queued", 2, taken_over=True)
        ]  # fmt: skip
        stored = await found(store)
        assert (stored.owner, stored.epoch, stored.row.status) == (me, 2, "running")
        third = await registered(store)
        assert [one.epoch for one in await store.claim_executions(third, statuses=EVERY, limit=9)] == [3, 3]

    async def test_statuses_due_times_and_ids_narrow_a_claim(self, store: Store) -> None:
        me = await registered(store)
        for n, status in enumerate(["queued", "running", "waiting", "waiting", "waiting"]):
            await store.add_execution(new(f"e{n}", status="queued"))
            if status == "waiting":
                await store.set_waiting(f"e{n}", None if n == 4 else 1000 * n, b"[0]", 0)
            elif status == "running":
                await store.set_running(f"e{n}", 1)

        async def claimed(*statuses: OpenStatus, **more: object) -> list[str]:
            given = await store.claim_executions(me, statuses=statuses, limit=9, **more)  # type: ignore[arg-type]
            await store.release_executions(me, [one.id for one in given])
            return [one.id for one in given]

        assert await claimed("queued") == ["e0"]
        assert await claimed("waiting") == []
        assert await claimed(*EVERY, due=2999) == ["e0", "e1", "e2"]
        assert await claimed("waiting", due=3000) == ["e2", "e3"]
        assert await claimed(*EVERY, only=["e4", "e0", "never"]) == ["e0", "e4"]
        assert await claimed(*EVERY, only=["e4", "e3"], due=10**15) == ["e3"]
        assert await claimed(*EVERY, only=[]) == []
        assert await claimed() == []

    # -- handing over

    async def test_what_is_released_in_order_is_queued_and_no_take_over(self, store: Store) -> None:
        me = await registered(store)
        for n in range(3):
            await store.add_execution(new(f"e{n}", owner=me))
        await store.set_waiting("e1", 5000, b"[0]", 0, me, me)
        written = store.append_steps("e0", b"[0]", 0, me)
        await store.release_executions(me, ["e0", "e1", "never"])
        await written
        await store.release_executions(me, ["e0"])
        stored = await found(store, "e0")
        assert (stored.row.status, stored.owner, list(stored.steps)) == ("queued", None, [b"[0]"])
        assert (await found(store, "e1")).row.status == "waiting"
        assert await store.owned_executions(me) == ["e2"]
        assert await store.claim_executions(me, statuses=EVERY, limit=9, due=5000) == [
            Claimed("e0", "queued", 1, taken_over=False), Claimed("e1", "waiting", 1, taken_over=False)
        ]  # fmt: skip

    async def test_who_leaves_releases_all(self, store: Store) -> None:
        old = await registered(store)
        for n in range(2):
            await store.add_execution(new(f"e{n}", owner=old))
        written = store.append_steps("e0", b"[0]", 0, old)
        await store.leave(old)
        await written
        await store.leave(old)
        await store.leave("never registered")
        with pytest.raises(Fenced):
            await store.append_steps("e0", b"[1]", 1, old)
        assert await store.owned_executions(old) == []
        me = await registered(store)
        assert await store.claim_executions(me, statuses=EVERY, limit=9) == [
            Claimed(f"e{n}", "queued", 1, taken_over=False) for n in range(2)
        ]
        assert list((await found(store, "e0")).steps) == [b"[0]"]

    @pytest.mark.parametrize("kept", [True, False])
    async def test_a_wait_belongs_to_its_keeper(self, store: Store, kept: bool) -> None:
        me = await registered(store)
        await store.add_execution(new("e", owner=me))
        await store.set_waiting("e", 5000, b"[0]", 0, me, me if kept else None)
        assert (await found(store)).owner == (me if kept else None)
        claimed = await store.claim_executions(me, statuses=("waiting",), limit=9, due=5000)
        assert claimed == ([] if kept else [Claimed("e", "waiting", 1, taken_over=False)])
        await store.set_running("e", 1000, me)

    async def test_who_ends_a_wait_owns_the_execution(self, store: Store) -> None:
        me = await registered(store)
        await store.add_execution(new("e"))
        await store.set_waiting("e", None, b"[0]", 0)
        assert await store.end_wait("e", b"[1]", 1, me)
        assert (await found(store)).owner == me
        await store.append_steps("e", b"[2]", 2, me)
        with pytest.raises(Fenced):
            await store.append_steps("e", b"[3]", 3)

    async def test_a_repeated_wait_is_one_although_nobody_keeps_it(self, store: Store) -> None:
        me = await registered(store)
        await store.add_execution(new("e", owner=me))
        await store.set_waiting("e", None, b"[0]", 0, me)
        assert await store.end_wait("e", b"[1]", 1)
        await store.set_waiting("e", None, b"[0]", 0, me)
        stored = await found(store)
        assert (stored.row.status, stored.owner, list(stored.steps)) == ("running", None, [b"[0]", b"[1]"])

    # -- renewing and wishes

    async def test_renewing_tells_whose_end_is_wanted(self, store: Store) -> None:
        me = await registered(store)
        renewals = store.renewals(me)
        for name in ("e", "f", "over"):
            await store.add_execution(new(name, owner=me))
        await store.add_execution(new("free", status="queued", started_at=None))
        await store.finish_execution(ended("over", owner=me))
        assert list((await renewals.renew()).cancelled) == []
        asked = [await store.ask_cancel(name) for name in ("e", "e", "free", "over", "never")]
        assert asked == [True, True, False, False, False]
        for _ in range(2):
            assert list((await renewals.renew()).cancelled) == ["e"]
        await store.finish_execution(ended("e", "cancelled", owner=me))
        assert list((await renewals.renew()).cancelled) == []
        await renewals.close()

    async def test_a_wish_finds_the_next_owner(self, store: Store) -> None:
        old = await registered(store)
        await store.add_execution(new("e", owner=old))
        assert await store.ask_cancel("e")
        me = await registered(store)
        assert list((await store.renewals(me).renew()).cancelled) == []
        await store.claim_executions(me, statuses=EVERY, limit=9)
        assert list((await store.renewals(me).renew()).cancelled) == ["e"]

    async def test_who_is_not_alive_does_not_renew(self, store: Store) -> None:
        old = await registered(store)
        await registered(store)
        for owner in (old, "never registered"):
            with pytest.raises(Fenced):
                await store.renewals(owner).renew()

    async def test_renewing_works_on_another_thread(self, store: Store) -> None:
        me = await registered(store)
        await store.add_execution(new("e", owner=me))
        await store.ask_cancel("e")

        async def renewed() -> Renewed:
            renewals = store.renewals(me)
            try:
                return await renewals.renew()
            finally:
                await renewals.close()

        told = await asyncio.to_thread(lambda: asyncio.run(renewed()))
        assert list(told.cancelled) == ["e"]
