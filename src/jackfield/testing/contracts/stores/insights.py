"""Counts of executions that have ended, and stay when these are deleted: what holds for every store."""

from __future__ import annotations

from jackfield.api.storage import KEEP_ALL, FinishedExecution, NewExecution, Retention, Store, Within
from jackfield.api.storage.executions import ExecutionStatus
from jackfield.api.storage.insights import DAY_MS, HOUR_MS, WEEK_MS, EndedCount, EndedFilter

_DAY = 20_002 * DAY_MS
"""A Sunday."""
EVER = EndedFilter(0, 2**44)


async def ended(
    store: Store, id: str, end: int, status: ExecutionStatus = "success", *, workflow: str | None = "w", took: int = 5
) -> None:
    mode = "webhook" if id < "m" else "manual"
    finished = FinishedExecution(id, status, end, end - took)
    await store.add_execution(NewExecution(id, workflow, 1, mode, "queued", end - took - 1, b"{}"), finished)


async def some(store: Store) -> None:
    await ended(store, "a", _DAY + 1)
    await ended(store, "b", _DAY + HOUR_MS - 1, took=7)
    await ended(store, "c", _DAY + HOUR_MS, "failed")
    await ended(store, "d", _DAY + DAY_MS, "cancelled", workflow="v")
    await ended(store, "m", _DAY + DAY_MS, workflow=None)


class StoreInsightsContract:
    """Subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_ends_are_summed_by_workflow_and_by_time(self, store: Store) -> None:
        await some(store)
        await store.add_execution(NewExecution("open", "w", 1, "webhook", "running", 1, b"{}"))
        assert await store.ended_by_workflow(EVER) == [
            EndedCount("", "success", 1, 5),
            EndedCount("v", "cancelled", 1, 5),
            EndedCount("w", "failed", 1, 5),
            EndedCount("w", "success", 2, 12),
        ]
        assert await store.ended_by_time(EVER, HOUR_MS) == [
            EndedCount(_DAY, "success", 2, 12),
            EndedCount(_DAY + HOUR_MS, "failed", 1, 5),
            EndedCount(_DAY + DAY_MS, "cancelled", 1, 5),
            EndedCount(_DAY + DAY_MS, "success", 1, 5),
        ]
        monday = _DAY + DAY_MS  # on which the next week begins
        assert [(row.key, row.number) for row in await store.ended_by_time(EVER, WEEK_MS)] == [
            (monday - WEEK_MS, 1),
            (monday - WEEK_MS, 2),
            (monday, 1),
            (monday, 1),
        ]

    async def test_filters_hold(self, store: Store) -> None:
        await some(store)
        hour = EndedFilter(_DAY, _DAY + HOUR_MS)
        assert [row.number for row in await store.ended_by_workflow(hour)] == [2]
        by_hand = EndedFilter(0, 2**44, modes=["manual", "test"])
        assert await store.ended_by_workflow(by_hand) == [EndedCount("", "success", 1, 5)]
        one = EndedFilter(0, 2**44, workflow_ids=["v", "gone"])
        assert await store.ended_by_workflow(one) == [EndedCount("v", "cancelled", 1, 5)]
        await store.place_resources("workflow", ["v"], "p")
        assert await store.ended_by_workflow(EndedFilter(0, 2**44, within=Within(["p"]))) == [
            EndedCount("v", "cancelled", 1, 5)
        ]

    async def test_what_is_deleted_still_counts(self, store: Store) -> None:
        await some(store)
        by_workflow, by_hour = await store.ended_by_workflow(EVER), await store.ended_by_time(EVER, HOUR_MS)
        assert await store.delete_execution("a")
        await store.prune(Retention(_DAY + DAY_MS, KEEP_ALL, 0, KEEP_ALL, _DAY))
        assert await store.known_executions(["a", "b", "c", "d", "m"]) == {"d", "m"}
        assert await store.ended_by_workflow(EVER) == by_workflow
        assert await store.ended_by_time(EVER, HOUR_MS) == by_hour
        store.hold_caps(executions=0)
        await ended(store, "e", _DAY + 2 * DAY_MS)
        await store.prune(Retention(0, 0, 0, KEEP_ALL, _DAY))
        assert await store.known_executions(["d", "e", "m"]) == set()
        assert sum(row.number for row in await store.ended_by_workflow(EVER)) == 6

    async def test_hours_become_days_and_are_forgotten(self, store: Store) -> None:
        await some(store)
        await store.prune(Retention(2**44, KEEP_ALL, 0, KEEP_ALL, _DAY))
        by_workflow = await store.ended_by_workflow(EVER)
        for _ in range(2):
            await store.compact_insights(_DAY + DAY_MS, 0)
            assert await store.ended_by_workflow(EVER) == by_workflow
            assert [(row.key, row.status, row.number) for row in await store.ended_by_time(EVER, HOUR_MS)] == [
                (_DAY, "failed", 1),
                (_DAY, "success", 2),
                (_DAY + DAY_MS, "cancelled", 1),
                (_DAY + DAY_MS, "success", 1),
            ]
        await store.compact_insights(_DAY + DAY_MS, _DAY + DAY_MS)
        assert sum(row.number for row in await store.ended_by_workflow(EVER)) == 2
