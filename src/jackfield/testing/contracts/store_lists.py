"""Pages of executions deep in a list, their counts, and caps: what holds for every store."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence

from jackfield.api.execution_counts import SPAN_BITS
from jackfield.api.records import replace
from jackfield.api.storage import ExecutionFilter, ExecutionRow, Store

from .rows import FOREVER, call, calls, ended, new

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

    async def test_a_cap_of_calls_holds_for_the_webhooks_that_are_named(self, store: Store) -> None:
        for webhook in ("one", "two"):
            await asyncio.gather(*(store.add_call(call(f"{webhook}{n}", 1000 + n, webhook)) for n in range(6)))
        caps = replace(FOREVER, calls_keep=4, webhooks=["two", "never"])
        assert await store.prune(caps) == 2
        assert [each.id for each in await calls(store, "two")] == ["two5", "two4", "two3", "two2"]
        assert len(await calls(store, "one")) == 6

    async def test_it_counts_what_it_was_given(self, store: Store) -> None:
        await store.add_execution(new("a", call=call("c", webhook="h")))
        await store.add_execution(new("b"), ended("b"))
        await store.add_call(call("d", webhook="h"))
        assert store.added_executions.take(2) == [""]
        assert store.added_executions.take(1) == []
        assert store.added_calls.take(3) == []
        assert store.added_calls.take(2) == ["h"]


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
