"""Ledgers of hosts: what holds for every store."""

from __future__ import annotations

from jackfield.api.storage import Store
from jackfield.api.storage.ledgers import LedgerDay, StoredLedger

_DAY_MS = 86_400_000
_ODD = bytes(range(256))


def ledger(id: str, name: str = "", as_of: int = 1000, *, inside: bool = True) -> StoredLedger:
    return StoredLedger(id, name or id, as_of, inside)


async def days(store: Store, id: str) -> list[LedgerDay]:
    return list(await store.ledger_days(id, -(2**40), 2**40, 1000))


class StoreLedgersContract:
    """Ledgers: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_a_day_is_replaced_by_a_later_version_alone(self, store: Store) -> None:
        one, two = LedgerDay(20_000, 7, _ODD), LedgerDay(20_001, 2**60, b"")
        await store.put_ledger(ledger("a"), [one, two])
        for _ in range(2):
            await store.put_ledger(ledger("a"), [LedgerDay(20_000, 6, b"late"), LedgerDay(20_000, 7, b"again")])
        assert await days(store, "a") == [one, two]
        corrected = LedgerDay(20_000, 8, b"corrected")
        await store.put_ledger(ledger("a"), [corrected])
        assert await days(store, "a") == [corrected, two]
        assert await store.ledger_versions("a") == {20_000: 8, 20_001: 2**60}
        assert await store.ledger_versions("b") == {}

    async def test_days_come_in_order_and_in_parts(self, store: Store) -> None:
        await store.put_ledger(ledger("a"), [LedgerDay(day, 1, b"") for day in (-1, 3, 2, 1, 0)])
        await store.put_ledger(ledger("b"), [LedgerDay(1, 1, b"other")])
        assert [found.day for found in await store.ledger_days("a", 0, 2, 10)] == [0, 1, 2]
        assert [found.day for found in await store.ledger_days("a", -5, 2, 2)] == [-1, 0]
        assert await store.ledger_days("a", 4, 9, 10) == []

    async def test_a_host_may_get_another_name_and_time_never_goes_back(self, store: Store) -> None:
        await store.put_ledger(ledger("1", "old", 1000), [])
        await store.put_ledger(ledger("2", "alpha", 1000), [])
        await store.put_ledger(ledger("1", "beta", 2000), [])
        await store.put_ledger(ledger("1", "late", 1500), [LedgerDay(1, 1, b"")])
        assert list(await store.ledgers()) == [ledger("2", "alpha", 1000), ledger("1", "beta", 2000)]
        assert await store.ledger_versions("1") == {1: 1}

    async def test_for_whom_it_is_may_change(self, store: Store) -> None:
        for inside in (False, True, False):
            await store.put_ledger(ledger("1", inside=inside), [])
            (found,) = await store.ledgers()
            assert found.inside is inside

    async def test_what_is_old_is_forgotten(self, store: Store) -> None:
        await store.put_ledger(ledger("gone", as_of=5 * _DAY_MS - 1), [LedgerDay(3, 1, b""), LedgerDay(4, 1, b"")])
        await store.put_ledger(ledger("quiet", as_of=5 * _DAY_MS), [LedgerDay(4, 1, b"")])
        await store.put_ledger(ledger("kept", as_of=0), [LedgerDay(5, 1, b"")])
        await store.forget_ledger_days(4)
        assert [found.day for found in await days(store, "gone")] == [4]
        await store.forget_ledger_days(5)
        assert [found.id for found in await store.ledgers()] == ["kept", "quiet"]
        assert (await days(store, "quiet"), len(await days(store, "kept"))) == ([], 1)
