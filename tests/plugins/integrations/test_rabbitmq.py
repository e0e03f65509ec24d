"""RabbitMQ and RabbitMQ Trigger against a real broker."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest
from integration_fakes import Bench, rows

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.testing.listening import HeardEvents, listen_run, listening
from jackfield_integrations.messaging.open_deliveries import OpenDeliveries

QUEUES = itertools.count()
Opened = Callable[..., Any]


@pytest.fixture
def queue() -> str:
    return f"q{next(QUEUES)}"


@pytest.fixture
def opened(bench: Bench, rabbitmq: Mapping[str, str], queue: str) -> Opened:
    @contextlib.asynccontextmanager
    async def open_it(values: Mapping[str, str] | None = None, **options: Json) -> AsyncIterator[HeardEvents]:
        node = bench.types["rabbitmqTrigger"]
        parameters: dict[str, Json] = {"queue": queue, "options": {"assertQueue": True, **options}}
        run = listen_run(node, parameters, credentials={"rabbitmq": {**rabbitmq, **(values or {})}})
        async with listening(node, run) as events:
            yield events

    return open_it


@pytest.fixture
def send(bench: Bench, rabbitmq: Mapping[str, str], queue: str) -> Callable[..., Any]:
    async def sent(*given: dict[str, Json], version: float = 1.2, **parameters: Json) -> list[Any]:
        wanted: dict[str, Json] = {"mode": "queue", "queue": queue, "options": {"assertQueue": True}, **parameters}
        found = await bench.json("rabbitmq", version, wanted, rows(*given), credentials={"rabbitmq": rabbitmq})
        return list(found)

    return sent


async def test_messages_of_a_queue(opened: Opened, send: Callable[..., Any], queue: str) -> None:
    assert await send({"n": 1}, {"n": "ü"}) == [{"success": True}, {"success": True}]
    async with opened() as events:
        first, second = await events.json(2)
        assert (first["content"], second["content"]) == ('{"n":1}', '{"n":"ü"}')
        assert (first["fields"]["routingKey"], first["fields"]["redelivered"]) == (queue, False)
    await send({"n": 3})
    async with opened(jsonParseBody=True, onlyContent=True) as events:
        assert await events.json(1) == [{"n": 3}]
    await send({"n": 4})
    async with opened(contentIsBinary=True) as events:
        (item,) = await events.items(1)
        assert "content" not in item["json"]
        assert item["binary"]["data"]["mimeType"] == "text/plain"


async def test_the_broker_keeps_what_is_not_acknowledged(opened: Opened, send: Callable[..., Any]) -> None:
    await send({"n": 1}, {"n": 2})
    async with opened(jsonParseBody=True) as events:
        assert (await events.event(settled="left")).items[0]["json"]["content"] == {"n": 1}
    async with opened(jsonParseBody=True) as events:
        found = await events.json(2)
        assert sorted(item["content"]["n"] for item in found) == [1, 2]
        assert any(item["fields"]["redelivered"] for item in found)
    async with opened() as events:
        with pytest.raises(TimeoutError):
            await events.event(0.3)


@pytest.mark.parametrize(
    ("mode", "became", "again"),
    [
        ("executionFinishes", "failed", False),
        ("executionFinishesSuccessfully", "failed", True),
        ("executionFinishesSuccessfully", "success", False),
        ("laterMessageNode", "failed", True),
        ("laterMessageNode", "success", False),
    ],
)
async def test_when_the_queue_forgets(
    opened: Opened, send: Callable[..., Any], mode: str, became: Any, again: bool
) -> None:
    await send({"n": 1})
    async with opened(acknowledge=mode) as events:
        assert (await events.event(settled=became)).until_end
    async with opened() as events:
        if again:
            assert len(await events.json(1)) == 1
        else:
            with pytest.raises(TimeoutError):
                await events.event(0.3)


async def test_a_node_acknowledges_what_has_started_its_execution(
    bench: Bench, opened: Opened, send: Callable[..., Any]
) -> None:
    await send({"n": 1})
    async with opened(acknowledge="laterMessageNode") as events:
        heard = await anext(events.events)
        run = bench.run("rabbitmq", 1.2, {"operation": "deleteMessage"}, rows({"a": 1}))
        bench.context.port(OpenDeliveries).acknowledge(heard.files.id)
        assert await bench.json("rabbitmq", 1.2, {"operation": "deleteMessage"}, rows({"a": 1})) == [{"a": 1}]
        assert run.execution.id != heard.files.id
        await heard.settle("failed")
    async with opened() as events:
        with pytest.raises(TimeoutError):
            await events.event(0.3)


async def test_exchanges_bindings_and_properties(opened: Opened, send: Callable[..., Any], queue: str) -> None:
    options: dict[str, Json] = {
        "assertExchange": True,
        "headers": {"header": [{"key": "x", "value": "1"}]},
        "arguments": {"argument": [{"key": "priority", "value": "3"}, {"key": "messageId", "value": "m"}]},
    }
    exchange: dict[str, Json] = {
        "mode": "exchange",
        "exchange": f"e-{queue}",
        "exchangeType": "topic",
        "options": options,
    }
    await send({"n": 0}, routingKey="kilns.1", **exchange)
    async with opened(binding={"bindings": [{"exchange": f"e-{queue}", "routingKey": "kilns.*"}]}) as events:
        await send({"n": 1}, routingKey="ovens.1", **exchange)
        await send({"n": 2}, routingKey="kilns.1", **exchange)
        (item,) = await events.json(1)
        assert item["content"] == '{"n":2}'
        properties = item["properties"]
        assert (properties["headers"], properties["priority"], properties["messageId"]) == ({"x": "1"}, 3, "m")


async def test_refusals(bench: Bench, opened: Opened, send: Callable[..., Any]) -> None:
    with pytest.raises(NodeError, match="no queue"):
        async with opened(assertQueue=False):
            pass
    with pytest.raises(NodeError) as refused:
        async with opened({"password": "another-secret"}):
            pass
    assert "another-secret" not in refused.value.message
    with pytest.raises(NodeError, match="no exchange"):
        await send({"n": 1}, mode="exchange", exchange="none")


async def test_a_queue_that_is_deleted_ends_the_connection_by_its_name(
    opened: Opened, rabbitmq: Mapping[str, str], queue: str
) -> None:
    """RabbitMQ tells that with `basic.cancel`, as it does when a queue moves to another node."""
    aio_pika = pytest.importorskip("aio_pika")
    url = f"amqp://guest:guest@127.0.0.1:{rabbitmq['port']}/"
    async with await aio_pika.connect(url) as connection, opened() as events:
        waiting = asyncio.ensure_future(events.event())
        channel = await connection.channel()
        await channel.queue_delete(queue)
        with pytest.raises(NodeError, match=f"no more of the queue {queue}"):
            await waiting


async def test_an_acknowledgement_that_fails_is_a_failure_of_the_node(opened: Opened, send: Callable[..., Any]) -> None:
    await send({"n": 1})
    async with opened() as events:
        heard = await events.event()
        assert heard.settle is not None
        with pytest.raises(NodeError, match="RabbitMQ: "):
            await heard.settle("stored")  # once more
