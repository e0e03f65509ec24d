"""Pages of executions deep in a list, their counts, and caps: what holds for every store."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from jackfield.api.execution_counts import SPAN_BITS
from jackfield.api.records import replace
from jackfield.api.storage import ExecutionFilter, ExecutionRow, NewExecution, Store

from .rows import FOREVER, call, ended, new

_MANY = 1300
_SPAN = 1 << SPAN_BITS
_FIRST = 400_000 * _SPAN
_FILTERS = (
    ExecutionFilter(),
    ExecutionFilter(workflow_id="w1"),
    ExecutionFilter(workflow_id=""),
    ExecutionFilter(status="success"),
    ExecutionFilter(status="failed", mode="webhook"),
    ExecutionFilter(status="running"),
    ExecutionFilter(since=_FIRST + _SPAN // 2),
    ExecutionFilter(until=_FIRST + 2 * _SPAN + 7),
    ExecutionFilter(workflow_id="w0", since=_FIRST + 9, until=_FIRST + 3 * _SPAN - 1),
    ExecutionFilter(since=_FIRST + _SPAN, until=_FIRST + _SPAN + 5),
    ExecutionFilter(since=_FIRST + _SPAN, until=_FIRST + _SPAN - 1),
)


class StoreListsContract:
    """Long lists: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_pages_and_counts_are_those_of_the_whole_list(self, store: Store) -> None:
        await _fill(store)
        every = await _every(store)
        for where in _FILTERS:
            expected = [row for row in every if _is_wanted(row, where)]
            assert await store.execution_stats(where) == Counter(row.status for row in expected)
            for offset in (0, 1, 499, 500, 501, 640, 777, 1001, 1250, _MANY - 1, _MANY):
                page = await store.executions(where, offset=offset, limit=60)
                assert page.total == len(expected)
                assert list(page.rows) == expected[offset : offset + 60], (where, offset)

    async def test_what_is_deleted_is_counted_no_more(self, store: Store) -> None:
        await _fill(store)
        assert await store.delete_execution("e0007")
        while await store.prune(replace(FOREVER, executions_keep=700, limit=90)):
            pass
        every = await _every(store)
        assert sum(row.finished_at is not None for row in every) == 700
        assert await store.execution_stats(ExecutionFilter()) == Counter(row.status for row in every)
        assert (await store.executions(ExecutionFilter(), offset=600, limit=5)).rows == every[600:605]

    async def test_counts_stay_exact_as_the_spans_of_the_past_are_summed_up(self, store: Store) -> None:
        """Stores may do that in `prune`. They also count executions that end or go in such a span later."""
        await _fill(store)
        for number in range(1, 7):
            await store.prune(replace(FOREVER, now=_FIRST + number * _SPAN))
            every = await _every(store)
            over = [row.id for row in every if row.finished_at is not None]
            going = [row.id for row in every if row.finished_at is None]
            assert await store.delete_execution(over[number * 50])
            await asyncio.gather(*(store.finish_execution(ended(one)) for one in going[::5]))
            every = await _every(store)
            for where in _FILTERS:
                expected = [row for row in every if _is_wanted(row, where)]
                assert await store.execution_stats(where) == Counter(row.status for row in expected), where
            assert (await store.executions(ExecutionFilter(), offset=1000, limit=5)).rows == every[1000:1005]

    async def test_caps_hold_as_more_comes_and_the_newest_stay(self, store: Store) -> None:
        store.hold_caps(executions=300)
        store.hold_caps(calls=200)
        for start in range(0, 900, 30):
            numbers = range(start, start + 30)
            told = [store.add_execution(_with_call(number)) for number in numbers]
            told += [store.finish_execution(ended(f"e{number:04}", at=5000 + number)) for number in numbers]
            await asyncio.gather(*told)
        assert await _settled(lambda: _ended_count(store), 300, 302) >= 300
        assert await _settled(lambda: _call_count(store, "busy"), 200, 201) >= 200
        assert await _call_count(store, "rare") == 45
        kept = [row.id for row in await _every(store)]
        assert kept[:300] == [f"e{number:04}" for number in range(899, 599, -1)]
        page = await store.calls("busy", status=None, offset=0, limit=200)
        busy = [number for number in range(900) if number % 20]
        assert [each.id for each in page.rows] == [f"c{number:04}" for number in reversed(busy[-200:])]

    async def test_open_executions_count_for_no_cap(self, store: Store) -> None:
        store.hold_caps(executions=5)
        for number in range(12):
            await store.add_execution(new(f"open{number}", number))
        for number in range(20):
            await store.add_execution(new(f"e{number:02}", 1000 + number), ended(f"e{number:02}"))
        await _settled(lambda: _ended_count(store), 5, 6)
        assert (await store.execution_stats(ExecutionFilter()))["running"] == 12

    async def test_an_execution_that_took_long_is_kept_as_one_that_has_just_ended(self, store: Store) -> None:
        """By a cap, by `prune` with a count, and by age: what counts is when it ended."""
        store.hold_caps(executions=5)
        await store.add_execution(new("long", 10))
        for number in range(20):
            await store.add_execution(new(f"e{number:02}", 1000 + number), ended(f"e{number:02}", at=3000 + number))
        await store.finish_execution(ended("long", at=3100))
        for number in range(20, 23):
            await store.add_execution(new(f"e{number:02}", 1000 + number), ended(f"e{number:02}", at=3100 + number))
        assert await _settled(lambda: _ended_count(store), 5, 6)
        await store.prune(replace(FOREVER, executions_keep=5))
        kept = {"e19", "long", "e20", "e21", "e22"}
        asked = [*(f"e{number:02}" for number in range(23)), "long"]
        assert await store.known_executions(asked) == kept
        await store.prune(replace(FOREVER, executions_keep=4, executions_before=3100))
        assert await store.known_executions(asked) == kept - {"e19"}

    async def test_many_that_wait_are_passed_over(self, store: Store) -> None:
        store.hold_caps(executions=20)
        await asyncio.gather(*(store.add_execution(new(f"open{number:03}", number)) for number in range(200)))
        for start in range(0, 120, 30):
            numbers = range(start, start + 30)
            told = (new(f"e{number:03}", 1000 + number) for number in numbers)
            ends = (ended(f"e{number:03}", at=3000 + number) for number in numbers)
            await asyncio.gather(*(store.add_execution(*both) for both in zip(told, ends, strict=True)))
        assert await _settled(lambda: _ended_count(store), 20, 21) >= 20
        await asyncio.gather(*(store.finish_execution(ended(f"open{n:03}", at=4000 + n)) for n in range(100)))
        await _settled(lambda: _ended_count(store), 20, 21)
        await store.prune(replace(FOREVER, executions_keep=20))
        open_ids = [f"open{number:03}" for number in range(200)]
        assert await store.known_executions(open_ids) == set(open_ids[80:])
        assert not await store.known_executions([f"e{number:03}" for number in range(120)])

    async def test_a_clock_that_was_set_back_passes_no_cap(self, store: Store) -> None:
        """Executions that end then count as ended before all that was kept, and before the last one that went."""
        store.hold_caps(executions=20)
        for start in range(0, 180, 30):
            late = 1_000_000 if start < 60 else 3000
            numbers = range(start, start + 30)
            told = (new(f"e{number:03}", 1000 + number) for number in numbers)
            ends = (ended(f"e{number:03}", at=late + number) for number in numbers)
            await asyncio.gather(*(store.add_execution(*both) for both in zip(told, ends, strict=True)))
            assert await _settled(lambda: _ended_count(store), 20, 21) <= 21

    async def test_what_an_open_execution_may_ask_for_stays(self, store: Store) -> None:
        parent, child = "0193a2b4-5678-7abc-8def-0123456789ab", "0193a2b4-5678-8123-a456-0123456789ab"
        other = "0193a2b4-9999-8123-a456-0123456789ab"
        await store.add_execution(new(parent, 10))
        for ident in (child, other):
            await store.add_execution(new(ident, 11), ended(ident, at=12))
        store.hold_caps(executions=5)
        for number in range(10):
            await store.add_execution(new(f"e{number}", 1000 + number), ended(f"e{number}"))
        assert await _settled(lambda: _ended_count(store), 5, 6)
        for limits in (FOREVER, replace(FOREVER, executions_before=900), replace(FOREVER, executions_keep=1)):
            await store.prune(limits)
            assert await store.known_executions([parent, child, other]) == {parent, child}
        await store.finish_execution(ended(parent))
        assert await store.prune(replace(FOREVER, executions_keep=0))
        assert await store.known_executions([parent, child]) == set()


def _with_call(number: int) -> NewExecution:
    """Of one of two webhooks."""
    webhook = "busy" if number % 20 else "rare"
    return new(f"e{number:04}", 1000 + number, call=call(f"c{number:04}", 1000 + number, webhook))


async def _ended_count(store: Store) -> int:
    return (await store.execution_stats(ExecutionFilter())).get("success", 0)


async def _call_count(store: Store, webhook: str) -> int:
    return (await store.calls(webhook, status=None, offset=0, limit=1)).total


async def _settled(count: Callable[[], Awaitable[int]], least: int, most: int) -> int:
    """A store may delete a moment later."""
    deadline = time.monotonic() + 10
    while not least <= (found := await count()) <= most:
        assert time.monotonic() < deadline, found
        await asyncio.sleep(0.005)
    return found


async def _fill(store: Store) -> None:
    """Over five spans, in no order, some at the same moment; every ninth is open, and some end later than they came."""
    chance = random.Random(5)
    ends = []
    waiting = []
    for number in range(_MANY):
        ident = f"e{number:04}"
        at = _FIRST + chance.randrange(50) * (_SPAN // 10)
        execution = new(
            ident, at, workflow_id=chance.choice(["w0", "w1", None]), mode=chance.choice(["webhook", "api"])
        )
        end = ended(ident, chance.choice(["success", "success", "failed", "cancelled"]), at + 1)
        if number % 9 == 0:
            waiting.append(store.add_execution(execution))
        elif number % 2:
            waiting.append(store.add_execution(execution, end))
        else:
            waiting.append(store.add_execution(execution))
            ends.append(end)
    await asyncio.gather(*waiting)
    await asyncio.gather(*(store.finish_execution(end) for end in ends))


async def _every(store: Store) -> Sequence[ExecutionRow]:
    return (await store.executions(ExecutionFilter(), offset=0, limit=_MANY)).rows


def _is_wanted(row: ExecutionRow, where: ExecutionFilter) -> bool:
    return (
        where.workflow_id in (None, row.workflow_id)
        and where.status in (None, row.status)
        and where.mode in (None, row.mode)
        and (where.since is None or row.created_at >= where.since)
        and (where.until is None or row.created_at <= where.until)
    )
