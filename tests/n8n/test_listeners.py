"""Listening triggers beside n8n's own nodes, connected to the same real servers: the same items for the same events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from integration_fakes import Bench

from jackfield.testing.context import FakeContext
from jackfield.testing.listening import listen_run, listening
from jackfield_nodes.files.local_file_trigger import LocalFileTriggerNode
from jackfield_nodes.files.settings import FilesSettings
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings
from jackfield_nodes.http.sse_trigger import SseTriggerNode

from . import installing
from .listening import TheirListeners, their_listeners


@pytest.fixture(scope="module")
def theirs() -> Iterator[TheirListeners]:
    try:
        with their_listeners() as found:
            yield found
    except installing.NotThere as exc:
        pytest.skip(str(exc))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def numbered(values: Mapping[str, str]) -> dict[str, Any]:
    """As n8n keeps them."""
    return {name: int(value) if value.isdigit() else value for name, value in values.items()}


@pytest.mark.parametrize("options", [{}, {"jsonParseBody": True}, {"onlyMessage": True, "jsonParseBody": True}])
async def test_redis(theirs: TheirListeners, bench: Bench, redis: Mapping[str, str], options: dict[str, Any]) -> None:
    parameters: dict[str, Any] = {"channels": "orders,news.*", "options": options}
    node = bench.types["redisTrigger"]
    their = theirs.listen("redisTrigger", parameters, {"redis": numbered(redis)})
    async with listening(node, listen_run(node, parameters, credentials={"redis": redis})) as ours:
        for channel, text in (("orders", '{"a":[1]}'), ("news.x", "ü"), ("orders", "7"), ("orders", "[1,2]")):
            given: dict[str, Any] = {"operation": "publish", "channel": channel, "messageData": text}
            await bench.json("redis", 1, given, credentials={"redis": redis})
        assert await ours.items(4) == await asyncio.to_thread(their.items, 4)


@pytest.mark.parametrize("fires_on", ["INSERT", "UPDATE", "DELETE"])
async def test_postgres(theirs: TheirListeners, bench: Bench, postgres: Mapping[str, str], fires_on: str) -> None:
    async def query(text: str) -> None:
        given: dict[str, Any] = {"operation": "executeQuery", "query": text, "options": {}}
        await bench.json("postgres", 2.5, given, credentials={"postgres": postgres})

    table = f"orders_{fires_on.lower()}"
    await query(f"CREATE TABLE {table} (id int, name text, at timestamptz)")
    parameters: dict[str, Any] = {
        "triggerMode": "createTrigger",
        "schema": {"__rl": True, "mode": "list", "value": "public"},
        "tableName": {"__rl": True, "mode": "list", "value": table},
        "firesOn": fires_on,
        # Both tell on one channel.
        "additionalFields": {"channelName": "told", "replaceIfExists": True},
    }
    node = bench.types["postgresTrigger"]
    their = theirs.listen("postgresTrigger", parameters, {"postgres": {**numbered(postgres), "ssl": "disable"}})
    other = {**parameters, "triggerMode": "listenTrigger", "channelName": "told"}
    async with listening(node, listen_run(node, other, credentials={"postgres": postgres})) as ours:
        await query(f"INSERT INTO {table} VALUES (1, 'ü', '2026-01-02 03:04:05Z')")
        await query(f"UPDATE {table} SET name = 'x'")
        await query(f"DELETE FROM {table}")
        assert await ours.items(1) == await asyncio.to_thread(their.items, 1)


async def test_a_postgres_trigger_tells_as_theirs_does(
    theirs: TheirListeners, bench: Bench, postgres: Mapping[str, str]
) -> None:
    async def query(text: str) -> None:
        given: dict[str, Any] = {"operation": "executeQuery", "query": text, "options": {}}
        await bench.json("postgres", 2.5, given, credentials={"postgres": postgres})

    await query("CREATE TABLE told_rows (id int, name text, at timestamptz)")
    parameters: dict[str, Any] = {"tableName": "told_rows", "additionalFields": {"channelName": "row_told"}}
    node = bench.types["postgresTrigger"]
    run = listen_run(node, parameters, credentials={"postgres": postgres})
    async with listening(node, run) as ours:
        await ours.event()
        other = {"triggerMode": "listenTrigger", "channelName": "ROW_told"}
        their = theirs.listen("postgresTrigger", other, {"postgres": {**numbered(postgres), "ssl": "disable"}})
        await query("INSERT INTO told_rows VALUES (1, 'a', '2026-01-02 03:04:05Z')")
        assert await ours.items(1) == await asyncio.to_thread(their.items, 1)
    await node.leave(run)


async def test_files(theirs: TheirListeners, tmp_path: Path) -> None:
    watched = tmp_path / "watched"
    watched.mkdir()
    events = ["add", "change", "unlink", "addDir", "unlinkDir"]
    parameters: dict[str, Any] = {
        "triggerOn": "folder",
        "path": str(watched),
        "events": events,
        "options": {"depth": 1, "ignored": "secret", "ignoreMode": "contain"},
    }
    node = LocalFileTriggerNode(FakeContext(tmp_path, tables=[FilesSettings(root=str(tmp_path))]))
    their = theirs.listen("localFileTrigger", parameters, {})
    async with listening(node, listen_run(node, parameters)) as ours:

        async def same(count: int) -> None:
            key = str
            mine, theirs_ = await ours.items(count), await asyncio.to_thread(their.items, count)
            assert sorted(mine, key=key) == sorted(theirs_, key=key)

        await asyncio.sleep(0.5)  # chokidar says nothing when it is ready
        (watched / "secret.txt").write_text("x")
        (watched / "a.txt").write_text("x")
        await same(1)
        (watched / "in").mkdir()
        await same(1)
        (watched / "in" / "b.txt").write_text("x")
        await same(1)
        (watched / "in" / "deep").mkdir()
        await same(1)
        (watched / "in" / "deep" / "too.txt").write_text("x")
        (watched / "a.txt").write_text("longer")
        await same(1)
        (watched / "a.txt").unlink()
        await same(1)
        (watched / "in" / "deep" / "too.txt").unlink()
        (watched / "in" / "deep").rmdir()
        await same(1)


MAILS = {path.stem: path.read_bytes() for path in sorted(Path(__file__).with_name("mails").glob("*.eml"))}


def shown(item: Mapping[str, Any]) -> Any:
    """An item whose files are told by name, type and size."""
    files = item.get("binary") or {}
    told = {name: (file.get("fileName"), file["mimeType"]) for name, file in files.items()}
    return item["json"], told


@pytest.mark.parametrize("version", [1, 2, 2.1, 2.2])
@pytest.mark.parametrize("form", ["raw", "simple", "resolved"])
async def test_imap(theirs: TheirListeners, bench: Bench, imap: Mapping[str, str], form: str, version: float) -> None:
    imapclient = pytest.importorskip("imapclient")

    parameters: dict[str, Any] = {"mailbox": "INBOX", "format": form, "downloadAttachments": True, "options": {}}
    # Each has a mailbox of its own, as both mark mails as read.
    users = [{**imap, "user": f"{who}-{form}-{version:g}"} for who in ("ours", "theirs")]
    credential = {**numbered(users[1]), "secure": False}
    their = await asyncio.to_thread(theirs.listen, "emailReadImap", parameters, {"imap": credential}, version)
    for values in users:  # theirs looks when the first mail arrives, ours with the connection
        with imapclient.IMAPClient("127.0.0.1", int(imap["port"]), ssl=False) as client:
            client.login(values["user"], imap["password"])
            for content in MAILS.values():
                client.append("INBOX", content)
    node = bench.types["emailReadImap"]
    now = round(time.time() * 1000)
    run = listen_run(node, parameters, version=version, credentials={"imap": users[0]}, now=now)
    async with listening(node, run) as ours:
        mine = [shown(item) for item in await ours.items(len(MAILS))]
        theirs_ = [shown(item) for item in await asyncio.to_thread(their.items, len(MAILS))]
    for name, our, other in zip(MAILS, mine, theirs_, strict=True):
        assert our == other, name


@pytest.mark.parametrize("options", [{}, {"jsonParseBody": True}])
async def test_mqtt(theirs: TheirListeners, bench: Bench, mqtt: Mapping[str, str], options: dict[str, Any]) -> None:
    parameters: dict[str, Any] = {"topics": "a/+:1,b", "options": options}
    node = bench.types["mqttTrigger"]
    credential = {**numbered(mqtt), "protocol": "mqtt", "clean": True}
    their = await asyncio.to_thread(theirs.listen, "mqttTrigger", parameters, {"mqtt": credential})
    async with listening(node, listen_run(node, parameters, credentials={"mqtt": mqtt})) as ours:
        for topic, text in (("a/1", '{"a":[1]}'), ("a/2", "ü"), ("b", "7"), ("c", "no"), ("a/3", "")):
            given: dict[str, Any] = {"topic": topic, "message": text, "sendInputData": False, "options": {"qos": 1}}
            if text:
                await bench.items("mqtt", 1, given, credentials={"mqtt": mqtt})
        assert await ours.items(3) == await asyncio.to_thread(their.items, 3)


@pytest.mark.parametrize("options", [{}, {"jsonParseBody": True}, {"contentIsBinary": True}])
async def test_rabbitmq(
    theirs: TheirListeners, bench: Bench, rabbitmq: Mapping[str, str], options: dict[str, Any]
) -> None:
    """An exchange gives both the same messages."""
    name = "-".join(["q", *options])
    exchange: dict[str, Any] = {"mode": "exchange", "exchange": name, "exchangeType": "fanout", "routingKey": "k"}
    properties = {"argument": [{"key": "messageId", "value": "m"}, {"key": "contentType", "value": "text/x"}]}
    headers = {"header": [{"key": "x", "value": "1"}]}

    async def send(value: Any) -> None:
        more = {"options": {"assertExchange": True, "arguments": properties, "headers": headers}}
        given = [{"json": value}]
        await bench.items("rabbitmq", 1.2, {**exchange, **more}, given, credentials={"rabbitmq": rabbitmq})

    await send({"n": 0})
    bound = {"assertQueue": True, "binding": {"bindings": [{"exchange": name, "routingKey": "k"}]}, **options}
    node = bench.types["rabbitmqTrigger"]
    credential = {**numbered(rabbitmq), "vhost": "/"}
    theirs_, mine = ({"queue": f"{name}-{who}", "options": bound} for who in ("theirs", "ours"))
    their = await asyncio.to_thread(theirs.listen, "rabbitmqTrigger", theirs_, {"rabbitmq": credential})
    async with listening(node, listen_run(node, mine, credentials={"rabbitmq": rabbitmq})) as ours:
        await send({"n": "ü", "list": [1, 2]})
        await send({"n": 2})
        found, other = await ours.items(2), await asyncio.to_thread(their.items, 2)
    for item in [*found, *other]:
        item["json"]["fields"].pop("consumerTag")
    assert [shown(item) for item in found] == [shown(item) for item in other]


KAFKA_CASES: list[tuple[float, dict[str, Any]]] = [
    (1, {}),
    (1.1, {"jsonParseMessage": True, "returnHeaders": True}),
    (1.3, {"jsonParseMessage": True, "keepBinaryData": True}),
    (1.3, {"returnHeaders": True}),
]


@pytest.mark.parametrize(("version", "options"), KAFKA_CASES)
async def test_kafka(
    theirs: TheirListeners, bench: Bench, kafka: Mapping[str, str], version: float, options: dict[str, Any]
) -> None:
    """Each is a group of its own."""
    topic = f"t{version:g}-{len(options)}"

    async def send(text: str, *headers: tuple[str, str]) -> None:
        given = {"headerValues": [{"key": name, "value": value} for name, value in headers]}
        more: dict[str, Any] = {"topic": topic, "sendInputData": False, "message": text, "headersUi": given}
        await bench.items("kafka", 1, more, credentials={"kafka": kafka})

    await send('{"a":[1,"ü"]}', ("x", "1"))
    await send("no JSON", ("x", "ä"), ("y", ""))
    await send("7")
    node = bench.types["kafkaTrigger"]
    wanted: dict[str, Any] = {"topic": topic, "resolveOffset": "onCompletion", "allowedStatuses": ["success"]}
    wanted |= {"useSchemaRegistry": False, "options": {"fromBeginning": True, **options}}
    credential = {**kafka, "ssl": False, "authentication": False, "clientId": "n8n"}
    their = await asyncio.to_thread(
        theirs.listen, "kafkaTrigger", {**wanted, "groupId": f"theirs-{topic}"}, {"kafka": credential}, version
    )
    run = listen_run(node, {**wanted, "groupId": f"ours-{topic}"}, version=version, credentials={"kafka": kafka})
    async with listening(node, run) as ours:
        found, other = await ours.items(3), await asyncio.to_thread(their.items, 3)
    assert [shown(item) for item in found] == [shown(item) for item in other]


async def test_sse(theirs: TheirListeners, tmp_path: Path) -> None:
    asked = asyncio.Semaphore(0)
    begin = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        asked.release()
        await begin.wait()
        await response.write(
            b'data: {"a":\ndata: "x"}\n\nevent: other\ndata: {"a":2}\n\nid: 7\ndata: {"json":{"b":3}}\n\n'
        )
        await asyncio.sleep(30)
        return response

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.01)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    parameters: dict[str, Any] = {"url": f"http://127.0.0.1:{runner.addresses[0][1]}/"}
    context = FakeContext(tmp_path, tables=[HttpSettings(allowed_networks=["127.0.0.0/8"])])
    context.ports["HttpClient"] = GuardedClient(context)
    node = SseTriggerNode(context)
    their = await asyncio.to_thread(theirs.listen, "sseTrigger", parameters, {})
    async with listening(node, listen_run(node, parameters)) as ours:
        await asked.acquire()
        await asked.acquire()
        begin.set()
        assert await ours.items(2) == await asyncio.to_thread(their.items, 2)
    await runner.cleanup()
