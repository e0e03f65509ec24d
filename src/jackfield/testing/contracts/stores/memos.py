"""Memos: what holds wherever they are kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from jackfield.api.clock import SystemClock
from jackfield.api.errors import StoreUnavailable
from jackfield.api.memos import Memos, Room, leased

ROOM = Room(100)


@dataclass
class MemosAlone:
    """`memos`: open and empty. `passes`: moves their clock on by that many seconds."""

    memos: Memos
    passes: Callable[[float], Awaitable[None]]


class StoreMemosContract:
    """Subclass it and give the fixture `memos_alone`, a `MemosAlone`."""

    async def test_a_memo_ends_by_itself(self, memos_alone: MemosAlone) -> None:
        memos = memos_alone.memos
        assert await memos.memo("code", "k") is None
        await memos.put_memo("code", "k", b"\0\xff", 60, ROOM)
        await memos.put_memo("other", "k", b"o", 600, ROOM)
        assert await memos.memo("code", "k") == b"\0\xff"
        await memos_alone.passes(61)
        assert await memos.memo("code", "k") is None
        assert await memos.take_memo("code", "k") is None
        assert await memos.memos("code", "") == []
        assert await memos.memo("other", "k") == b"o"
        await memos.put_memo("code", "k", b"again", 60, ROOM)
        assert await memos.memo("code", "k") == b"again"

    async def test_of_many_at_once_one_takes_it(self, memos_alone: MemosAlone) -> None:
        memos = memos_alone.memos
        await memos.put_memo("code", "k", b"x", 60, ROOM)
        taken = await asyncio.gather(*(memos.take_memo("code", "k") for _ in range(5)))
        assert sorted(taken, key=str) == sorted([b"x", *[None] * 4], key=str)

    async def test_it_is_changed_by_who_knows_it(self, memos_alone: MemosAlone) -> None:
        memos = memos_alone.memos
        told = await asyncio.gather(*(memos.change_memo("lease", "k", None, b"%d" % n, 60) for n in range(5)))
        assert sum(told) == 1
        now = b"%d" % told.index(True)
        assert not await memos.change_memo("lease", "k", b"wrong", b"y", 60)
        assert await memos.change_memo("lease", "k", now, b"y", 600)
        await memos_alone.passes(61)
        assert await memos.memo("lease", "k") == b"y"
        assert not await memos.change_memo("lease", "k", now, None, 60)
        assert await memos.change_memo("lease", "k", b"y", None, 60)
        assert await memos.memo("lease", "k") is None
        assert not await memos.change_memo("lease", "k", b"y", b"z", 60)

    async def test_one_that_has_ended_is_nobodys(self, memos_alone: MemosAlone) -> None:
        memos = memos_alone.memos
        assert await memos.change_memo("lease", "k", None, b"x", 60)
        await memos_alone.passes(61)
        assert not await memos.change_memo("lease", "k", b"x", b"y", 60)
        assert await memos.change_memo("lease", "k", None, b"z", 60)

    async def test_parts_are_listed_and_ended_together(self, memos_alone: MemosAlone) -> None:
        memos = memos_alone.memos
        for key, part, lifetime in (("a", "p", 90), ("b", "p", 60), ("c", "q", 60)):
            await memos.put_memo("kind", key, key.encode(), lifetime, Room(100, part))
        found = await memos.memos("kind", "p")
        assert [(memo.key, memo.data) for memo in found] == [("b", b"b"), ("a", b"a")]
        assert 0 < found[0].left <= 60 < found[1].left <= 90
        await memos.end_memos("kind", "p")
        assert await memos.memos("kind", "p") == []
        assert await memos.memo("kind", "c") == b"c"

    async def test_of_too_many_those_that_end_first_go(self, memos_alone: MemosAlone) -> None:
        memos = memos_alone.memos
        for n in range(5):
            await memos.put_memo("kind", f"p{n}", b"", 60 + n, Room(100, "p", 2))
        assert [memo.key for memo in await memos.memos("kind", "p")] == ["p3", "p4"]
        await memos.put_memo("other", "k", b"", 1000, ROOM)
        for n in range(5):
            await memos.put_memo("kind", f"q{n}", b"", 100 + n, Room(3, "q"))
        assert await memos.memos("kind", "p") == []
        assert [memo.key for memo in await memos.memos("kind", "q")] == ["q2", "q3", "q4"]
        assert await memos.memo("other", "k") == b""

    async def test_a_lease_is_one_holders_until_it_is_over(self, memos_alone: MemosAlone) -> None:
        memos, clock, inside = memos_alone.memos, SystemClock(), 0

        async def hold() -> None:
            nonlocal inside
            async with leased(memos, "lease", "k", 30, clock):
                inside += 1
                await asyncio.sleep(0)
                assert inside == 1
                inside -= 1

        await asyncio.gather(*(hold() for _ in range(3)))
        assert await memos.memo("lease", "k") is None
        for turns in range(4):
            holder = asyncio.create_task(hold())
            for _ in range(turns):
                await asyncio.sleep(0)
            holder.cancel()
            await asyncio.wait([holder])
            assert await memos.memo("lease", "k") is None, "who was cancelled while it asked does not keep it"
        await memos.put_memo("lease", "k", b"dead", 30, ROOM)
        with pytest.raises(StoreUnavailable):
            async with leased(memos, "lease", "k", 0.01, clock):
                pass
