"""Postgres against a real server. Rules of n8n's node that are proved here are named in the tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from integration_fakes import Bench, rows

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError

Sql = Callable[..., Any]


@pytest.fixture
async def sql(bench: Bench, postgres: Mapping[str, str]) -> Sql:
    """Runs the node; the tables are made afresh."""

    async def run(parameters: Mapping[str, Json], given: Any = None, *, version: float = 2.5, **more: Any) -> Any:
        more.setdefault("credentials", {"postgres": postgres})
        return await bench.json("postgres", version, parameters, given, **more)

    await run(
        {
            "operation": "executeQuery",
            "query": """
                DROP TABLE IF EXISTS people;
                CREATE TABLE people (
                    id serial PRIMARY KEY, name text UNIQUE, age int, tags text[], extra jsonb,
                    born date, seen timestamptz
                );
            """,
        }
    )
    return run


def query(text: str, *values: Json, **options: Json) -> dict[str, Json]:
    return {
        "operation": "executeQuery",
        "query": text,
        "options": {"queryReplacement": list(values), **options} if values else options,
    }


def mapped(operation: str, value: Mapping[str, Json] | None = None, *match: str, **options: Json) -> dict[str, Json]:
    mode = "defineBelow" if value is not None else "autoMapInputData"
    columns: dict[str, Json] = {"mappingMode": mode, "value": dict(value or {}), "matchingColumns": list(match)}
    table: dict[str, Json] = {"__rl": True, "mode": "list", "value": "people"}
    schema: dict[str, Json] = {"__rl": True, "mode": "list", "value": "public"}
    return {"operation": operation, "schema": schema, "table": table, "columns": columns, "options": options}


async def test_types_are_those_of_n8n(sql: Sql) -> None:
    text = """SELECT 1 AS i, 2::bigint AS b, 1.50::numeric AS n, 'x' AS t, true AS y, null AS z,
        '{"a": [1]}'::jsonb AS j,
        '{1,2}'::int[] AS l, '2024-02-03'::date AS d, '2024-02-03 04:05:06.789+02'::timestamptz AS s,
        'infinity'::timestamp AS f, '\\x01ff'::bytea AS c, 1.5::float8 AS r, '1 day 02:00'::interval AS v"""
    assert await sql(query(text)) == [
        {
            "i": 1,
            "b": "2",
            "n": "1.50",
            "t": "x",
            "y": True,
            "z": None,
            "j": {"a": [1]},
            "l": [1, 2],
            "d": "2024-02-03T00:00:00.000Z",
            "s": "2024-02-03T02:05:06.789Z",
            "f": "infinity",
            "c": {"type": "Buffer", "data": [1, 255]},
            "r": 1.5,
            "v": "1 day 02:00:00",
        }
    ]
    assert await sql(query("SELECT 2::bigint AS b, 1.5::numeric AS n", largeNumbersOutput="numbers")) == [
        {"b": 2, "n": 1.5}
    ]


async def test_parameters_are_values_never_sql(sql: Sql) -> None:
    hostile = "'; DROP TABLE people; --"
    assert await sql(query("SELECT $1 AS v, '$1' AS quoted, $2::int + 1 AS n -- $3", hostile, "41")) == [
        {"v": hostile, "quoted": "$1", "n": 42}
    ]
    assert await sql(query("SELECT $1 AS v", "back\\slash ' and \\' quote")) == [{"v": "back\\slash ' and \\' quote"}]
    assert await sql(query("SELECT 1 -$1 AS v", -5)) == [{"v": 6}]
    assert await sql(query("SELECT to_regclass('people') IS NOT NULL AS there")) == [{"there": True}]


async def test_parameter_forms(sql: Sql) -> None:
    assert await sql(query('SELECT $1:name FROM (SELECT 7 AS "we""ird") t', 'we"ird')) == [{'we"ird': 7}]
    assert await sql(query("SELECT 3 IN ($1:csv) AS there, 3 = ANY($1) AS any", [1, 3])) == [
        {"there": True, "any": True}
    ]
    assert await sql(query("SELECT $1::jsonb -> 'a' AS v", {"a": {"b": "ü'"}})) == [{"v": {"b": "ü'"}}]
    assert await sql(
        {"operation": "executeQuery", "query": "SELECT $1 AS a, $2 AS b", "options": {"queryReplacement": "x, y"}}
    ) == [{"a": "x", "b": "y"}]
    with pytest.raises(NodeError, match=r"uses \$2, but there are 1"):
        await sql(query("SELECT $2", 1))
    with pytest.raises(NodeError, match="refused"):
        await sql(query("SELECT $1:raw", "1"))
    with pytest.raises(NodeError, match="zero byte"):
        await sql(query("SELECT $1", "a\0b"))


async def test_several_statements_give_the_rows_of_all(sql: Sql) -> None:
    assert await sql(query("SELECT $1 AS a; SELECT 'x;y' AS b;", "1")) == [{"a": "1"}, {"b": "x;y"}]
    assert await sql(query("SELECT 100 % 30 AS v, 'like %s' AS t, $1::int AS n", 1)) == [
        {"v": 10, "t": "like %s", "n": 1}
    ]
    assert await sql(
        query("DO $body$ BEGIN PERFORM $1; END $body$", "x").copy() | {"query": "DO $b$ BEGIN NULL; END $b$"}
    ) == [{"success": True}]


async def test_insert_by_mapper_and_from_the_item(sql: Sql) -> None:
    made = await sql(mapped("insert", {"name": "Ada", "age": "36", "tags": ["a", "b"], "extra": ["x", 1]}))
    assert [(row["name"], row["age"], row["tags"], row["extra"]) for row in made] == [("Ada", 36, ["a", "b"], ["x", 1])]
    made = await sql(
        mapped("insert", None, outputColumns=["name"]), rows({"name": "Bob"}, {"name": "Cy", "extra": {"k": 1}})
    )
    assert made == [{"name": "Bob"}, {"name": "Cy"}]
    assert await sql(mapped("insert", {"name": "Ada"}, skipOnConflict=True)) == [{"success": True}]
    with pytest.raises(NodeError, match="PostgreSQL: duplicate key"):
        await sql(mapped("insert", {"name": "Ada"}))
    old = {
        "operation": "insert",
        "table": "people",
        "dataMode": "defineBelow",
        "options": {"outputColumns": "name,age"},
    }
    old["valuesToSend"] = {"values": [{"column": "name", "value": "Di"}, {"column": "age", "value": ""}]}
    old["options"] = {"outputColumns": "name,age", "replaceEmptyStrings": True}
    assert await sql(old, version=2) == [{"name": "Di", "age": None}]


async def test_update_upsert_select_and_delete(sql: Sql) -> None:
    await sql(mapped("insert"), rows({"name": "Ada", "age": 36}, {"name": "Bob", "age": 20}, {"name": "Cy"}))
    assert [row["age"] for row in await sql(mapped("update", {"name": "Ada", "age": 37}, "name"))] == [37]
    made = await sql(mapped("upsert", {"name": "Bob", "age": 21}, "name", outputColumns=["id", "age"]))
    assert made == [{"id": 2, "age": 21}]
    assert await sql(mapped("upsert", {"name": "Di", "age": 9}, "name", outputColumns=["age"])) == [{"age": 9}]
    select: dict[str, Json] = {
        "operation": "select",
        "table": "people",
        "limit": 2,
        "where": {
            "values": [
                {"column": "age", "condition": ">=", "value": "9"},
                {"column": "name", "condition": "LIKE", "value": "C%"},
            ]
        },
        "combineConditions": "OR",
        "sort": {"values": [{"column": "age", "direction": "DESC"}]},
        "options": {"outputColumns": ["name"]},
    }
    assert await sql(select | {"returnAll": True}) == [{"name": name} for name in ("Cy", "Ada", "Bob", "Di")]
    assert await sql(select) == [{"name": "Cy"}, {"name": "Ada"}]
    nulls: dict[str, Json] = {"values": [{"column": "age", "condition": "IS NULL"}]}
    assert await sql({"operation": "deleteTable", "table": "people", "deleteCommand": "delete", "where": nulls}) == [
        {"success": True}
    ]
    assert await sql({"operation": "select", "table": "people", "where": nulls}) == []
    assert await sql(
        {"operation": "deleteTable", "table": "people", "deleteCommand": "truncate", "restartSequences": True}
    ) == [{"success": True}]
    assert [row["id"] for row in await sql(mapped("insert", {"name": "Ed"}))] == [1]
    assert await sql({"operation": "deleteTable", "table": "people", "deleteCommand": "drop"}) == [{"success": True}]
    assert await sql(query("SELECT to_regclass('people') AS there")) == [{"there": None}]


async def test_names_cannot_leave_their_quotes(sql: Sql) -> None:
    with pytest.raises(NodeError, match="does not exist"):
        await sql({"operation": "select", "table": 'people" WHERE true; DROP TABLE people; --'})
    where: dict[str, Json] = {"values": [{"column": "age", "condition": "= 1 OR 1 =", "value": 1}]}
    with pytest.raises(NodeError, match="unknown"):
        await sql({"operation": "select", "table": "people", "where": where})
    assert await sql({"operation": "select", "table": "people"}) == []


async def count(sql: Sql) -> int:
    (row,) = await sql(query("SELECT count(*)::int AS n FROM people"))
    return int(row["n"])


@pytest.mark.parametrize(("batching", "kept"), [("single", 0), ("transaction", 0), ("independently", 2)])
async def test_batching(sql: Sql, batching: str, kept: int) -> None:
    """single and transaction are all or nothing; independently keeps what succeeded."""
    given = rows({"name": "Ada"}, {"name": "Ada"}, {"name": "Bob"})
    parameters = mapped("insert", None, queryBatching=batching, outputColumns=["name"])
    with pytest.raises(NodeError) as failed:
        await sql(parameters, given)
    assert failed.value.item == 1
    await sql({"operation": "deleteTable", "table": "people"})
    made = await sql(parameters, given, on_error="continueRegularOutput")
    failure = {"error": 'PostgreSQL: duplicate key value violates unique constraint "people_name_key".'}
    assert made == ([{"name": "Ada"}, failure, {"name": "Bob"}] if kept else [failure])
    assert await count(sql) == kept


async def test_items_are_paired(bench: Bench, postgres: Mapping[str, str]) -> None:
    each: list[Mapping[str, Json]] = [query("SELECT generate_series(1, 2) AS n"), query("SELECT 3 AS n")]
    made = await bench.items("postgres", 2.5, each, rows({}, {}), credentials={"postgres": postgres})
    assert [(item["json"]["n"], item["pairedItem"]) for item in made] == [
        (1, {"item": 0}),
        (2, {"item": 0}),
        (3, {"item": 1}),
    ]


async def test_version_1(sql: Sql) -> None:
    insert = {"operation": "insert", "table": "people", "columns": "name, age", "returnFields": "name"}
    assert await sql(insert, rows({"name": "Ada", "age": 36, "other": 1}), version=1) == [{"name": "Ada"}]
    update = {"operation": "update", "table": "people", "columns": "age", "updateKey": "name", "returnFields": "age"}
    assert await sql(update, rows({"name": "Ada", "age": 40}), version=1) == [{"age": 40}]
    text = {"operation": "executeQuery", "query": "SELECT $1 || $2 AS v", "additionalFields": {"queryParams": "a,b"}}
    assert await sql(text, rows({"a": "x", "b": "y"}), version=1) == [{"v": "xy"}]


async def test_limits(make_bench: Callable[..., Bench], postgres: Mapping[str, str]) -> None:
    keys = {"postgres": postgres}
    bench = make_bench(max_rows=10, timeout=1)
    assert len(await bench.json("postgres", 2.5, query("SELECT generate_series(1, 10)"), credentials=keys)) == 10
    for text in ("SELECT generate_series(1, 10000000)", "WITH x AS (SELECT generate_series(1, 11)) SELECT * FROM x"):
        with pytest.raises(NodeError, match="more than 10 rows"):
            await bench.json("postgres", 2.5, query(text), credentials=keys)
    with pytest.raises(NodeError, match="longer than 1 seconds"):
        await bench.json("postgres", 2.5, query("SELECT pg_sleep(30)"), credentials=keys)


async def test_connections_are_closed(sql: Sql) -> None:
    for _ in range(3):
        await sql(query("SELECT 1"))
    (row,) = await sql(query("SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'jackfield'"))
    assert row["n"] == 1


async def test_no_secret_in_an_error(bench: Bench, postgres: Mapping[str, str]) -> None:
    wrong = dict(postgres) | {"password": "wrong-and-secret"}
    with pytest.raises(NodeError, match="password authentication failed") as failed:
        await bench.json("postgres", 2.5, query("SELECT 1"), credentials={"postgres": wrong})
    assert "wrong-and-secret" not in failed.value.message
    text = query(f"SELECT '{postgres['password']}'::int")
    with pytest.raises(NodeError) as failed:
        await bench.json("postgres", 2.5, text, credentials={"postgres": postgres})
    assert str(postgres["password"]) not in failed.value.message
    assert "***" in failed.value.message


async def test_tls_is_verified(bench: Bench, postgres: Mapping[str, str]) -> None:
    text = query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    keys = dict(postgres) | {"host": "localhost", "ssl": "require", "allowUnauthorizedCerts": "true"}
    assert await bench.json("postgres", 2.5, text, credentials={"postgres": keys}) == [{"ssl": True}]
    with pytest.raises(NodeError, match="certificate verify failed"):
        await bench.json("postgres", 2.5, text, credentials={"postgres": keys | {"allowUnauthorizedCerts": "false"}})


async def test_loopback_has_to_be_allowed(make_bench: Callable[..., Bench], postgres: Mapping[str, str]) -> None:
    bench = make_bench(allowed_hosts=[])
    with pytest.raises(NodeError, match=r"integrations\.allowed_hosts"):
        await bench.json("postgres", 2.5, query("SELECT 1"), credentials={"postgres": postgres})
    bound = dict(postgres) | {"allowedHosts": "db.example.com"}
    with pytest.raises(NodeError, match="allowedHosts do not name it"):
        await make_bench().json("postgres", 2.5, query("SELECT 1"), credentials={"postgres": bound})


async def test_a_missing_library_names_the_extra(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, postgres: Mapping[str, str]
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "jackfield_integrations.sql.postgres_session", raising=False)
    with pytest.raises(NodeError, match=r"needs the package psycopg; install jackfield\[postgres\]"):
        await bench.json("postgres", 2.5, query("SELECT 1"), credentials={"postgres": postgres})
