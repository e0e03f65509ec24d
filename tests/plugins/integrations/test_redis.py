"""Redis against a real server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from integration_fakes import Bench, rows

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError

Node = Callable[..., Any]


@pytest.fixture
async def node(bench: Bench, redis: Mapping[str, str]) -> AsyncIterator[Node]:
    async def run(operation: str, *, given: Any = None, **parameters: Json) -> Any:
        return await bench.json("redis", 1, {"operation": operation, **parameters}, given, credentials={"redis": redis})

    yield run
    for key in (await run("keys", keyPattern="*", getValues=False))[0]["keys"]:
        await run("delete", key=key)


async def test_texts(node: Node) -> None:
    assert await node("set", key="a", value="ü 1", given=rows({"kept": 1})) == [{"kept": 1}]
    assert await node("get", key="a", propertyName="x.y") == [{"x": {"y": "ü 1"}}]
    assert await node("get", key="a", propertyName="x.y", options={"dotNotation": False}) == [{"x.y": "ü 1"}]
    assert await node("get", key="none") == [{"propertyName": None}]
    assert await node("delete", key="a", given=rows({"kept": 1})) == [{"kept": 1}]
    assert await node("get", key="a") == [{"propertyName": None}]


async def test_structures(node: Node) -> None:
    await node("set", key="h", keyType="hash", value='{"a": 1, "b": "x"}')
    await node("set", key="p", keyType="hash", value="a 1 b 2", valueIsJSON=False)
    await node("set", key="l", keyType="list", value='["x", 2]')
    await node("set", key="s", keyType="sets", value='["b", "a", "a"]')
    await node("set", key="o", value={"a": [1]})
    expected = {
        "h": {"a": "1", "b": "x"},
        "p": {"a": "1", "b": "2"},
        "l": ["x", "2"],
        "s": ["a", "b"],
        "o": {"a": "[1]"},
    }
    assert await node("keys", keyPattern="*") == [dict(sorted(expected.items()))]
    assert await node("keys", keyPattern="[hl]", getValues=False) == [{"keys": ["h", "l"]}]
    assert await node("get", key="s", keyType="sets") == [{"propertyName": ["a", "b"]}]
    with pytest.raises(NodeError, match="WRONGTYPE"):
        await node("get", key="s", keyType="string")
    with pytest.raises(NodeError, match="valid JSON"):
        await node("set", key="l", keyType="list", value="[")


async def test_counters_and_expiry(node: Node) -> None:
    assert await node("incr", key="n", expire=True, ttl=100) == [{"n": 1}]
    assert await node("incr", key="n") == [{"n": 2}]
    await node("set", key="short", value="x", expire=True, ttl=1000)
    info = (await node("info"))[0]
    assert info["db0"]["expires"] == 2
    assert isinstance(info["redis_version"], str)


async def test_lists(node: Node) -> None:
    assert await node("push", list="q", messageData='{"a": 1}', given=rows({"kept": 1})) == [{"kept": 1}]
    await node("push", list="q", messageData="two", tail=True)
    assert await node("llen", list="q") == [{"q": 2}]
    assert await node("pop", list="q", propertyName="m") == [{"m": {"a": 1}}]
    assert await node("pop", list="q", propertyName="m", tail=True) == [{"m": "two"}]
    assert await node("pop", list="q", propertyName="m") == [{"m": None}]


async def test_publish(node: Node, redis: Mapping[str, str]) -> None:
    from redis.asyncio import Redis

    client = Redis(host=redis["host"], port=int(redis["port"]), password=redis["password"], decode_responses=True)
    async with client, client.pubsub() as listener:
        await listener.subscribe("news")
        assert (await listener.get_message(timeout=5))["type"] == "subscribe"
        assert await node("publish", channel="news", messageData="hello", given=rows({"kept": 1})) == [{"kept": 1}]
        assert (await listener.get_message(timeout=5))["data"] == "hello"


async def test_failures(make_bench: Callable[..., Bench], redis: Mapping[str, str]) -> None:
    keys: dict[str, Json] = {"operation": "keys", "keyPattern": "*"}
    wrong = dict(redis) | {"password": "wrong-and-secret"}
    with pytest.raises(NodeError, match=r"No connection to 127\.0\.0\.1") as failed:
        await make_bench().json("redis", 1, keys, credentials={"redis": wrong})
    assert "wrong-and-secret" not in failed.value.message
    with pytest.raises(NodeError, match=r"integrations\.allowed_hosts"):
        await make_bench(allowed_hosts=[]).json("redis", 1, keys, credentials={"redis": redis})
    bench = make_bench(max_rows=2)
    fill: dict[str, Json] = {"operation": "set", "key": "l", "keyType": "list", "value": "[1, 2, 3]"}
    await bench.json("redis", 1, fill, credentials={"redis": redis})
    with pytest.raises(NodeError, match="more than 2 entries"):
        await bench.json("redis", 1, {"operation": "get", "key": "l"}, credentials={"redis": redis})
    await bench.json("redis", 1, {"operation": "delete", "key": "l"}, credentials={"redis": redis})


async def test_tls_is_verified(bench: Bench, redis: Mapping[str, str], certificate: tuple[Path, Path]) -> None:
    info: dict[str, Json] = {"operation": "info"}
    keys = dict(redis) | {"host": "localhost", "port": redis["tlsPort"], "ssl": "true"}
    trusted = keys | {"caCertificate": certificate[0].read_text()}
    assert (await bench.json("redis", 1, info, credentials={"redis": trusted}))[0]["redis_version"]
    assert await bench.json("redis", 1, info, credentials={"redis": keys | {"disableTlsVerification": "true"}})
    for wrong in (keys, trusted | {"host": "127.0.0.1"}):
        with pytest.raises(NodeError, match="certificate verify failed"):
            await bench.json("redis", 1, info, credentials={"redis": wrong})
