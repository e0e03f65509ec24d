"""Leases: whoever is cancelled while it asks for one leaves it to the others."""

from __future__ import annotations

import asyncio

import pytest

from jackfield.api.errors import StoreUnavailable
from jackfield.api.memos import leased
from jackfield.core.memos import LocalMemos
from jackfield.testing.clock import FakeClock


class LateMemos(LocalMemos):
    """Its writer does what it was asked for, whether somebody still waits for it or not. turn: lets it."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.turn = asyncio.Event()
        self.lost = False
        self.asked = 0

    async def change_memo(self, kind: str, key: str, before: bytes | None, data: bytes | None, lifetime: float) -> bool:
        self.asked += 1
        return await asyncio.shield(self._write(kind, key, before, data, lifetime))

    async def _write(self, kind: str, key: str, before: bytes | None, data: bytes | None, lifetime: float) -> bool:
        await self.turn.wait()
        done = await super().change_memo(kind, key, before, data, lifetime)
        if self.lost:
            self.lost = False
            raise StoreUnavailable("The outcome is not known.")
        return done


async def hold(memos: LateMemos, clock: FakeClock) -> None:
    async with leased(memos, "lease", "k", 30, clock):
        pass


@pytest.mark.parametrize("again", [False, True])
async def test_a_lease_that_comes_to_nobody_ends(again: bool) -> None:
    """again: it is cancelled once more while it gives it back."""
    clock = FakeClock()
    memos = LateMemos(clock)
    holder = asyncio.create_task(hold(memos, clock))
    for _ in range(5):
        await asyncio.sleep(0)
    assert memos.asked == 1
    holder.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    if again:
        holder.cancel()
    memos.turn.set()
    for _ in range(20):
        await asyncio.sleep(0)
    assert holder.cancelled()
    assert await memos.memo("lease", "k") is None


async def test_a_lease_whose_answer_is_lost_ends() -> None:
    clock = FakeClock()
    memos = LateMemos(clock)
    memos.turn.set()
    memos.lost = True
    with pytest.raises(StoreUnavailable):
        await hold(memos, clock)
    assert await memos.memo("lease", "k") is None
