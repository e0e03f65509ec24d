"""Streams to real sockets: syslog's frames, signed HTTP, OTLP's messages; and what comes at least once."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from jackfield.api.audit import AuditActor, AuditedAct
from jackfield.api.errors import InvalidInput
from jackfield.api.events import Event
from jackfield.api.records import replace
from jackfield.core.events import LossyEventBus
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_audit.chain import AuditChain
from jackfield_log_streams.book import KIND, LogStream, StreamBook, sealed_values
from jackfield_log_streams.delivering import Deliveries, StreamDelivery, StreamFigures
from jackfield_log_streams.messages import StreamMessage, of_event, wants
from jackfield_log_streams.metrics import metrics
from jackfield_log_streams.routes import _require_secrets
from jackfield_log_streams.schemas import LogStreamBody
from jackfield_log_streams.senders.otlp import request
from jackfield_log_streams.senders.sending import Sender, SendFailed, sender_of
from jackfield_log_streams.senders.syslog import SyslogSender, line
from jackfield_log_streams.settings import LogStreamsSettings

MESSAGES = [
    StreamMessage("audit", "workflow.update", 1_767_225_600_123, False, {"number": 1, "name": "Käse\n"}, 1),
    StreamMessage("audit", "user.login", 1_767_225_600_124, True, {"number": 2}, 2),
]


async def eventually(probe: Callable[[], bool], what: str) -> None:
    async with asyncio.timeout(10):
        while not probe():
            await asyncio.sleep(0.01)
    assert probe(), what


class Receiver:
    """Listens on a socket of TCP and keeps what comes; as HTTP it answers with `status`."""

    def __init__(self, *, http: bool = False) -> None:
        self.http, self.status = http, 200
        self.got = b""
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self._writers: list[asyncio.StreamWriter] = []

    async def open(self, port: int = 0) -> int:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        self._server.close()
        for writer in self._writers:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        while self.http:
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            except asyncio.IncompleteReadError:
                return
            headers = {name.lower(): value for name, _, value in (each.partition(": ") for each in head[1:-2])}
            self.requests.append((headers, await reader.readexactly(int(headers["content-length"]))))
            writer.write(f"HTTP/1.1 {self.status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode())
            await writer.drain()
            writer.close()
            return
        while part := await reader.read(65536):
            self.got += part

    def records(self) -> list[int]:
        """Numbers of the records in all requests."""
        bodies = [json.loads(body)["messages"] for _, body in self.requests]
        return [each["number"] for body in bodies for each in body]


class Lab:
    def __init__(self, directory: Path, **settings: float) -> None:
        self.store = MemoryStore()
        self.tables = [LogStreamsSettings.model_validate({"interval": 0.05, "retry": 0.1, **settings})]
        self.directory = directory
        self.context = self.daemon()
        self.running: list[tuple[Deliveries, asyncio.Task[None]]] = []

    def daemon(self, **ports: object) -> FakeContext:
        return FakeContext(self.directory, tables=self.tables, ports={"Store": self.store, **ports})

    def start(self, context: FakeContext | None = None) -> Deliveries:
        deliveries = (context or self.context).port(Deliveries)
        self.running.append((deliveries, asyncio.create_task(deliveries.run())))
        return deliveries

    async def end(self) -> None:
        for deliveries, task in self.running:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await deliveries.close()
        self.running.clear()

    async def record(self, *acts: str) -> None:
        actor = AuditActor("u1", "ada", "jwt")
        await self.context.port(AuditChain).record(*(AuditedAct(act, actor) for act in acts))

    async def add(self, stream: LogStream) -> LogStream:
        return await self.context.port(StreamBook).add(stream)


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    made = Lab(tmp_path)
    yield made
    await made.end()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    made = Receiver(http=True)
    yield made
    await made.close()


def stream(kind: str, address: str, **more: Any) -> LogStream:
    return replace(LogStream("s1", "S", "http", address, ("audit",)), kind=kind, **more)


def test_a_line_of_syslog_is_that_of_the_rfc() -> None:
    good, bad = (line(message, 13, "host") for message in MESSAGES)
    head, told = good.split(b" - workflow.update - ")
    assert head == b"<110>1 2026-01-01T00:00:00.123Z host jackfield"
    assert json.loads(told) == {
        "event": "workflow.update", "kind": "audit", "at": 1_767_225_600_123, "number": 1, "name": "Käse\n"
    }  # fmt: skip
    assert b"\n" not in good
    assert bad.startswith(b"<108>1 ")


async def test_syslog_over_tcp_counts_octets_and_connects_again(lab: Lab) -> None:
    receiver = Receiver()
    port = await receiver.open()
    sender = sender_of(lab.context, stream("syslog", f"tcp://127.0.0.1:{port}"), 5)
    await sender.send(MESSAGES)
    expected = b"".join(b"%d %s" % (len(each), each) for each in (line(m, 13, socket.gethostname()) for m in MESSAGES))
    await eventually(lambda: receiver.got == expected, "both frames")
    await receiver.close()
    with pytest.raises(SendFailed, match="connection failed"):
        await _until_it_fails(sender)
    again = Receiver()
    await again.open(port)
    await sender.send(MESSAGES[:1])
    await eventually(lambda: again.got.endswith(b"}"), "the frame on a new connection")
    await sender.close()
    await again.close()


async def _until_it_fails(sender: Sender) -> None:
    """The end of a connection comes a moment later."""
    async with asyncio.timeout(10):
        while True:
            await sender.send(MESSAGES)
            await asyncio.sleep(0.01)


async def test_syslog_over_udp_is_a_datagram_each(lab: Lab) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.settimeout(5)
        sender = sender_of(lab.context, stream("syslog", f"udp://127.0.0.1:{listening.getsockname()[1]}"), 5)
        await sender.send(MESSAGES)
        got = [await asyncio.to_thread(listening.recv, 65536) for _ in MESSAGES]
    assert [each.split(b" ")[6] for each in got] == [b"-", b"-"]
    assert [b"workflow.update" in got[0], b"user.login" in got[1]] == [True, True]


async def test_requests_are_signed(lab: Lab, receiver: Receiver) -> None:
    port = await receiver.open()
    address = f"http://127.0.0.1:{port}/in?x=1"
    sender = sender_of(lab.context, stream("http", address, secret="hush", headers={"Authorization": "Bearer t"}), 5)
    await sender.send(MESSAGES)
    (headers, body), *_ = receiver.requests
    time, _, given = headers["x-jackfield-signature"].partition(",v1=")
    expected = hmac.new(b"hush", f"{time[2:]}.".encode() + body, hashlib.sha256).hexdigest()
    assert given == expected
    assert headers["authorization"] == "Bearer t"
    assert [each["event"] for each in json.loads(body)["messages"]] == ["workflow.update", "user.login"]
    receiver.status = 503
    with pytest.raises(SendFailed, match="answered 503"):
        await sender.send(MESSAGES)


async def test_otlp_is_what_the_official_library_reads(lab: Lab, receiver: Receiver) -> None:
    logs = pytest.importorskip("opentelemetry.proto.collector.logs.v1.logs_service_pb2")
    port = await receiver.open()
    await sender_of(lab.context, stream("otlp", f"http://127.0.0.1:{port}"), 5).send(MESSAGES)
    (headers, body), *_ = receiver.requests
    assert headers["content-type"] == "application/x-protobuf"
    assert body == request(MESSAGES, lab.context.service.version)
    found = logs.ExportLogsServiceRequest.FromString(body).resource_logs[0]
    assert found.resource.attributes[0].value.string_value == "jackfield"
    first, second = found.scope_logs[0].log_records
    assert (first.time_unix_nano, first.severity_text, second.severity_text) == (
        1_767_225_600_123_000_000, "INFO", "WARN",
    )  # fmt: skip
    assert {each.key: each.value for each in first.attributes}["jackfield.number"].int_value == 1
    assert json.loads(first.body.string_value)["name"] == "Käse\n"


async def test_records_go_at_least_once_from_where_the_cursor_stands(lab: Lab, receiver: Receiver) -> None:
    port = await receiver.open()
    await lab.record("workflow.before")
    receiver.status = 500
    await lab.add(stream("http", f"http://127.0.0.1:{port}/"))
    deliveries = lab.start()
    await lab.record("workflow.a", "workflow.b")
    await eventually(lambda: deliveries.waiting("s1").failures > 1, "it tries again")
    assert "500" in deliveries.waiting("s1").error
    receiver.status = 200
    await eventually(lambda: deliveries.waiting("s1").sent == 2, "both came")
    assert receiver.records()[-2:] == [2, 3]
    await lab.end()  # whatever ends the daemon: the cursor is in the store
    await lab.record("workflow.c")
    second = lab.daemon()
    again = lab.start(second)
    await eventually(lambda: again.waiting("s1").sent == 1, "the next daemon goes on")
    assert receiver.records()[-1] == 4
    figures = {metric.name: metric.value for metric in metrics(second)}
    assert figures["log_stream_sent_total"] == 1


async def test_one_daemon_of_several_delivers(lab: Lab, receiver: Receiver) -> None:
    port = await receiver.open()
    await lab.add(stream("http", f"http://127.0.0.1:{port}/"))
    other = lab.daemon(Memos=lab.context.ports["Memos"])
    both = [lab.start(), lab.start(other)]
    await eventually(lambda: any(each.waiting("s1").holds for each in both), "one has it")
    for number in range(10):
        await lab.record(f"workflow.x{number}")
    await eventually(lambda: len(receiver.records()) >= 10, "all came")
    assert receiver.records() == [*range(1, 11)]
    assert sorted(each.waiting("s1").holds for each in both) == [False, True]


async def test_filters_choose_and_n8n_names_are_given(lab: Lab, receiver: Receiver) -> None:
    port = await receiver.open()
    filters = ("audit:workflow.", "audit:user.login")
    await lab.add(stream("http", f"http://127.0.0.1:{port}/", filters=filters, n8n_names=True))
    deliveries = lab.start()
    await lab.record("workflow.create", "tag.create", "user.login", "workflows.x")
    await eventually(lambda: deliveries.waiting("s1").sent == 2, "two came")
    events = [each["event"] for _, body in receiver.requests for each in json.loads(body)["messages"]]
    assert events == ["n8n.audit.workflow.created", "n8n.audit.user.login.success"]
    book = lab.context.port(StreamBook)
    async with asyncio.timeout(5):
        while await book.cursor("s1") < 4:
            await asyncio.sleep(0.01)


def test_events_of_executions_become_messages() -> None:
    data = {"id": "e", "workflowId": "w", "workflowName": "W", "mode": "webhook"}
    ended = Event("workflows", "execution.finished", 5, {**data, "status": "failed"})
    (message,) = of_event(ended, n8n=True)
    assert (message.event, message.kind, message.failed) == ("n8n.workflow.failed", "executions", True)
    nodes = Event("workflows", "execution.nodes", 5, {**data, "nodes": [{"node": "A", "error": "x"}, {"node": "B"}]})
    assert [(m.event, m.failed, m.body["node"]) for m in of_event(nodes, n8n=False)] == [
        ("node.finished", True, "A"), ("node.finished", False, "B"),
    ]  # fmt: skip
    assert not [*of_event(Event("workflows", "tags.changed", 5, {}), n8n=False)]
    assert wants(["nodes"], replace(message, kind="nodes"))
    assert not wants(["audit:workflow"], MESSAGES[0])


async def test_secrets_are_sealed_and_sealed_anew(lab: Lab) -> None:
    made = await lab.add(stream("http", "http://127.0.0.1/", secret="hush-hush", headers={"X-Key": "very-secret"}))
    (entry,) = await lab.store.entries(KIND, "", after=None, limit=9, newest_first=False)
    assert b"hush-hush" not in entry.data
    assert b"very-secret" not in entry.data
    assert await lab.context.port(StreamBook).one("s1") == made
    (values,) = sealed_values(lab.context)
    assert (await values.reseal()).lost == ()


@pytest.mark.parametrize(
    ("kind", "address"),
    [("syslog", "http://x"), ("syslog", "tcp://"), ("http", "udp://x:1"), ("http", "https://a:b@x/"), ("otlp", "x")],
)
def test_an_address_that_does_not_fit_is_refused(kind: str, address: str) -> None:
    with pytest.raises(ValidationError, match="address"):
        LogStreamBody.model_validate({"name": "x", "kind": kind, "address": address, "filters": ["audit"]})


async def test_a_damaged_record_stops_no_stream(lab: Lab, receiver: Receiver) -> None:
    port = await receiver.open()
    await lab.add(stream("http", f"http://127.0.0.1:{port}/"))
    await lab.record("workflow.a", "workflow.b")
    lab.store._audit[0] = replace(lab.store._audit[0], data=b"\xff{")
    deliveries = lab.start()
    await eventually(lambda: deliveries.waiting("s1").sent == 2, "both came")
    first, second = json.loads(receiver.requests[0][1])["messages"]
    assert (first["event"], first["number"], first["damaged"]) == ("workflow.a", 1, True)
    assert (second["event"], "damaged" in second) == ("workflow.b", False)


async def test_records_with_numbers_that_were_sent_before_go_too(lab: Lab, receiver: Receiver) -> None:
    port = await receiver.open()
    await lab.add(stream("http", f"http://127.0.0.1:{port}/"))
    await lab.context.port(StreamBook).move("s1", 500)  # and the chain was cut down to nothing since
    await lab.record("workflow.hidden")
    lab.start()
    await eventually(lambda: receiver.records() == [1], "the record came")


async def test_a_stream_that_no_key_opens_stops_no_other_and_can_be_deleted(lab: Lab, receiver: Receiver) -> None:
    port = await receiver.open()
    await lab.add(stream("http", f"http://127.0.0.1:{port}/"))
    broken = await lab.add(replace(stream("http", f"http://127.0.0.1:{port}/"), id="s2", secret="hush"))
    (entry,) = [e for e in await lab.store.entries(KIND, "", after=None, limit=9, newest_first=False) if e.id == "s2"]
    told = json.loads(entry.data) | {"sealed": "AAAA"}
    await lab.store.put_entry(replace(entry, data=json.dumps(told).encode(), revision=2), 1)
    deliveries = lab.start()
    await lab.record("workflow.a")
    await eventually(lambda: deliveries.waiting("s1").sent == 1, "the other one goes on")
    book = lab.context.port(StreamBook)
    assert ["No key" in each.problem for each in await book.all()] == [False, True]
    (values,) = sealed_values(lab.context)
    assert len((await values.reseal()).lost) == 1
    body = LogStreamBody(name="S", kind="http", address=broken.address, filters=["audit"])
    with pytest.raises(InvalidInput, match="anew"):
        _require_secrets(body, await book.one("s2"))
    assert await book.remove("s2")


@pytest.mark.parametrize(
    ("address", "given", "good"),
    [
        ("https://siem.example.org/other", None, True), ("https://siem.example.org:444/in", None, False),
        ("https://evil.example.org/in", None, False), ("https://evil.example.org/in", "", True),
        ("http://siem.example.org/in", None, False),
    ],
)  # fmt: skip
def test_secrets_stay_with_their_receiver(address: str, given: str | None, good: bool) -> None:
    present = stream("http", "https://siem.example.org/in", secret="hush")
    body = LogStreamBody(name="S", kind="http", address=address, filters=["audit"], secret=given)
    if good:
        _require_secrets(body, present)
    else:
        with pytest.raises(InvalidInput) as told:
            _require_secrets(body, present)
        assert set(told.value.details or {}) == {"secret"}


async def test_filters_name_our_events_whatever_they_are_called(lab: Lab, receiver: Receiver) -> None:
    port = await receiver.open()
    bus = lab.context.events = LossyEventBus(lab.context.clock)  # type: ignore[assignment]  # a real one
    filters = ("executions:execution.finished",)
    await lab.add(stream("http", f"http://127.0.0.1:{port}/", filters=filters, n8n_names=True))
    deliveries = lab.start()
    await eventually(lambda: bus.wanted("workflows"), "it listens")
    bus.publish("workflows", "execution.finished", {"id": "e", "status": "success"})
    await eventually(lambda: deliveries.waiting("s1").sent == 1, "it came")
    assert json.loads(receiver.requests[0][1])["messages"][0]["event"] == "n8n.workflow.success"


async def test_a_receiver_of_syslog_that_takes_nothing_keeps_no_connection(lab: Lab) -> None:
    ended = asyncio.Event()

    async def take_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await ended.wait()
        writer.close()

    server = await asyncio.start_server(take_nothing, "127.0.0.1", 0, limit=1024)
    sender = sender_of(lab.context, stream("syslog", f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}"), 0.3)
    assert isinstance(sender, SyslogSender)
    await sender.send(MESSAGES)
    assert sender._open is not None
    transport = sender._open[1].transport
    with pytest.raises(SendFailed, match="in time"):
        await sender.send([replace(MESSAGES[0], body={"text": "x" * 30_000_000})])
    await asyncio.sleep(0)
    assert (transport.is_closing(), transport.get_write_buffer_size()) == (True, 0)
    ended.set()
    server.close()
    with pytest.raises(SendFailed, match="host name"):
        await sender_of(lab.context, stream("syslog", f"tcp://{'a' * 70}:1"), 5).send(MESSAGES)


async def test_a_receiver_that_answers_byte_by_byte_is_given_up(lab: Lab) -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            writer.write(b"HTTP/1.1 200 OK\r\n")
            while not writer.is_closing():
                writer.write(b"X: y\r\n")
                await writer.drain()
                await asyncio.sleep(0.1)

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with asyncio.timeout(5):
        with pytest.raises(SendFailed, match="in time"):
            await sender_of(lab.context, stream("http", address), 0.4).send(MESSAGES)
    server.close()


async def test_pauses_are_as_long_as_the_setting_and_keep_the_lease(tmp_path: Path) -> None:
    lab = Lab(tmp_path, lease=3, retry=300)
    clock, renewed = FakeClock(), []
    context = FakeContext(tmp_path, clock=clock, tables=lab.tables, ports={"Store": lab.store})
    delivery = StreamDelivery(context, context.port(StreamBook), stream("http", "http://x/"), StreamFigures())
    waiting = asyncio.create_task(delivery._wait(20))
    for _ in range(30):
        await clock.advance(1)
        renewed.append(waiting.done())
    assert renewed.count(False) in (19, 20)
