"""Kafka and Kafka Trigger against a real broker."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import servers
from integration_fakes import Bench, rows

from jackfield.api.http_client import HttpCall, HttpReply
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Node
from jackfield.testing.listening import HeardEvents, listen_run, listening

PASSWORD = "correct-horse-battery"
TOPICS = itertools.count()
Opened = Callable[..., Any]
IMMEDIATELY = {"resolveOffset": "immediately"}


@pytest.fixture
def topic() -> str:
    return f"t{next(TOPICS)}"


@pytest.fixture
def send(bench: Bench, kafka: Mapping[str, str], topic: str) -> Callable[..., Any]:
    async def sent(
        *given: dict[str, Json], values: Mapping[str, str] | None = None, version: float = 1, **parameters: Json
    ) -> list[Any]:
        wanted: dict[str, Json] = {"topic": topic, **parameters}
        credentials = {"kafka": {**kafka, **(values or {})}}
        return list(await bench.json("kafka", version, wanted, rows(*given), credentials=credentials))

    return sent


@pytest.fixture
def opened(bench: Bench, kafka: Mapping[str, str], topic: str) -> Opened:
    @contextlib.asynccontextmanager
    async def open_it(
        values: Mapping[str, str] | None = None,
        *,
        version: float = 1.3,
        state: Mapping[str, Json] | None = None,
        test: bool = False,
        top: Mapping[str, Json] | None = None,
        **options: Json,
    ) -> AsyncIterator[HeardEvents]:
        node = bench.types["kafkaTrigger"]
        given = {"fromBeginning": True, "errorRetryDelay": 0, **options}
        parameters: dict[str, Json] = {"topic": topic, "groupId": f"g-{topic}", **(top or {}), "options": given}
        credentials = {"kafka": {**kafka, **(values or {})}}
        run = listen_run(node, parameters, version=version, credentials=credentials, state=state, test=test)
        async with listening(node, run) as events:
            yield events

    return open_it


async def test_messages_of_a_topic(opened: Opened, send: Callable[..., Any], topic: str) -> None:
    assert await send({"n": 1}, {"n": "ü"}) == [{"success": True}]
    async with opened() as events:
        assert await events.json(1) == [{"message": '{"n":1}', "topic": topic}]
        assert await events.json(1) == [{"message": '{"n":"ü"}', "topic": topic}]
    headers = {"headerValues": [{"key": "x", "value": "ä"}, {"key": "y", "value": "2"}]}
    (told,) = await send({"n": 3}, headersUi=headers, useKey=True, key="k", options={"acks": True, "compression": True})
    assert (told["topicName"], told["partition"], told["baseOffset"]) == (topic, 0, "2")
    async with opened(jsonParseMessage=True, returnHeaders=True) as events:
        assert await events.json(1) == [{"headers": {"x": "ä", "y": "2"}, "message": {"n": 3}, "topic": topic}]
    await send({"n": 4})
    async with opened(jsonParseMessage=True, onlyMessage=True, keepBinaryData=True) as events:
        (item,) = await events.items(1)
        assert item["json"] == {"n": 4}
        assert item["binary"]["data"]["mimeType"] == "application/octet-stream"


@pytest.mark.parametrize("codec", ["gzip", "lz4", "snappy", "zstd", "none"])
async def test_codecs(opened: Opened, send: Callable[..., Any], codec: str) -> None:
    await send({"n": 1}, version=2, options={"compression": codec})
    async with opened(version=2, jsonParseMessage=True, onlyMessage=True) as events:
        assert await events.json(1) == [{"n": 1}]


@pytest.mark.parametrize(
    ("version", "top", "options", "became", "again"),
    [
        (1.3, {"resolveOffset": "onCompletion"}, {}, "failed", False),
        (1.3, {"resolveOffset": "onSuccess"}, {}, "failed", True),
        (2, {"resolveOffset": "onSuccess"}, {}, "success", False),
        (1.3, {"resolveOffset": "onStatus", "allowedStatuses": ["error"]}, {}, "failed", False),
        (1.3, {"resolveOffset": "onStatus", "allowedStatuses": ["error"]}, {}, "success", True),
        (1.1, {}, {}, "failed", False),
    ],
)
async def test_when_the_group_goes_on(
    opened: Opened, send: Callable[..., Any], version: float, top: Any, options: Any, became: Any, again: bool
) -> None:
    await send({"n": 1}, {"n": 2})
    async with opened(version=version, top=top, jsonParseMessage=True, onlyMessage=True, **options) as events:
        first = await events.event(settled=became)
        assert first.until_end
        expected = 1 if again else 2
        assert (await events.event(settled="success")).items[0]["json"] == {"n": expected}


async def test_no_offset_is_committed_before_its_execution_is_stored(opened: Opened, send: Callable[..., Any]) -> None:
    await send({"n": 1}, {"n": 2})
    plain: dict[str, Any] = {"top": IMMEDIATELY, "jsonParseMessage": True, "onlyMessage": True}
    async with opened(**plain) as events:
        heard = await anext(events.events)
        assert not heard.until_end
        stored = heard.state
    async with opened(**plain) as events:  # nothing was stored
        assert (await events.event(settled="left")).items[0]["json"] == {"n": 1}
    async with opened(**plain, state=stored) as events:  # it was stored, and the crash came before the commit
        assert (await events.event()).items[0]["json"] == {"n": 2}
    async with opened(**plain) as events:
        with pytest.raises(TimeoutError):
            await events.event(0.5)


async def test_batches_survive_a_crash_of_another_size(opened: Opened, send: Callable[..., Any]) -> None:
    await send(*({"n": n} for n in range(3)))
    plain: dict[str, Any] = {"top": IMMEDIATELY, "batchSize": 10, "jsonParseMessage": True, "onlyMessage": True}
    async with opened(**plain) as events:
        heard = await anext(events.events)
        assert [item["json"]["n"] for item in heard.items] == [0, 1, 2]
    await send({"n": 3})
    async with opened(**plain, state=heard.state) as events:
        assert [item["json"]["n"] for item in (await events.event()).items] == [3]


async def test_a_test_takes_nothing_from_the_group(opened: Opened, send: Callable[..., Any]) -> None:
    await send({"n": 1})
    async with opened(test=True, jsonParseMessage=True, onlyMessage=True) as events:
        await send({"n": 2})
        heard = await events.event()
        assert (heard.items[0]["json"], heard.state, heard.until_end) == ({"n": 2}, None, False)
    async with opened(jsonParseMessage=True, onlyMessage=True) as events:
        assert [await events.json(1), await events.json(1)] == [[{"n": 1}], [{"n": 2}]]


@pytest.mark.parametrize("mechanism", ["plain", "scram-sha-256", "scram-sha-512"])
async def test_signing_in(opened: Opened, send: Callable[..., Any], kafka: Mapping[str, str], mechanism: str) -> None:
    values = {"brokers": f"127.0.0.1:{kafka['saslPort']}", "authentication": "true", "saslMechanism": mechanism}
    good = {**values, "username": "ada", "password": PASSWORD}
    await send({"n": 1}, values=good)
    async with opened(good) as events:
        assert len(await events.json(1)) == 1
    with pytest.raises(NodeError) as refused:
        await send({"n": 1}, values={**good, "password": "another-secret"})
    assert "another-secret" not in refused.value.message


async def test_tls(
    opened: Opened, send: Callable[..., Any], kafka: Mapping[str, str], certificate: tuple[Path, Path]
) -> None:
    values = {"brokers": f"localhost:{kafka['tlsPort']}", "ssl": "true", "ca": certificate[0].read_text()}
    await send({"n": 1}, values=values)
    async with opened(values) as events:
        assert len(await events.json(1)) == 1
    with pytest.raises(NodeError, match="No connection to localhost"):
        await send({"n": 1}, values={**values, "ca": ""})
    await send({"n": 1}, values={**values, "ca": "", "allowUnauthorizedCerts": "true"})
    with pytest.raises(NodeError, match="certificate and its key"):
        await send({"n": 1}, values={**values, "cert": "x"})


async def test_a_broker_elsewhere_is_not_reached(
    opened: Opened, send: Callable[..., Any], kafka: Mapping[str, str]
) -> None:
    """The cluster says that it is at an address which the settings do not allow."""
    values = {"brokers": f"127.0.0.1:{kafka['farPort']}"}
    with pytest.raises(NodeError, match=r"10\.99\.0\.1 is not on the public internet"):
        await send({"n": 1}, values=values)
    with pytest.raises(NodeError, match=r"10\.99\.0\.1 is not on the public internet"):
        async with opened(values):
            pass
    with pytest.raises(NodeError, match="allowedHosts"):
        await send({"n": 1}, values={"allowedHosts": "kafka.example.com"})


async def test_a_broker_that_goes_away_ends_the_connection(
    bench: Bench, kafka: Mapping[str, str], certificate: tuple[Path, Path]
) -> None:
    """Of whose end the library tells nothing but a log."""
    node = bench.types["kafkaTrigger"]
    parameters: dict[str, Json] = {"topic": "t", "groupId": "g", "options": {"fromBeginning": True}}
    with contextlib.ExitStack() as stack:
        values = stack.enter_context(servers.kafka_server(*certificate))
        await bench.json("kafka", 1, {"topic": "t"}, rows({"n": 1}), credentials={"kafka": values})
        run = listen_run(node, parameters, version=1.3, credentials={"kafka": values})
        async with listening(node, run) as events:
            await events.event()
            await asyncio.to_thread(stack.close)
            with pytest.raises(NodeError, match="The connection to Kafka is lost"):
                await events.event(30)


async def test_refusals(bench: Bench, send: Callable[..., Any]) -> None:
    with pytest.raises(NodeError, match="Headers must be valid JSON"):
        await send({"n": 1}, jsonParameters=True, headerParametersJson="{")
    with pytest.raises(NodeError, match="Header 'n' must be a text"):
        await send({"n": 1}, jsonParameters=True, headerParametersJson='{"n": 1}')
    with pytest.raises(NodeError, match="is not host:port"):
        await send({"n": 1}, values={"brokers": "a:b"})
    with pytest.raises(NodeError, match="topic is empty"):
        await send({"n": 1}, topic="")
    node = bench.types["kafkaTrigger"]
    made = Node("1", "K", "kafkaTrigger", "kafkaTrigger", 2, {"resolveOffset": "onStatus", "allowedStatuses": []})
    found = [problem.path for problem in node.listen_problems(made)]  # type: ignore[attr-defined]  # it listens
    assert found == ["parameters.topic", "parameters.groupId", "parameters.allowedStatuses"]


SCHEMA = {
    "type": "record",
    "name": "Kiln",
    "fields": [
        {"name": "n", "type": "long"},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "raw", "type": ["null", "bytes"], "default": None},
    ],
}


class Registry:
    """Port `HttpClient`: a schema registry."""

    def __init__(self, **more: Json) -> None:
        self.more = more
        self.asked: list[str] = []

    async def send(self, call: HttpCall, authorization: Any = None) -> HttpReply:
        self.asked.append(call.url)
        body = {"id": 7, "schema": json.dumps(SCHEMA), **self.more}
        known = call.url.endswith(("/subjects/kilns/versions/latest", "/schemas/ids/7"))
        return HttpReply(200 if known else 404, "", [], json.dumps(body).encode(), call.url)


async def test_avro(bench: Bench, opened: Opened, send: Callable[..., Any], topic: str) -> None:
    pytest.importorskip("fastavro")
    bench.context.ports["HttpClient"] = registry = Registry()
    used: dict[str, Any] = {"useSchemaRegistry": True, "schemaRegistryUrl": "http://registry.example"}
    await send({"n": 2**53, "at": 1, "raw": None}, eventName="kilns", **used)
    assert registry.asked == ["http://registry.example/subjects/kilns/versions/latest"]
    async with opened(top=used) as events:
        assert await events.json(1) == [{"message": {"n": 2**53, "at": 1, "raw": None}, "topic": topic}]
    with pytest.raises(NodeError, match="does not fit the schema 7"):
        await send({"n": "x"}, eventName="kilns", **used)
    with pytest.raises(NodeError, match="status 404"):
        await send({"n": 1}, eventName="others", **used)
    await send({"n": 1})  # no message of a registry
    async with opened(top=used) as events:
        assert (await events.json(1))[0]["message"] == '{"n":1}'
    await send({"n": 1})
    async with opened(top=used, version=2) as events:
        with pytest.raises(NodeError, match="does not begin as one of a schema registry"):
            await events.event()
    registry.more = {"schemaType": "PROTOBUF"}
    with pytest.raises(NodeError, match="is one of PROTOBUF"):
        await send({"n": 1}, eventName="kilns", **used)


async def test_partitions_side_by_side(
    bench: Bench, kafka: Mapping[str, str], opened: Opened, send: Callable[..., Any], topic: str
) -> None:
    admin = pytest.importorskip("aiokafka.admin")
    client = admin.AIOKafkaAdminClient(bootstrap_servers=kafka["brokers"])
    await client.start()
    await client.create_topics([admin.NewTopic(topic, 4, 1)])
    await client.close()
    async with opened(jsonParseMessage=True, onlyMessage=True, partitionsConsumedConcurrently=4) as events:
        for n in range(8):
            await send({"n": n}, useKey=True, key=f"k{n}")
        open_ = [await anext(events.events), await anext(events.events)]  # of two partitions, neither settled
        for heard in open_:
            assert heard.settle is not None
            await heard.settle("success")
        found = {item["json"]["n"] for heard in open_ for item in heard.items}
        while len(found) < 8:
            found |= {item["json"]["n"] for item in (await events.event(settled="success")).items}
    assert found == set(range(8))
