"""MQTT and MQTT Trigger against Mosquitto."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest
from integration_fakes import Bench, rows

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.testing.listening import HeardEvents, listen_run, listening

IDS = itertools.count()
Opened = Callable[..., Any]


@pytest.fixture
def opened(bench: Bench, mqtt: Mapping[str, str]) -> Opened:
    @contextlib.asynccontextmanager
    async def open_it(
        topics: str, values: Mapping[str, str] | None = None, **options: Json
    ) -> AsyncIterator[HeardEvents]:
        node = bench.types["mqttTrigger"]
        parameters: dict[str, Json] = {"topics": topics, "options": options}
        run = listen_run(node, parameters, credentials={"mqtt": {**mqtt, **(values or {})}})
        async with listening(node, run) as events:
            yield events

    return open_it


@pytest.fixture
def publish(bench: Bench, mqtt: Mapping[str, str]) -> Callable[..., Any]:
    async def send(topic: str, message: str, **options: Json) -> None:
        parameters: dict[str, Json] = {"topic": topic, "message": message, "sendInputData": False, "options": options}
        await bench.items("mqtt", 1, parameters, credentials={"mqtt": mqtt})

    return send


async def test_messages_of_topics(opened: Opened, publish: Callable[..., Any]) -> None:
    async with opened("a/+:1,b/#:2,c") as events:
        await publish("a/1", '{"n":1}')
        await publish("b/x/y", "ü", qos=2)
        await publish("other", "no")
        await publish("c", "last", qos=1)
        found = {item["topic"]: item["message"] for item in await events.json(3)}
        assert found == {"a/1": '{"n":1}', "b/x/y": "ü", "c": "last"}
    async with opened("a/1", jsonParseBody=True, onlyMessage=True) as events:
        await publish("a/1", '{"n":1}')
        assert await events.json(1) == [{"message": {"n": 1}}]


async def test_the_broker_keeps_what_is_not_acknowledged(opened: Opened, publish: Callable[..., Any]) -> None:
    values = {"clean": "false", "clientId": f"keeps-{next(IDS)}"}
    async with opened("kept:1", values):
        pass
    await publish("kept", "one", qos=1)
    await publish("kept", "two", qos=1)
    async with opened("kept:1", values) as events:
        assert (await events.event(settled="left")).items[0]["json"]["message"] == "one"
    async with opened("kept:1", values) as events:
        assert [item["message"] for item in await events.json(2)] == ["one", "two"]
    async with opened("kept:1", values) as events:
        with pytest.raises(TimeoutError):
            await events.event(0.3)


async def test_items_are_sent_and_passed_on(bench: Bench, opened: Opened, mqtt: Mapping[str, str]) -> None:
    async with opened("items") as events:
        given = rows({"a": "ü"}, {"a": 2})
        made = await bench.json("mqtt", 1, {"topic": "items", "options": {"qos": 1}}, given, credentials={"mqtt": mqtt})
        assert made == [{"a": "ü"}, {"a": 2}]
        assert [item["message"] for item in await events.json(2)] == ['{"a":"ü"}', '{"a":2}']


async def test_refusals(opened: Opened) -> None:
    with pytest.raises(NodeError) as refused:
        async with opened("a", {"password": "another-secret"}):
            pass
    assert "another-secret" not in refused.value.message
