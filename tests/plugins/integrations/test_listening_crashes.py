"""kill -9 between storage and acknowledgement, and while nobody listens: mails and messages are neither lost nor, where
the protocol can tell, started twice."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Mapping
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import httpx
import pytest
from integration_fakes import Bench

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node

SETTINGS = """
[integrations]
allowed_hosts = ["127.0.0.1", "localhost"]

[triggers]
backoff = 0.2
backoff_most = 0.5
"""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    found = Daemon(tmp_path, settings=SETTINGS)
    try:
        yield found.start()
    finally:
        found.close()


def live(
    daemon: Daemon, kind: str, version: float, parameters: Mapping[str, Any], credential: Mapping[str, Any]
) -> str:
    api = daemon.admin()
    made = api.post("/credentials", json=credential).raise_for_status().json()
    start: Any = node("Start", kind, dict(parameters), version=version)
    start["credentials"] = {credential["kind"]: {"id": made["id"], "name": credential["name"]}}
    return daemon.live(chain("Listens", start, node("End", "noOp", version=1)), api)


def started(api: httpx.Client, workflow: str, of: Callable[[dict[str, Any]], str]) -> list[str]:
    query: dict[str, Any] = {"workflowId": workflow, "status": "success", "limit": 100}
    rows = api.get("/executions", params=query).raise_for_status().json()["data"]
    found: list[str] = []
    for row in rows:
        found += [of(item["json"]) for item in api.get(f"/executions/{row['id']}").json()["data"]]
    return found


def killed_now_and_then(daemon: Daemon, send: Callable[[int], None]) -> int:
    """Sends while the daemon lives and while it does not; how many."""
    chance = random.Random(5)
    number = 0
    for _ in range(2):
        for _ in range(3):
            send(number)
            number += 1
        time.sleep(chance.random() * 0.2)  # somewhere between arrival and acknowledgement
        daemon.kill()
        send(number)
        number += 1
        daemon.start()
    return number


def test_mails_start_a_workflow_once(daemon: Daemon, imap: Mapping[str, str]) -> None:
    client = pytest.importorskip("imapclient").IMAPClient("127.0.0.1", int(imap["port"]), ssl=False)
    client.login("crash", imap["password"])
    data = {"host": "127.0.0.1", "port": imap["port"], "user": "crash", "password": imap["password"], "secure": "false"}
    credential = {"name": "Mail", "kind": "imap", "values": data}
    workflow = live(daemon, "emailReadImap", 2.1, {"format": "simple", "options": {}}, credential)

    def send(number: int) -> None:
        mail = EmailMessage()
        mail["Subject"] = str(number)
        mail.set_content("x\n")
        client.append("INBOX", mail.as_bytes().replace(b"\n", b"\r\n"))

    count = killed_now_and_then(daemon, send)
    api = daemon.admin()

    def subjects() -> list[str]:
        return started(api, workflow, lambda item: str(item["subject"]))

    poll(lambda: len(subjects()) >= count, "all mails", timeout=40)
    assert sorted(map(int, subjects())) == list(range(count))
    client.select_folder("INBOX", readonly=True)
    poll(lambda: not client.search("UNSEEN"), "all are read")
    client.logout()


def test_messages_of_a_queue_are_not_lost(daemon: Daemon, rabbitmq: Mapping[str, str]) -> None:
    """One may start the workflow twice after a crash; the broker marks it as sent again."""
    aio_pika = pytest.importorskip("aio_pika")
    credential = {"name": "Rabbit", "kind": "rabbitmq", "values": dict(rabbitmq)}
    parameters = {"queue": "crash", "options": {"assertQueue": True}}
    workflow = live(daemon, "rabbitmqTrigger", 1, parameters, credential)

    async def sent(number: int) -> None:
        url = f"amqp://guest:guest@127.0.0.1:{rabbitmq['port']}/"
        async with await aio_pika.connect(url) as connection:
            channel = await connection.channel()
            await channel.default_exchange.publish(aio_pika.Message(str(number).encode()), "crash")

    count = killed_now_and_then(daemon, lambda number: asyncio.run(sent(number)))
    api = daemon.admin()

    def numbers() -> set[int]:
        return set(map(int, started(api, workflow, lambda item: str(item["content"]))))

    poll(lambda: numbers() == set(range(count)), "all messages", timeout=40)


def test_messages_of_a_topic_start_a_workflow_once(daemon: Daemon, kafka: Mapping[str, str], tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    credential = {"name": "Kafka", "kind": "kafka", "values": {"brokers": kafka["brokers"], "ssl": "false"}}
    options = {"fromBeginning": True, "sessionTimeout": 1500, "heartbeatInterval": 300, "batchSize": 2}
    given = {"topic": "crash", "groupId": "crash", "resolveOffset": "immediately", "options": options}

    def send(number: int) -> None:
        more = {"topic": "crash", "sendInputData": False, "message": str(number)}
        asyncio.run(bench.json("kafka", 1, more, credentials={"kafka": kafka}))

    send(0)
    workflow = live(daemon, "kafkaTrigger", 1.3, given, credential)
    count = killed_now_and_then(daemon, lambda number: send(number + 1)) + 1
    api = daemon.admin()

    def numbers() -> list[int]:
        return sorted(map(int, started(api, workflow, lambda item: str(item["message"]))))

    poll(lambda: len(numbers()) >= count, "all messages", timeout=40)
    assert numbers() == list(range(count))
