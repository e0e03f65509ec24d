"""Three stores over one schema at the same time, as three daemons have them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from jackfield.api.errors import Conflict, RouteConflict
from jackfield.api.storage import (
    Delivery,
    FinishedExecution,
    Folder,
    NewExecution,
    StoredWorkflow,
    Tag,
    User,
    Variable,
    WebhookStats,
    WorkflowFilter,
)
from jackfield.api.storage.tables import DataColumn, DataTable, NewDataRow, RowFilter, RowOrder
from jackfield.api.triggers import Registration
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.schema import MIGRATIONS
from jackfield_store_postgres.store import PostgresStore

NewStore = Callable[..., PostgresStore]
Stores = Sequence[PostgresStore]


@pytest.fixture
async def stores(new_store: NewStore) -> Stores:
    """Opened at once, so that one of them migrates while the others wait."""
    made = [new_store() for _ in range(3)]
    await asyncio.gather(*(store.open() for store in made))
    return made


def workflow(ident: str, name: str = "W") -> StoredWorkflow:
    return StoredWorkflow(ident, name, False, 1, {"nodes": []}, 1, 1)


def delivered(ident: str, key: str) -> NewExecution:
    return NewExecution(ident, None, 1, "webhook", "running", 1, b"", delivery=Delivery("h", key, 99))


def hook(path: str) -> Registration:
    return Registration("n", "Hook", "webhook", "POST", f"/{path}", path)


async def test_a_schema_is_made_once(stores: Stores, jackfield_postgres: PostgresServer, schema: str) -> None:
    assert jackfield_postgres.run(f"SELECT version FROM {schema}.jackfield_schema") == [(len(MIGRATIONS),)]
    for store in stores:
        await store.check()


async def test_a_delivery_starts_one_execution(stores: Stores) -> None:
    for key in range(10):
        results = await asyncio.gather(
            *(
                store.add_execution(
                    NewExecution(
                        f"e{key}-{n}", None, 1, "webhook", "running", 1, b"", delivery=Delivery("h", f"k{key}", 99)
                    )
                )
                for n, store in enumerate([*stores, *stores])
            ),
            return_exceptions=True,
        )
        assert sorted(type(each).__name__ for each in results) == [*["Conflict"] * 5, "NoneType"]
        known = [f"e{key}-{n}" for n in range(6)]
        assert len(await stores[0].known_executions(known)) == 1


async def test_deliveries_in_opposite_orders_wait_for_nobody_in_a_circle(stores: Stores) -> None:
    a, b = stores[:2]

    def added(store: PostgresStore, name: str, keys: Sequence[int]) -> list[asyncio.Future[None]]:
        return [store.add_execution(delivered(f"{name}{key}", f"k{key:03}")) for key in keys]

    results = await asyncio.gather(
        *added(a, "a", range(100)), *added(b, "b", range(99, -1, -1)), return_exceptions=True
    )
    assert sum(each is None for each in results) == 100
    assert sum(isinstance(each, Conflict) for each in results) == 100


async def test_a_route_is_live_once(stores: Stores) -> None:
    for n, store in enumerate(stores):
        await store.add_workflow(workflow(f"w{n}"), [hook("a")], None)
    for _ in range(5):
        results = await asyncio.gather(
            *(store.set_active(f"w{n}", True, [hook("a")], now=2) for n, store in enumerate(stores)),
            return_exceptions=True,
        )
        assert sorted(type(each).__name__ for each in results) == ["RouteConflict", "RouteConflict", "StoredWorkflow"]
        lost = next(each for each in results if isinstance(each, RouteConflict))
        assert (lost.details or {})["workflowId"] in {"w0", "w1", "w2"}
        for n, store in enumerate(stores):
            await store.set_active(f"w{n}", False, [hook("a")], now=3)


async def test_of_changes_to_one_version_one_wins(stores: Stores) -> None:
    await stores[0].add_workflow(workflow("w"), [], None)
    for version in range(1, 6):
        results = await asyncio.gather(
            *(
                store.change_workflow("w", {"nodes": []}, f"{n}", [], now=2, author=None, expected_version=version)
                for n, store in enumerate(stores)
            ),
            return_exceptions=True,
        )
        assert sorted(type(each).__name__ for each in results) == ["Conflict", "Conflict", "StoredWorkflow"]
    assert (await stores[1].versions("w", 0, 10)).total == 6


async def test_names_are_unique_and_the_loser_is_told(stores: Stores) -> None:
    def verbs(store: PostgresStore, n: int) -> list[tuple[str, object]]:
        return [
            ("tag", store.put_tag(Tag(f"t{n}", "same", 1, 1))),
            ("user", store.add_user(User(f"u{n}", "same", "admin", "", 1, 1))),
            ("subject", store.add_user(User(f"s{n}", f"s{n}", "admin", "", 1, 1, "google", "1"))),
            ("folder", store.put_folder(Folder(f"f{n}", "Same" if n else "same", None, 1, 1))),
            ("variable", store.put_variable(Variable(f"v{n}", "same", "1", 1, 1))),
            ("table", store.add_data_table(DataTable(f"d{n}", "same", [], 1, 1))),
        ]

    waiting = [each for n, store in enumerate(stores) for each in verbs(store, n)]
    results = await asyncio.gather(*(verb for _, verb in waiting), return_exceptions=True)  # type: ignore[arg-type]
    for kind in ("tag", "user", "subject", "folder", "variable", "table"):
        got = [result for (name, _), result in zip(waiting, results, strict=True) if name == kind]
        assert sorted(type(each).__name__ for each in got) == ["Conflict", "Conflict", "NoneType"], kind


async def test_workflows_that_name_the_same_new_tag_share_it(stores: Stores) -> None:
    verbs = [
        store.add_workflow(workflow(f"w{n}-{i}"), [], None, tags=[f"t{i}"])
        for n, store in enumerate(stores)
        for i in range(5)
    ]
    await asyncio.gather(*verbs)
    assert (await stores[0].tags(offset=0, limit=99)).total == 5
    for i in range(5):
        assert (await stores[1].workflows(WorkflowFilter(tags=[f"t{i}"]), offset=0, limit=9)).total == 3


async def test_counters_add_up(stores: Stores) -> None:
    hooks = [f"h{n}" for n in range(8)]
    await asyncio.gather(
        *(store.count_calls(hook, 1, time) for time in range(30) for store in stores for hook in reversed(hooks)),
        *(store.count_calls(hook, 1, 99) for store in reversed(stores) for hook in hooks),
    )
    assert await stores[0].webhooks_stats(hooks) == {hook: WebhookStats(93, 0, 0, 0, 99) for hook in hooks}


async def test_a_wait_ends_once(stores: Stores) -> None:
    for n in range(10):
        await stores[0].add_execution(NewExecution(f"e{n}", None, 1, "manual", "running", 1, b""))
        await stores[0].set_waiting(f"e{n}", None, b"[]", 0)
        won = await asyncio.gather(*(store.end_wait(f"e{n}", b"[%d]" % i, 1) for i, store in enumerate(stores)))
        assert sorted(won) == [False, False, True]


async def test_the_first_end_of_an_execution_counts(stores: Stores) -> None:
    for n in range(10):
        await stores[0].add_execution(NewExecution(f"e{n}", None, 1, "manual", "running", 1, b""))
        ends = [FinishedExecution(f"e{n}", "success", 100 + i, 1, b"[%d]" % i) for i in range(3)]
        await asyncio.gather(*(store.finish_execution(end) for store, end in zip(stores, ends, strict=True)))
        found = await stores[0].execution(f"e{n}")
        assert found is not None
        assert list(found.steps) == [b"[%d]" % ((found.row.finished_at or 0) - 100)]


async def test_rows_and_columns_of_one_table_come_from_everywhere(stores: Stores) -> None:
    await stores[0].add_data_table(DataTable("t", "T", [DataColumn("c", "n", "number", 1, 1)], 1, 1))
    ids = await asyncio.gather(
        *(store.add_data_rows("t", [NewDataRow({"n": n})], now=2) for n in range(10) for store in stores),
        *(
            store.add_data_column("t", DataColumn(f"c{n}", f"x{n}", "string", 1, 1), index=9, now=2)
            for n, store in enumerate(stores)
        ),
        *(store.data_rows("t", RowFilter(), order=RowOrder(), offset=0, limit=5) for store in stores),
    )
    assert sorted(one for each in ids[:30] for one in each) == list(range(1, 31))  # type: ignore[union-attr]
    table = await stores[2].data_table("t")
    assert table is not None
    assert (table.rows, sorted(each.name for each in table.columns)) == (30, ["n", "x0", "x1", "x2"])
