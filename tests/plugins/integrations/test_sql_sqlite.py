"""SQLite: queries, and that nothing but the named file is reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from integration_fakes import Bench, rows

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "databases"
    made.mkdir()
    return made


@pytest.fixture
def bench(make_bench: Callable[..., Bench], root: Path) -> Bench:
    return make_bench(sqlite_root=str(root))


def query(text: str, *values: Json, **more: Any) -> dict[str, Json]:
    return {
        "operation": "executeQuery",
        "query": text,
        "database": "stock.db",
        "options": {"queryReplacement": list(values)} if values else {},
        **more,
    }


async def test_queries(bench: Bench) -> None:
    script = "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE, c); INSERT INTO t (b) VALUES ('x;y')"
    assert await bench.json("sqlite", 1, query(script)) == [{"success": True}]
    table: dict[str, Json] = {"database": "stock.db", "table": "t"}
    insert = table | {"operation": "insert", "options": {"skipOnConflict": True}}
    made = await bench.json("sqlite", 1, insert, rows({"b": "x;y"}, {"b": "z", "c": {"k": [1]}}))
    assert made == [{"a": 2, "b": "z", "c": '{"k":[1]}'}]
    upsert = table | {"operation": "upsert", "columnToMatchOn": "b"}
    assert await bench.json("sqlite", 1, upsert, rows({"b": "z", "c": 5})) == [{"a": 2, "b": "z", "c": 5}]
    assert await bench.json("sqlite", 1, query("SELECT $1 AS v, b FROM t WHERE b = $2 -- $3", "'; --", "x;y")) == [
        {"v": "'; --", "b": "x;y"}
    ]
    trigger = "CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET c = 1; UPDATE t SET c = 2; END"
    assert await bench.json("sqlite", 1, query(trigger)) == [{"success": True}]
    assert await bench.json("sqlite", 1, query("PRAGMA table_info(t)"))
    assert await bench.json("sqlite", 1, table | {"operation": "deleteTable"}) == [{"success": True}]
    assert await bench.json("sqlite", 1, table | {"operation": "select"}) == []


async def test_a_transaction_is_all_or_nothing(bench: Bench) -> None:
    await bench.json("sqlite", 1, query("CREATE TABLE t (b TEXT UNIQUE)"))
    insert: dict[str, Json] = {"database": "stock.db", "table": "t", "operation": "insert"}
    with pytest.raises(NodeError, match="UNIQUE"):
        await bench.json(
            "sqlite", 1, insert | {"options": {"queryBatching": "transaction"}}, rows({"b": "x"}, {"b": "x"})
        )
    assert await bench.json("sqlite", 1, query("SELECT * FROM t")) == []


@pytest.mark.parametrize(
    "text",
    [
        "ATTACH '{other}' AS other",
        "VACUUM INTO '{other}'",
        "SELECT load_extension('x')",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA temp_store_directory = '/'",
    ],
)
async def test_other_files_are_out_of_reach(bench: Bench, tmp_path: Path, text: str) -> None:
    other = tmp_path / "other.db"
    with pytest.raises(NodeError, match=r"SQLite: (not auth|not allowed|unable|authoriz|no such function)"):
        await bench.json("sqlite", 1, query(text.format(other=other)))
    assert not other.exists()


@pytest.mark.parametrize("name", ["../x.db", "/etc/x.db", "link/x.db", "", ".", "a\0b", "missing/x.db"])
async def test_files_lie_below_the_root(bench: Bench, root: Path, tmp_path: Path, name: str) -> None:
    (root / "link").symlink_to(tmp_path)
    with pytest.raises(NodeError, match="The parameter database"):
        await bench.json("sqlite", 1, query("SELECT 1", database=name))
    assert not (tmp_path / "x.db").exists()


async def test_off_without_a_root(make_bench: Callable[..., Bench]) -> None:
    with pytest.raises(NodeError, match=r"integrations\.sqlite_root"):
        await make_bench().json("sqlite", 1, query("SELECT 1"))


async def test_limits(make_bench: Callable[..., Bench], root: Path) -> None:
    bench = make_bench(sqlite_root=str(root), timeout=0.3, max_rows=10)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"
    with pytest.raises(NodeError, match="more than 10 rows"):
        await bench.json("sqlite", 1, query(endless.format("i")))
    with pytest.raises(NodeError, match=r"longer than 0\.3 seconds"):
        await bench.json("sqlite", 1, query(endless.format("count(*)")))
