"""Redis Trigger and Postgres Trigger against real servers."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from integration_fakes import Bench

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.testing.listening import HeardEvents, listen_run, listening


@contextlib.asynccontextmanager
async def opened(
    bench: Bench, kind: str, credential: str, values: Mapping[str, str], parameters: Mapping[str, Json], **more: Any
) -> AsyncIterator[HeardEvents]:
    run = listen_run(bench.types[kind], parameters, credentials={credential: values}, **more)
    async with listening(bench.types[kind], run) as events:
        yield events


async def published(bench: Bench, redis: Mapping[str, str], channel: str, text: str) -> None:
    parameters: dict[str, Json] = {"operation": "publish", "channel": channel, "messageData": text}
    await bench.json("redis", 1, parameters, credentials={"redis": redis})


async def test_messages_of_channels_and_patterns(bench: Bench, redis: Mapping[str, str]) -> None:
    async with opened(bench, "redisTrigger", "redis", redis, {"channels": "orders,news.*"}) as events:
        await published(bench, redis, "other", "no")
        await published(bench, redis, "orders", '{"n":1}')
        await published(bench, redis, "news.sport", "ü")
        assert await events.json(2) == [
            {"channel": "orders", "message": '{"n":1}'},
            {"channel": "news.sport", "message": "ü"},
        ]
    options: dict[str, Json] = {"jsonParseBody": True, "onlyMessage": True}
    async with opened(bench, "redisTrigger", "redis", redis, {"channels": "orders", "options": options}) as events:
        await published(bench, redis, "orders", '{"n":1}')
        await published(bench, redis, "orders", "no json")
        assert await events.json(2) == [{"message": {"n": 1}}, {"message": "no json"}]


async def test_a_lost_connection_is_an_error_without_the_password(bench: Bench, redis: Mapping[str, str]) -> None:
    client = pytest.importorskip("redis.asyncio")
    async with opened(bench, "redisTrigger", "redis", redis, {"channels": "orders"}) as events:
        plain = client.Redis(host="127.0.0.1", port=int(redis["port"]), password=redis["password"])
        await plain.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        await plain.aclose()
        with pytest.raises(NodeError, match="Redis"):
            await events.event()
    wrong = {**redis, "password": "another-secret"}
    with pytest.raises(NodeError) as refused:
        async with opened(bench, "redisTrigger", "redis", wrong, {"channels": "orders"}):
            pass
    assert "another-secret" not in refused.value.message


async def query(bench: Bench, postgres: Mapping[str, str], text: str) -> Any:
    parameters: dict[str, Json] = {"operation": "executeQuery", "query": text, "options": {}}
    return await bench.json("postgres", 2.5, parameters, credentials={"postgres": postgres})


async def functions(bench: Bench, postgres: Mapping[str, str]) -> list[str]:
    found = await query(bench, postgres, "SELECT proname FROM pg_proc WHERE proname ~ '^(n8n_|tell)' ORDER BY 1")
    return [row["proname"] for row in found if "proname" in row]


@pytest.fixture
async def table(bench: Bench, postgres: Mapping[str, str]) -> AsyncIterator[str]:
    await query(bench, postgres, 'CREATE TABLE "Orders" (id int, name text)')
    yield "Orders"
    await query(bench, postgres, 'DROP TABLE "Orders"')
    await query(bench, postgres, "DROP FUNCTION IF EXISTS tell()")


async def test_changes_of_a_table(bench: Bench, postgres: Mapping[str, str], table: str) -> None:
    node = bench.types["postgresTrigger"]
    for event, change, row in (
        ("INSERT", "INSERT INTO \"Orders\" VALUES (1, 'ü')", {"id": 1, "name": "ü"}),
        ("UPDATE", 'UPDATE "Orders" SET name = NULL', {"id": 1, "name": None}),
        ("DELETE", 'DELETE FROM "Orders"', {"id": 1, "name": None}),
    ):
        parameters: dict[str, Json] = {
            "triggerMode": "createTrigger",
            "schema": {"__rl": True, "mode": "list", "value": "public"},
            "tableName": {"__rl": True, "mode": "name", "value": table},
            "firesOn": event,
        }
        run = listen_run(node, parameters, credentials={"postgres": postgres}, node_id="a-b")
        async with listening(node, run) as events:
            assert (await events.event()).items == ()
            assert events.state["made"]["function"] == "n8n_trigger_function_a_b"
            await query(bench, postgres, change)
            (item,) = await events.json(1)
            assert item["payload"] == row
            assert (item["channel"], item["name"]) == ("n8n_channel_a_b", "notification")
        assert await functions(bench, postgres) == ["n8n_trigger_function_a_b"]
        await node.leave(run)
        assert await functions(bench, postgres) == []


async def test_names_of_its_own_are_replaced_only_when_it_made_them(
    bench: Bench, postgres: Mapping[str, str], table: str
) -> None:
    node = bench.types["postgresTrigger"]
    parameters: dict[str, Json] = {
        "tableName": table,
        "additionalFields": {"functionName": "tell()", "triggerName": "tells", "channelName": "told"},
    }
    run = listen_run(node, parameters, credentials={"postgres": postgres})
    async with listening(node, run) as events:
        await events.event()
        state = events.state
    with pytest.raises(NodeError, match="already exists"):
        async with listening(node, run):
            pass
    again = listen_run(node, parameters, credentials={"postgres": postgres}, state=state)
    async with listening(node, again) as events:
        await query(bench, postgres, "INSERT INTO \"Orders\" VALUES (2, 'x')")
        assert [item["channel"] for item in await events.json(1)] == ["told"]
    await node.leave(again)
    assert await functions(bench, postgres) == []


async def test_a_channel_of_somebody_else_and_a_lost_connection(bench: Bench, postgres: Mapping[str, str]) -> None:
    parameters: dict[str, Json] = {"triggerMode": "listenTrigger", "channelName": "Told"}
    async with opened(bench, "postgresTrigger", "postgres", postgres, parameters) as events:
        await query(bench, postgres, "NOTIFY told, '[1]'")
        await query(bench, postgres, "NOTIFY told")
        first, second = await events.json(2)
        assert (first["payload"], first["length"], second["payload"]) == ([1], 17, "")
        await query(
            bench, postgres, "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
        )
        with pytest.raises(NodeError, match="PostgreSQL"):
            await events.event()


def test_bad_names_do_not_go_live(bench: Bench) -> None:
    node = bench.types["postgresTrigger"]
    for parameters, path in (
        ({"triggerMode": "listenTrigger", "channelName": "a b"}, "parameters.channelName"),
        ({"triggerMode": "createTrigger"}, "parameters.tableName"),
        ({"tableName": "t", "additionalFields": {"functionName": 'x"'}}, "parameters.additionalFields.functionName"),
    ):
        given: Any = parameters
        assert [one.path for one in node.listen_problems(listen_run(node, given).node)] == [path]
