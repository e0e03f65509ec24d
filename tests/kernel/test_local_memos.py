"""Memos in memory: reading one does not look at the others."""

from __future__ import annotations

from jackfield.api.memos import Room
from jackfield.core.memos import LocalMemos
from jackfield.testing.clock import FakeClock

ROOM = Room(10_000)


class Looked(float):
    """A lifetime, and then an end, that counts how often an end is looked at."""

    count = 0

    def __radd__(self, now: float) -> Looked:
        return Looked(now + float(self))

    def __le__(self, other: float) -> bool:
        Looked.count += 1
        return float(self) <= other


async def test_a_read_looks_at_one_end() -> None:
    memos = LocalMemos(FakeClock())
    for number in range(1000):
        await memos.put_memo("code", f"k{number}", b"x", Looked(60 + number), ROOM)
    Looked.count = 0
    assert await memos.memo("code", "k500") == b"x"
    assert await memos.take_memo("code", "k501") == b"x"
    assert Looked.count == 2


async def test_one_that_was_set_anew_ends_later() -> None:
    clock = FakeClock()
    memos = LocalMemos(clock)
    await memos.put_memo("code", "k", b"1", 10, ROOM)
    for number in range(200):
        await memos.put_memo("code", "k", b"%d" % number, 20 + number, ROOM)
    await clock.advance(60)
    assert await memos.memo("code", "k") == b"199"
    assert [memo.data for memo in await memos.memos("code", "")] == [b"199"]
    await clock.advance(160)
    assert await memos.memo("code", "k") is None


async def test_of_those_that_end_together_the_later_ones_stay() -> None:
    memos = LocalMemos(FakeClock())
    for key in "abcd":
        await memos.put_memo("code", key, b"x", 60, Room(3, "p", 2))
    await memos.put_memo("code", "z", b"x", 5, Room(3))
    assert [memo.key for memo in await memos.memos("code", "p")] == ["c", "d"]
    await memos.put_memo("code", "y", b"x", 60, Room(3))
    assert await memos.memo("code", "z") is None
