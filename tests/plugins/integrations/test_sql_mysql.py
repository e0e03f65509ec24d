"""MySQL against a real MariaDB."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from integration_fakes import Bench, rows

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError

Sql = Callable[..., Any]


def query(text: str, *values: Json, **options: Json) -> dict[str, Json]:
    replaced: dict[str, Json] = {"queryReplacement": list(values)} if values else {}
    return {"operation": "executeQuery", "query": text, "options": replaced | options}


@pytest.fixture
async def sql(bench: Bench, mariadb: Mapping[str, str]) -> Sql:
    """Runs the node; the table is made afresh."""

    async def run(parameters: Mapping[str, Json], given: Any = None, *, version: float = 2.4, **more: Any) -> Any:
        more.setdefault("credentials", {"mySql": mariadb})
        return await bench.json("mySql", version, parameters, given, **more)

    await run(
        query(
            "DROP TABLE IF EXISTS people; CREATE TABLE people (id INT AUTO_INCREMENT PRIMARY KEY, "
            "name VARCHAR(40) UNIQUE, age INT, extra JSON)"
        )
    )
    return run


async def test_types_are_those_of_n8n(sql: Sql) -> None:
    text = """SELECT 1 AS i, 9007199254740993 AS b, CAST(1.50 AS DECIMAL(5,2)) AS n, 'ü' AS t, NULL AS z,
        CAST('2024-02-03' AS DATE) AS d, CAST('2024-02-03 04:05:06' AS DATETIME) AS s, x'01ff' AS c, 1.5e0 AS r"""
    expected = {"i": 1, "b": "9007199254740993", "n": "1.50", "t": "ü", "z": None}
    expected |= {"d": "2024-02-03T00:00:00.000Z", "s": "2024-02-03T04:05:06.000Z", "r": 1.5}
    expected |= {"c": {"type": "Buffer", "data": [1, 255]}}  # type: ignore[dict-item]
    assert await sql(query(text)) == [expected]
    text = "SELECT COUNT(*) AS n, CAST(1.5 AS DECIMAL(3,1)) AS d FROM people"
    assert await sql(query(text)) == [{"n": 0, "d": "1.5"}]
    assert await sql(query(text, largeNumbersOutput="text")) == [{"n": "0", "d": "1.5"}]
    assert await sql(query(text, decimalNumbers=True)) == [{"n": 0, "d": 1.5}]


async def test_parameters_are_values_never_sql(sql: Sql) -> None:
    hostile = "\\'; DROP TABLE people; -- "
    text = "SELECT $1 AS v, '$1 \\' $1' AS q, \"$1\" AS w, $2 + 1 AS n # $3"
    assert await sql(query(text, hostile, 41)) == [{"v": hostile, "q": "$1 ' $1", "w": "$1", "n": 42}]
    assert await sql(query("SELECT $1:name FROM (SELECT 7 AS `we``ird`) t", "we`ird")) == [{"we`ird": 7}]
    assert await sql(query("SELECT 3 IN ($1:list) AS there, 5 % 3 AS m", [1, 3])) == [{"there": 1, "m": 2}]
    assert await sql(query("SHOW TABLES")) == [{"Tables_in_shop": "people"}]


async def test_changes(sql: Sql) -> None:
    table: dict[str, Json] = {"table": {"__rl": True, "mode": "list", "value": "people"}}
    insert = table | {"operation": "insert", "dataMode": "autoMapInputData"}
    given = rows({"name": "Ada", "age": 36}, {"name": "Bob", "age": 1, "extra": {"a": [1]}})
    assert await sql(insert, given) == [{"success": True}]
    with pytest.raises(NodeError, match="MySQL: Duplicate entry 'Ada'"):
        await sql(insert, rows({"name": "Ada"}))
    assert await sql(
        insert | {"options": {"skipOnConflict": True, "priority": "LOW_PRIORITY"}}, rows({"name": "Ada"})
    ) == [{"success": True}]
    values: dict[str, Json] = {"values": [{"column": "age", "value": 37}]}
    update = table | {
        "operation": "update",
        "dataMode": "defineBelow",
        "columnToMatchOn": "name",
        "valueToMatchOn": "Ada",
    }
    assert await sql(update | {"valuesToSend": values}) == [{"success": True}]
    upsert = table | {"operation": "upsert", "dataMode": "autoMapInputData", "columnToMatchOn": "name"}
    assert await sql(upsert, rows({"name": "Bob", "age": 2}, {"name": "Cy", "age": 3})) == [{"success": True}]
    select = table | {"operation": "select", "returnAll": True, "options": {"outputColumns": ["name", "age"]}}
    select["sort"] = {"values": [{"column": "age", "direction": "DESC"}]}
    assert await sql(select) == [{"name": "Ada", "age": 37}, {"name": "Cy", "age": 3}, {"name": "Bob", "age": 2}]
    delete: dict[str, Json] = {"values": [{"column": "name", "condition": "equal", "value": "Cy"}]}
    assert await sql(table | {"operation": "deleteTable", "deleteCommand": "delete", "where": delete}) == [
        {"success": True}
    ]
    assert await sql(table | {"operation": "select", "where": delete}) == []
    assert await sql(table | {"operation": "deleteTable", "deleteCommand": "drop"}) == [{"success": True}]
    with pytest.raises(NodeError, match="doesn't exist"):
        await sql(table | {"operation": "select"})


@pytest.mark.parametrize(("batching", "kept"), [("single", 1), ("transaction", 0), ("independently", 2)])
async def test_batching(sql: Sql, batching: str, kept: int) -> None:
    """transaction is all or nothing; single ends at the first failure; independently goes on."""
    given = rows({"name": "Ada"}, {"name": "Ada"}, {"name": "Bob"})
    insert: dict[str, Json] = {"operation": "insert", "table": "people", "options": {"queryBatching": batching}}
    made = await sql(insert, given, on_error="continueRegularOutput")
    failure = {"error": "MySQL: Duplicate entry 'Ada' for key 'name'."}
    assert made == ([{"success": True}, failure, {"success": True}] if batching == "independently" else [failure])
    assert await sql(query("SELECT COUNT(*) AS n FROM people")) == [{"n": kept}]


async def test_limits_and_secrets(make_bench: Callable[..., Bench], mariadb: Mapping[str, str]) -> None:
    bench = make_bench(max_rows=10, timeout=1)
    with pytest.raises(NodeError, match="more than 10 rows"):
        await bench.json("mySql", 2.4, query("SELECT seq FROM seq_1_to_100000"), credentials={"mySql": mariadb})
    with pytest.raises(NodeError, match="longer than 1 seconds"):
        await bench.json("mySql", 2.4, query("SELECT SLEEP(30)"), credentials={"mySql": mariadb})
    endless = query("SELECT a.seq FROM seq_1_to_10000000 a, seq_1_to_10000000 b", queryBatching="transaction")
    with pytest.raises(NodeError, match="more than 10 rows"):
        await bench.json("mySql", 2.4, endless, rows({}, {}), credentials={"mySql": mariadb})
    wrong = dict(mariadb) | {"password": "wrong-and-secret"}
    with pytest.raises(NodeError, match="Access denied") as failed:
        await bench.json("mySql", 2.4, query("SELECT 1"), credentials={"mySql": wrong})
    assert "wrong-and-secret" not in failed.value.message


async def test_no_file_of_this_machine_is_sent(sql: Sql) -> None:
    with pytest.raises(NodeError, match="MySQL: "):
        await sql(query("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE people (name)"))
    assert await sql(query("SELECT COUNT(*) AS n FROM people")) == [{"n": 0}]


async def test_tls_is_verified(bench: Bench, mariadb: Mapping[str, str], certificate: tuple[Path, Path]) -> None:
    text = query("SHOW STATUS LIKE 'Ssl_cipher'")
    keys = dict(mariadb) | {"host": "localhost", "ssl": "true", "caCertificate": certificate[0].read_text()}
    (row,) = await bench.json("mySql", 2.4, text, credentials={"mySql": keys})
    assert row["Value"]
    for wrong in ({"caCertificate": ""}, {"host": "127.0.0.1"}):
        with pytest.raises(NodeError, match="certificate verify failed"):
            await bench.json("mySql", 2.4, text, credentials={"mySql": keys | wrong})


@pytest.mark.parametrize(
    ("values", "plugin", "message"),
    [
        ({"ssl": "true"}, b"mysql_native_password", "does not offer TLS"),
        ({}, b"mysql_clear_password", "bare password without TLS"),
    ],
)
async def test_nothing_is_sent_to_a_server_that_wants_no_tls(
    bench: Bench, values: dict[str, str], plugin: bytes, message: str
) -> None:
    """A server, or somebody between, whose greeting leaves TLS out or asks for the bare password."""
    pytest.importorskip("aiomysql")
    received = asyncio.get_running_loop().create_future()
    flags = 0x000FA20F  # protocol 4.1, secure connection, plugin names; no TLS (0x0800)
    greeting = b"\x0a8.0.0\0" + bytes(4) + b"salt1234\0" + (flags & 0xF7FF).to_bytes(2, "little") + b"\x2d\x02\0"
    greeting += (flags >> 16).to_bytes(2, "little") + b"\x15" + bytes(10) + b"salt12345678\0" + plugin + b"\0"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(len(greeting).to_bytes(3, "little") + b"\0" + greeting)
        received.set_result(await reader.read())
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    keys = {
        "host": "127.0.0.1",
        "port": str(server.sockets[0].getsockname()[1]),
        "user": "u",
        "password": "secret-word",
    }
    async with server:
        with pytest.raises(NodeError, match=message):
            await bench.json("mySql", 2.4, query("SELECT 1"), credentials={"mySql": keys | values})
        assert await asyncio.wait_for(received, 5) == b""


async def test_version_1(sql: Sql) -> None:
    table = {"table": "people", "columns": "name, age"}
    assert await sql({"operation": "insert", **table}, rows({"name": "Ada", "age": 1}), version=1) == [
        {"success": True}
    ]
    update = {"operation": "update", "updateKey": "name", **table}
    assert await sql(update, rows({"name": "Ada", "age": 2}), version=1) == [{"success": True}]
    assert await sql({"operation": "executeQuery", "query": "SELECT age FROM people"}, version=1) == [{"age": 2}]
