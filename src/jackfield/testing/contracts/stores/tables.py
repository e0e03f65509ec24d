"""Data tables: what holds for every store."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.storage import Store
from jackfield.api.storage.tables import (
    Cell,
    Condition,
    DataColumn,
    DataRow,
    DataTable,
    DataTableFilter,
    NewDataRow,
    Operator,
    RowFilter,
    RowMark,
    RowOrder,
    TableOrder,
)

NAME = DataColumn("c-1", "name", "string", 1000, 1000)
COUNT = DataColumn("c-2", "count", "number", 1000, 1000)
OPEN = DataColumn("c-3", "open", "boolean", 1000, 1000)
DAY = DataColumn("c-4", "day", "date", 1000, 1000)
COLUMNS = (NAME, COUNT, OPEN, DAY)
NEWYEAR = 1_767_225_600_000
ROWS: Sequence[dict[str, Cell]] = (
    {"name": "Ada", "count": 3, "open": True, "day": NEWYEAR},
    {"name": "bob_%", "count": 2.5, "open": False, "day": NEWYEAR + 1},
    {"name": "", "count": -1},
    {"open": True},
    {"name": "ada [*?]", "count": 3, "day": None},
)
EVERY = RowFilter()


def table(table_id: str = "t-1", name: str = "People", at: int = 1000) -> DataTable:
    return DataTable(table_id, name, COLUMNS, at, at)


async def filled(store: Store) -> list[int]:
    await store.add_data_table(table())
    return await store.add_data_rows("t-1", [NewDataRow(cells) for cells in ROWS], now=2000)


async def rows(store: Store, where: RowFilter = EVERY, order: RowOrder | None = None) -> list[DataRow]:
    page = await store.data_rows("t-1", where, order=order or RowOrder(), offset=0, limit=100)
    assert page.total == len(page.rows)
    return list(page.rows)


async def names(store: Store, order: TableOrder, *, descending: bool = False, **where: object) -> list[str]:
    asked = DataTableFilter(**where)  # type: ignore[arg-type]  # what a test says
    page = await store.data_tables(asked, order=order, descending=descending, offset=0, limit=10)
    assert page.total == len(page.rows)
    return [each.name for each in page.rows]


def _mark(row: DataRow, column: str) -> RowMark:
    system = {"id": row.id, "createdAt": row.created_at, "updatedAt": row.updated_at}
    return RowMark(system[column] if column in system else row.cells[column], row.id)


class StoreTablesContract:
    """Data tables: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_a_table_comes_back_with_its_columns(self, store: Store) -> None:
        await store.add_data_table(table())
        found = await store.data_table("t-1")
        assert found is not None
        assert (found.name, tuple(found.columns), found.created_at, found.rows) == ("People", COLUMNS, 1000, 0)
        assert await store.data_table("t-2") is None

    async def test_a_taken_id_or_name_is_a_conflict(self, store: Store) -> None:
        await store.add_data_table(table())
        for other in (table("t-2"), table(name="Others")):
            with pytest.raises(Conflict):
                await store.add_data_table(other)
        assert await names(store, "name") == ["People"]

    async def test_tables_are_found_by_name_and_ordered(self, store: Store) -> None:
        await filled(store)
        await store.add_data_table(table("t-2", "apples", 3000))
        await store.add_data_table(table("t-3", "Zebras", 1500))
        assert await names(store, "name") == ["apples", "People", "Zebras"]
        assert await names(store, "createdAt", descending=True) == ["apples", "Zebras", "People"]
        assert await names(store, "updatedAt") == ["Zebras", "People", "apples"]
        assert (await names(store, "size", descending=True))[0] == "People"
        assert await names(store, "name", search="PE") == ["People"]
        assert await names(store, "name", search="P") == ["apples", "People"]
        assert await names(store, "name", name="people") == []
        assert await names(store, "name", ids=["t-3", "t-9"], name="Zebras") == ["Zebras"]
        assert await names(store, "name", ids=[]) == []
        page = await store.data_tables(DataTableFilter(), order="name", descending=False, offset=1, limit=1)
        assert ([each.id for each in page.rows], page.total) == (["t-1"], 3)

    async def test_a_table_gets_another_name(self, store: Store) -> None:
        await store.add_data_table(table())
        await store.add_data_table(table("t-2", "Others"))
        with pytest.raises(Conflict):
            await store.rename_data_table("t-1", "Others", now=2000)
        await store.rename_data_table("t-1", "People", now=2000)
        await store.rename_data_table("t-1", "Persons", now=2000)
        found = await store.data_table("t-1")
        assert found is not None
        assert (found.name, found.updated_at) == ("Persons", 2000)
        with pytest.raises(NotFound):
            await store.rename_data_table("t-9", "Name", now=2000)

    async def test_a_deleted_table_is_gone_with_its_rows(self, store: Store) -> None:
        await filled(store)
        assert await store.delete_data_table("t-1") is True
        assert await store.delete_data_table("t-1") is False
        assert await store.data_tables_size() == 0
        await store.add_data_table(table())
        assert await rows(store) == []

    async def test_rows_have_ids_times_and_every_column(self, store: Store) -> None:
        assert await filled(store) == [1, 2, 3, 4, 5]
        found = await rows(store)
        assert found[0] == DataRow(1, 2000, 2000, ROWS[0])
        assert found[3] == DataRow(4, 2000, 2000, {"name": None, "count": None, "open": True, "day": None})
        assert [type(found[0].cells[name]) for name in ("count", "open")] == [int, bool]
        kept = await store.data_table("t-1")
        assert kept is not None
        assert (kept.rows, kept.updated_at, kept.size > 0) == (5, 2000, True)
        assert await store.data_tables_size() == kept.size

    async def test_rows_keep_ids_and_times_from_elsewhere(self, store: Store) -> None:
        await store.add_data_table(table())
        first = [NewDataRow({"name": "a"}, 7, 10, 20), NewDataRow({"name": "b"})]
        assert await store.add_data_rows("t-1", first, now=2000) == [7, 8]
        again = [NewDataRow({"name": "other"}, 7, 11, 21), NewDataRow({"name": "c"}, 3)]
        assert await store.add_data_rows("t-1", again, now=3000) == [3]
        assert [(row.id, row.created_at, row.updated_at, row.cells["name"]) for row in await rows(store)] == [
            (3, 3000, 3000, "c"), (7, 10, 20, "a"), (8, 2000, 2000, "b"),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("column", "operator", "value", "ids"),
        [
            ("name", "eq", "Ada", [1]),
            ("name", "eq", None, [4]),
            ("name", "neq", "Ada", [2, 3, 4, 5]),
            ("name", "neq", None, [1, 2, 3, 5]),
            ("name", "like", "%a%", [1, 5]),
            ("name", "like", "a%", [5]),
            ("name", "like", "Ad_", []),
            ("name", "like", "%[*?]", [5]),
            ("name", "ilike", "ADA%", [1, 5]),
            ("name", "ilike", "%b_\\%", []),
            ("name", "ilike", "bob_%", [2]),
            ("name", "gt", "Ada", [2, 5]),
            ("name", "isEmpty", None, [3, 4]),
            ("name", "isNotEmpty", None, [1, 2, 5]),
            ("count", "eq", 3, [1, 5]),
            ("count", "gte", 2.5, [1, 2, 5]),
            ("count", "lt", 2.5, [3]),
            ("count", "isEmpty", None, [4]),
            ("open", "eq", True, [1, 4]),
            ("open", "neq", True, [2, 3, 5]),
            ("day", "gt", NEWYEAR, [2]),
            ("day", "lte", NEWYEAR, [1]),
            ("id", "gt", 3, [4, 5]),
            ("createdAt", "lte", 2000, [1, 2, 3, 4, 5]),
            ("updatedAt", "lt", 2000, []),
        ],
    )
    async def test_a_condition_says_which_rows(
        self, store: Store, column: str, operator: Operator, value: Cell, ids: list[int]
    ) -> None:
        await filled(store)
        found = await rows(store, RowFilter([Condition(column, operator, value)]))
        assert [row.id for row in found] == ids

    async def test_all_or_any_conditions_and_a_search(self, store: Store) -> None:
        await filled(store)
        both = (Condition("count", "eq", 3), Condition("open", "eq", True))
        assert [row.id for row in await rows(store, RowFilter(both))] == [1]
        assert [row.id for row in await rows(store, RowFilter(both, any_of=True))] == [1, 4, 5]
        assert [row.id for row in await rows(store, RowFilter(both, any_of=True, search="%A%"))] == [1, 5]
        searches = {"2.5": [2], "TRUE": [1, 4], "2026-01-01%": [1, 2], "3": [1, 5], "%.001Z": [2], "": [1, 2, 3, 4, 5]}
        for search, ids in searches.items():
            assert [row.id for row in await rows(store, RowFilter(search=search))] == ids, search

    @pytest.mark.parametrize(
        ("column", "up", "down"),
        [
            ("id", [1, 2, 3, 4, 5], [5, 4, 3, 2, 1]),
            ("name", [4, 3, 1, 5, 2], [2, 5, 1, 3, 4]),
            ("count", [4, 3, 2, 1, 5], [1, 5, 2, 3, 4]),
            ("updatedAt", [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
        ],
    )
    async def test_rows_are_ordered(self, store: Store, column: str, up: list[int], down: list[int]) -> None:
        await filled(store)
        assert [row.id for row in await rows(store, order=RowOrder(column))] == up
        assert [row.id for row in await rows(store, order=RowOrder(column, descending=True))] == down

    async def test_rows_come_in_pages(self, store: Store) -> None:
        await filled(store)
        page = await store.data_rows("t-1", EVERY, order=RowOrder(descending=True), offset=1, limit=2)
        assert ([row.id for row in page.rows], page.total) == ([4, 3], 5)

    @pytest.mark.parametrize("descending", [False, True])
    @pytest.mark.parametrize("column", ["id", "name", "count", "open", "day", "createdAt", "updatedAt"])
    @pytest.mark.parametrize("where", [EVERY, RowFilter(search="%a%")])
    async def test_pages_are_the_parts_of_the_whole_in_every_order(
        self, store: Store, column: str, where: RowFilter, *, descending: bool
    ) -> None:
        await filled(store)
        await store.add_data_rows("t-1", [NewDataRow(cells) for cells in ROWS], now=3000)
        order = RowOrder(column, descending=descending)
        whole = await rows(store, where, order)
        for limit in (2, 20):
            for offset in range(len(whole) + 2):
                page = await store.data_rows("t-1", where, order=order, offset=offset, limit=limit)
                assert (list(page.rows), page.total) == (whole[offset : offset + limit], len(whole))
                marked = None if offset == 0 else _mark(whole[min(offset, len(whole)) - 1], column)
                behind = await store.data_rows_after("t-1", where, order=order, mark=marked, limit=limit)
                assert behind == whole[offset : offset + limit]

    async def test_what_follows_a_mark_follows_it_when_its_row_is_gone(self, store: Store) -> None:
        await filled(store)
        mark = RowMark(2.5, 2)
        await store.delete_data_rows("t-1", RowFilter([Condition("id", "eq", 2)]), now=3000)
        await store.add_data_rows("t-1", [NewDataRow({"count": 1}), NewDataRow({"count": 2.75})], now=3000)
        found = await store.data_rows_after("t-1", EVERY, order=RowOrder("count"), mark=mark, limit=9)
        assert [row.id for row in found] == [7, 1, 5]

    async def test_changed_rows_come_back(self, store: Store) -> None:
        await filled(store)
        where = RowFilter([Condition("count", "eq", 3)])
        found = await store.change_data_rows("t-1", where, {"name": "new", "open": None}, now=3000)
        assert [(row.id, row.created_at, row.updated_at, row.cells["name"], row.cells["open"]) for row in found] == [
            (1, 2000, 3000, "new", None), (5, 2000, 3000, "new", None),
        ]  # fmt: skip
        assert await rows(store, where) == found
        assert await store.change_data_rows("t-1", RowFilter([Condition("id", "eq", 99)]), {"name": "x"}, now=4) == []

    async def test_a_row_is_added_where_none_is_changed(self, store: Store) -> None:
        await filled(store)
        where = RowFilter([Condition("name", "eq", "Eve")])
        for count in (1, 2):
            (found,) = await store.change_data_rows(
                "t-1", where, {"name": "Eve", "count": count}, now=3000 + count, otherwise_add=True
            )
            assert (found.id, found.created_at, found.cells["count"]) == (6, 3001, count)

    async def test_deleted_rows_come_back_once_more(self, store: Store) -> None:
        await filled(store)
        gone = await store.delete_data_rows("t-1", RowFilter([Condition("count", "eq", 3)]), now=3000)
        assert [row.cells["name"] for row in gone] == ["Ada", "ada [*?]"]
        assert [row.id for row in await rows(store)] == [2, 3, 4]
        kept = await store.data_table("t-1")
        assert kept is not None
        assert (kept.rows, kept.last_row) == (3, 5)
        assert await store.add_data_rows("t-1", [NewDataRow({})], now=3000) == [6]

    async def test_sizes_follow_the_rows(self, store: Store) -> None:
        await filled(store)
        before = await store.data_tables_size()
        where = RowFilter([Condition("id", "eq", 1)])
        await store.change_data_rows("t-1", where, {"name": "x" * 1000}, now=3000)
        assert await store.data_tables_size() > before + 900
        await store.change_data_rows("t-1", where, {"name": "Ada"}, now=3000)
        assert await store.data_tables_size() == before
        await store.delete_data_rows("t-1", where, now=3000)
        assert await store.data_tables_size() < before
        assert await store.clear_data_rows("t-1", now=4000) == 4
        assert await store.data_tables_size() == 0
        assert await rows(store) == []
        assert await store.add_data_rows("t-1", [NewDataRow({})], now=5000) == [6]

    async def test_columns_come_change_and_go(self, store: Store) -> None:
        await filled(store)
        size = await store.data_tables_size()
        await store.add_data_column("t-1", DataColumn("c-5", "note", "string", 3000, 3000), index=0, now=3000)
        with pytest.raises(Conflict):
            await store.add_data_column("t-1", DataColumn("c-6", "name", "number", 1, 1), index=9, now=3000)
        await store.change_data_rows("t-1", EVERY, {"note": "hello"}, now=3100)
        await store.change_data_column("t-1", "c-1", name="title", index=3, now=3200)
        with pytest.raises(Conflict):
            await store.change_data_column("t-1", "c-1", name="count", index=3, now=3200)
        found = await store.data_table("t-1")
        assert found is not None
        assert [(each.id, each.name) for each in found.columns] == [
            ("c-5", "note"), ("c-2", "count"), ("c-3", "open"), ("c-1", "title"), ("c-4", "day"),
        ]  # fmt: skip
        assert [row.cells["title"] for row in await rows(store)][:2] == ["Ada", "bob_%"]
        assert await store.delete_data_column("t-1", "c-5", now=3300) is True
        assert await store.delete_data_column("t-1", "c-5", now=3300) is False
        assert await store.data_tables_size() == size
        assert "note" not in (await rows(store))[0].cells

    async def test_what_is_not_there_is_said(self, store: Store) -> None:
        with pytest.raises(NotFound):
            await store.data_rows("t-1", EVERY, order=RowOrder(), offset=0, limit=1)
        with pytest.raises(NotFound):
            await store.add_data_rows("t-1", [], now=1)
        await filled(store)
        with pytest.raises(InvalidInput, match="nope"):
            await store.add_data_rows("t-1", [NewDataRow({"name": "x"}), NewDataRow({"nope": 1})], now=1)
        with pytest.raises(InvalidInput, match="nope"):
            await store.data_rows("t-1", RowFilter([Condition("nope", "eq", 1)]), order=RowOrder(), offset=0, limit=1)
        with pytest.raises(InvalidInput, match="nope"):
            await store.data_rows("t-1", EVERY, order=RowOrder("nope"), offset=0, limit=1)
        with pytest.raises(InvalidInput, match="id"):
            await store.change_data_rows("t-1", EVERY, {"id": 9}, now=1)
        with pytest.raises(NotFound):
            await store.change_data_column("t-1", "c-9", name="x", index=0, now=1)
        assert len(await rows(store)) == 5

    @pytest.mark.parametrize("text", ["a\ud800b", "ü" * 40_000, "';DROP", "a\nb"])
    async def test_odd_texts_break_nothing(self, store: Store, text: str) -> None:
        await store.add_data_table(DataTable("t-1", text[:60], [DataColumn("c", 'n"; --', "string", 1, 1)], 1, 1))
        await store.add_data_rows("t-1", [NewDataRow({'n"; --': text})], now=1)
        (found,) = await rows(store)
        assert found.cells['n"; --'] in (text, text.replace("\ud800", "?"))
