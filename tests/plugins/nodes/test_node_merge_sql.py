"""Merge: combining by SQL."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from merge_fakes import combined, entries, jsons, origins
from node_fakes import Bench

from jackfield.api.nodes import NodeError
from jackfield_nodes.merging.settings import MergeSettings
from jackfield_nodes.merging.sql import MergeQuery, QueryLimits, QueryStop, query, resident

PEOPLE = [{"id": 1, "name": "Ada", "fit": True}, {"id": 2, "name": "Bob", "fit": False}]
CITIES = [{"person": "1", "city": "Rome", "tags": ["a", {"b": 1}]}, {"person": "3", "city": "Oslo", "tags": {}}]
NEVER_ENDS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) AS c FROM n"


def sql(text: str, **more: Any) -> dict[str, Any]:
    return {"mode": "combineBySql", "query": text, **more}


QUERIES: list[tuple[str, list[Any]]] = [
    ("SELECT * FROM input1", PEOPLE),
    ("select name, city from INPUT1 join input2 on input1.id = input2.person;", [{"name": "Ada", "city": "Rome"}]),
    (
        "SELECT a.name, b.city FROM input1 a LEFT JOIN input2 b ON a.id = b.person ORDER BY a.id",
        [{"name": "Ada", "city": "Rome"}, {"name": "Bob"}],
    ),
    ("SELECT a.name FROM input1 a LEFT JOIN input2 b ON a.id = b.person WHERE b.person IS NULL", [{"name": "Bob"}]),
    ("SELECT count(*) AS n, max(id) AS most FROM input1", [{"n": 2, "most": 2}]),
    ("SELECT name FROM input1 WHERE fit = true", [{"name": "Ada"}]),
    ("SELECT name FROM input1 WHERE id = '2'", [{"name": "Bob"}]),
    ("SELECT tags FROM input2", [{"tags": ["a", {"b": 1}]}, {"tags": {}}]),
    ("SELECT json_extract(tags, '$[1].b') AS b FROM input2 WHERE city = 'Rome'", [{"b": 1}]),
    (
        "SELECT name FROM input1 UNION SELECT city FROM input2 ORDER BY 1",
        [{"name": name} for name in ("Ada", "Bob", "Oslo", "Rome")],
    ),
    ("WITH x AS (SELECT id * 2 AS d FROM input1) SELECT d FROM x", [{"d": 2}, {"d": 4}]),
]


@pytest.mark.parametrize(("text", "expected"), QUERIES)
async def test_queries(bench: Bench, text: str, expected: Any) -> None:
    assert await jsons(bench, 3, sql(text), PEOPLE, CITIES) == expected


async def test_every_input_is_a_table(bench: Bench) -> None:
    text = "SELECT input1.a, input2.b, input3.c FROM input1, input2, input3"
    assert await jsons(bench, 3, sql(text, numberInputs=3), [{"a": 1}], [{"b": 2}], [{"c": 3}]) == [
        {"a": 1, "b": 2, "c": 3}
    ]


async def test_a_row_may_come_from_every_item(bench: Bench) -> None:
    everything = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert await origins(bench, 3, sql("SELECT 1 AS n UNION SELECT 2"), PEOPLE, CITIES) == [everything, everything]


MARKED = [{"id": 1, "v": None}, {"id": 2}, {"id": 3, "v": 7}]
PAIRS: list[tuple[str, list[Any], list[Any]]] = [
    ("SELECT * FROM input1", MARKED, [[(0, 0)], [(0, 1)], [(0, 2)]]),
    ("SELECT id FROM input1 WHERE id > 2", [{"id": 3}], [[(0, 2)]]),
    (
        "SELECT input1.id, city FROM input1 LEFT JOIN input2 ON input1.id = person ORDER BY input1.id LIMIT 2",
        [{"id": 1, "city": "Rome"}, {"id": 2}], [[(0, 0), (1, 0)], [(0, 1)]],
    ),
    ("SELECT * FROM input1 JOIN input2 ON id = person AND id = 3", [{**MARKED[2], **CITIES[1]}], [[(1, 1)]]),
    ("SELECT COUNT(*) AS n, SUM(v) AS s FROM input1 WHERE id < 3", [{"n": 2, "s": None}], [[]]),
    ("SELECT v, NULL AS e, CASE WHEN id > 9 THEN 1 END AS k FROM input1 WHERE id < 3", [{"v": None}, {}],
     [[(0, 0)], [(0, 1)]]),
    ("SELECT city, COUNT(*) AS n FROM input2 GROUP BY city;", [{"city": "Rome", "n": 1}, {"city": "Oslo", "n": 1}],
     [[], []]),
    ("SELECT a.id FROM input1 AS a WHERE a.id = 1", [{"id": 1}], [[(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]]),
    ("SELECT DISTINCT 1 AS n FROM input1", [{"n": 1}], [[(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]]),
    ("SELECT id,\n v FROM input1 WHERE id = 3", [{"id": 3, "v": 7}], [[]]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected", "pairs"), PAIRS)
async def test_rows_are_paired_with_their_items(bench: Bench, text: str, expected: Any, pairs: Any) -> None:
    assert await jsons(bench, 3.1, sql(text), MARKED, CITIES) == expected
    assert await origins(bench, 3.1, sql(text), MARKED, CITIES) == pairs
    everything = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    assert await origins(bench, 3, sql(text), MARKED, CITIES) == [everything] * len(pairs)


async def test_fields_may_have_the_names_of_row_numbers(bench: Bench) -> None:
    rows = [{"rowid": 7, "oid": 8}, {"rowid": 9, "_rowid_": 5}]
    assert await jsons(bench, 3.2, sql("SELECT * FROM input1"), rows, []) == rows
    assert await origins(bench, 3.2, sql("SELECT * FROM input1"), rows[:1], []) == [[(0, 0)]]


@pytest.mark.parametrize(
    ("given_", "expected"),
    [("2, Bob", ["Bob"]), ([1, "Ada"], ["Ada"]), ([2, None], []), ("1,nobody", [])],
)
async def test_values_of_placeholders(bench: Bench, given_: Any, expected: list[str]) -> None:
    text = sql("SELECT name FROM input1 WHERE id = ? AND name = ?", options={"queryParameters": given_})
    assert [row["name"] for row in await jsons(bench, 3.2, text, PEOPLE, CITIES)] == expected


async def test_a_placeholder_takes_no_object(bench: Bench) -> None:
    text = sql("SELECT name FROM input1 WHERE id = ?", options={"queryParameters": [{}]})
    with pytest.raises(NodeError, match="query parameter 1 must be"):
        await jsons(bench, 3.2, text, PEOPLE, CITIES)


async def test_a_field_that_no_item_has_is_no_mistake(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    """The query that a new node shows joins by fields which many inputs do not have."""
    text = "SELECT input1.a AS x, input2.b AS y FROM input1 LEFT JOIN input2 ON input1.name = input2.id"
    assert await jsons(bench, 3, sql(text), [{"a": 1}], [{"b": 2}]) == [{"x": 1, "y": 2}]
    assert "names name, a field that no item of input1 has" in caplog.text
    assert await jsons(bench, 3, sql("SELECT p.a, p.gone FROM input1 AS p"), [{"a": 1}], []) == [{"a": 1}]
    assert await jsons(bench, 3, sql("SELECT q.b, q.gone FROM input2 AS q"), [{"gone": 1}], [{"b": 1}]) == [{"b": 1}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT id, 'all from here' AS note FROM input1", [{"id": 1, "note": "all from here"}]),
        ("SELECT id, (SELECT city FROM input2) AS city FROM input1", [{"id": 1, "city": "Rome"}]),
        ("SELECT a.id FROM input1 a", [{"id": 1}]),
    ],
)
async def test_what_tells_the_sources_of_rows_changes_no_row(
    bench: Bench, caplog: pytest.LogCaptureFixture, text: str, expected: Any
) -> None:
    assert await jsons(bench, 3.2, sql(text), [{"id": 1}], [{"city": "Rome"}]) == expected
    assert "rowid" not in caplog.text


async def test_a_null_of_an_item_stands_under_another_name_too(bench: Bench) -> None:
    rows = [{"id": 1, "n": None}, {"id": 2}]
    expected = [{"m": None, "id": 1}, {"id": 2}]
    assert await jsons(bench, 3.2, sql("SELECT n AS m, id FROM input1"), rows, [{}]) == expected


async def test_an_empty_input_is_an_empty_table(bench: Bench) -> None:
    text = "SELECT a.id, b.city FROM input1 a LEFT JOIN input2 b ON a.id = b.person"
    assert await jsons(bench, 3, sql(text), PEOPLE[:1], []) == [{"id": 1}]
    assert await jsons(bench, 3.2, sql("SELECT * FROM input2"), PEOPLE, []) == []


async def test_fields_that_differ_only_in_case_both_come_back(bench: Bench) -> None:
    rows = [{"Name": 1, "name": 2, "NAME": 3, 'odd "one"': 4, "": 5, "ä": 6, "Ä": 7}]
    assert await jsons(bench, 3, sql("SELECT * FROM input1"), rows, []) == [
        {name: value for name, value in rows[0].items() if name}
    ]


async def test_a_column_of_both_tables_keeps_the_value_there_is(bench: Bench) -> None:
    text = "SELECT * FROM input1 LEFT JOIN input2 ON input1.k = input2.k ORDER BY input1.k"
    made = await jsons(bench, 3, sql(text), [{"k": 1, "v": 1}, {"k": 2, "v": 2}], [{"k": 1, "v": 9}])
    assert made == [{"k": 1, "v": 9}, {"k": 2, "v": 2}]


EMPTY: list[tuple[float | None, dict[str, Any], Any]] = [
    (3, {}, [{"success": True}]),
    (3.1, {}, [{"success": True}]),
    (3.2, {}, []),
    (None, {}, []),
    (3.2, {"emptyQueryResult": "success"}, [{"success": True}]),
    (3.1, {"emptyQueryResult": "empty"}, []),
]


@pytest.mark.parametrize(("version", "options", "expected"), EMPTY)
async def test_a_result_without_rows(bench: Bench, version: float, options: dict[str, Any], expected: Any) -> None:
    given_ = sql("SELECT * FROM input1 WHERE id > 99", options=options)
    assert await jsons(bench, version, given_, PEOPLE, CITIES) == expected


WRONG: list[tuple[str, str]] = [
    ("", "query is empty"),
    ("SELEKT 1", "query is not valid SQL.*SELEKT"),
    ("SELECT * FROM input9", "query is not valid SQL.*input9"),
    ("SELECT 1; SELECT 2", "query is not valid SQL.*one statement"),
    ("SELECT id FROM input1 JOIN input1 AS other ON 1", "query is not valid SQL.*ambiguous"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
async def test_a_wrong_query_says_what_is_wrong(bench: Bench, text: str, message: str) -> None:
    with pytest.raises(NodeError, match=message):
        await jsons(bench, 3, sql(text), PEOPLE, CITIES)


FORBIDDEN = [
    "ATTACH DATABASE '{path}' AS other",
    "VACUUM INTO '{path}'",
    "PRAGMA database_list",
    "PRAGMA max_page_count = 1000000000",
    "SELECT * FROM pragma_database_list",
    "SELECT load_extension('{path}')",
    "SELECT LOAD_EXTENSION('{path}')",
    "SELECT writefile('{path}', 'x')",
    "SELECT readfile('{path}')",
    "CREATE TABLE x (y)",
    "CREATE VIRTUAL TABLE x USING fts5(y)",
    "CREATE TEMP TRIGGER t AFTER INSERT ON input1 BEGIN SELECT 1; END",
    "INSERT INTO input1 (id) VALUES (9)",
    "DELETE FROM input1",
    "UPDATE input1 SET id = 9",
    "DROP TABLE input1",
    "BEGIN",
]


@pytest.mark.parametrize("text", FORBIDDEN)
async def test_there_is_no_way_out_of_a_query(bench: Bench, tmp_path: Path, text: str) -> None:
    path = tmp_path / "made.db"
    with pytest.raises(NodeError, match=r"may only read|not valid SQL"):
        await jsons(bench, 3, sql(text.format(path=path)), PEOPLE, CITIES)
    assert not path.exists()


async def test_a_query_that_takes_too_long_ends(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(MergeSettings(query_timeout=0.05))
    with pytest.raises(NodeError, match=r"longer than 0\.05 seconds.*nodes\.merge\.query_timeout"):
        await jsons(bench, 3, sql(NEVER_ENDS), PEOPLE, CITIES)


async def test_a_query_that_is_cancelled_ends(bench: Bench) -> None:
    work = asyncio.create_task(jsons(bench, 3, sql(NEVER_ENDS), PEOPLE, CITIES))
    await asyncio.sleep(0)
    work.cancel()
    began = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await work
    await asyncio.get_running_loop().shutdown_default_executor()
    assert time.monotonic() - began < 5


async def test_the_event_loop_runs_while_a_query_does(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(MergeSettings(query_timeout=0.2))
    work = asyncio.create_task(jsons(bench, 3, sql(NEVER_ENDS), PEOPLE, CITIES))
    turns = 0
    while not work.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 10
    assert isinstance(work.exception(), NodeError)


MANY_ROWS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100000000) "
HUGE = [
    "SELECT zeroblob(100000000) AS z",
    "SELECT replace(hex(zeroblob(1000000)), '00', 'xxxxxxxx') AS z",
    pytest.param(
        MANY_ROWS + "SELECT x, printf('%.500c', 'x') AS y FROM n ORDER BY y, x DESC",
        marks=pytest.mark.skipif(not resident(), reason="the process's memory cannot be told here"),
    ),
]


@pytest.mark.parametrize("text", HUGE)
async def test_a_query_that_needs_too_much_memory_ends(make_bench: Callable[..., Bench], text: str) -> None:
    bench = make_bench(MergeSettings(query_max_bytes=2**20, query_timeout=20))
    with pytest.raises(NodeError, match=r"1048576 bytes of memory.*nodes\.merge\.query_max_bytes"):
        await jsons(bench, 3, sql(text), PEOPLE, CITIES)


async def test_tables_that_need_too_much_memory_are_an_error(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(MergeSettings(query_max_bytes=2**20))
    rows = [{"a": "x" * 50_000}] * 60
    with pytest.raises(NodeError, match="query_max_bytes"):
        await jsons(bench, 3, sql("SELECT 1 AS n"), rows, [])


async def test_a_result_that_needs_too_much_memory_is_an_error(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(MergeSettings(query_max_bytes=2**20))
    rows = [{"a": "x" * 50_000}] * 5
    with pytest.raises(NodeError, match="query_max_bytes"):
        await jsons(bench, 3, sql("SELECT p.a FROM input1 p, input1 q"), rows, [])


async def test_there_may_be_only_so_many_columns(bench: Bench) -> None:
    many = {f"c{number}": number for number in range(2_000)}
    with pytest.raises(NodeError, match="items of input2 have more than 2000 different fields"):
        await jsons(bench, 3, sql("SELECT 1 AS n"), PEOPLE, [many])
    missing = ", ".join(f"input1.c{number}" for number in range(101))
    with pytest.raises(NodeError, match="more than 100 fields that no item has"):
        await jsons(bench, 3, sql(f"SELECT {missing} FROM input1"), PEOPLE, [])


async def test_bytes_are_read_as_text(bench: Bench) -> None:
    assert await jsons(bench, 3, sql("SELECT x'4a46ff' AS b"), [], []) == [{"b": "JF\ufffd"}]


async def test_too_many_rows_are_an_error(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(MergeSettings(max_items=3))
    with pytest.raises(NodeError, match=r"more than 3 rows.*nodes\.merge\.max_items"):
        await jsons(bench, 3, sql("SELECT 1 AS x FROM input1, input2"), PEOPLE, CITIES)


async def test_odd_values_are_stored(bench: Bench) -> None:
    rows: Any = [{"half \ud800": "\ud800 \0", "list": ["\udfff"], "big": 10**400, "large": 2**70, "n": None}]
    assert await jsons(bench, 3, sql("SELECT *, 9e999 AS inf FROM input1"), rows, []) == [
        {"half \ufffd": "\ufffd \0", "list": ["\udfff"], "big": None, "large": 2.0**70, "n": None, "inf": None}
    ]
    with pytest.raises(NodeError, match="not valid SQL"):
        await jsons(bench, 3, sql("SELECT 1\0"), rows, [])


async def test_many_rows_are_not_each_paired_with_every_item(bench: Bench) -> None:
    rows = [{"n": number} for number in range(1_500)]
    (made,) = await combined(bench, 3, sql("SELECT * FROM input1"), rows, [])
    assert len(made) == 1_500
    assert "pairedItem" not in made[0]


SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5) | st.floats(-1e9, 1e9)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
LIMITS = QueryLimits(10, 2**26, 1000)


def plain(text: str) -> bool:
    return "\0" not in text and "\u2060" not in text and not any(0xD800 <= ord(char) < 0xE000 for char in text)


@given(
    st.lists(st.dictionaries(st.sampled_from(["a", "B", "b", "c d", 'q"']), JSON, min_size=1, max_size=3), max_size=4)
)
def test_data_comes_back_as_it_was(rows: Any) -> None:
    """But for truth values beside values of other types, which are 0 and 1."""
    if not plain(repr(rows).encode("utf-8", "surrogatepass").decode("utf-8", "replace")) or "\\" in repr(rows):
        return
    items, _ = query([entries(rows), []], MergeQuery("SELECT * FROM input1"), LIMITS, QueryStop(), lambda _: None)
    assert len(items) == len(rows)
    for row, item in zip(rows, items, strict=True):
        assert item["json"] == row
