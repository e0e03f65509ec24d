"""A chat that streams: real chunks of a real daemon, read as they come, in the form of n8n's."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node

MESSAGE = {"sessionId": "s", "chatInput": "hello"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path_factory.mktemp("chats"), settings="[ai]\nchat_keepalive = 0.2\nchat_stream_bytes = 1024\n")
    try:
        yield daemon.start()
    finally:
        daemon.close()


def chat(path: str, *more: dict[str, Any], **options: Any) -> dict[str, Any]:
    given = {"public": True, "options": {"responseMode": "streaming", **options}}
    trigger = {**node("Chat", "langchain.chatTrigger", given, version=1.3), "webhookId": path}
    return chain(path, trigger, *more)


def say(name: str, text: str) -> dict[str, Any]:
    return node(name, "respondToWebhook", {"respondWith": "text", "responseBody": text}, version=1.5)


def pause(seconds: float) -> dict[str, Any]:
    return node("Pause", "wait", {"amount": seconds, "unit": "seconds"}, version=1.1)


def chunks(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in answer.iter_lines():
        yield json.loads(line)


def test_chunks_come_while_nodes_run(daemon: Daemon) -> None:
    document = chat("live", say("First", "={{ $json.chatInput }}!"), pause(0.7), say("Second", "done"))
    daemon.live(document)
    with daemon.client().stream("POST", "/chat/live", json=MESSAGE) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
        assert "content-length" not in answer.headers
        found = chunks(answer)
        begun = [next(found) for _ in range(3)]
        at = time.monotonic()
        assert [each["type"] for each in begun] == ["begin", "item", "end"]
        assert begun[1]["content"] == "hello!"
        assert [*begun[1]] == ["type", "content", "metadata"]
        assert [*begun[1]["metadata"]] == ["nodeId", "nodeName", "itemIndex", "runIndex", "timestamp"]
        rest = list(found)
        assert time.monotonic() - at > 0.5
    assert rest[0] == {"type": "keepalive"}
    told = [each for each in rest if each["type"] != "keepalive"]
    assert [each.get("content") for each in told] == [None, "done", None]
    assert daemon.client().post("/chat-test/live", json=MESSAGE).text.count('"item"') == 2
    assert 'data-streams="1"' in daemon.client().get("/chat/live").text


def test_an_error_is_the_last_chunk_and_says_no_more_than_other_modes(daemon: Daemon) -> None:
    stop = node("Stop", "stopAndError", {"errorMessage": "inner reason"})
    daemon.live(chat("fails", say("First", "before"), stop))
    answer = daemon.client().post("/chat/fails", json=MESSAGE)
    last = json.loads(answer.text.splitlines()[-1])
    assert (answer.status_code, last["type"], last["metadata"]["nodeName"]) == (200, "error", "Stop")
    assert "inner reason" not in answer.text


def test_who_leaves_ends_the_answer_and_not_the_run(daemon: Daemon) -> None:
    big = node(
        "Big", "code", {"jsCode": "return [...Array(50).keys()].map(n => ({json: {n, text: 'x'.repeat(9000)}}))"}
    )
    every = node("Every", "respondToWebhook", {"respondWith": "allIncomingItems"}, version=1.4)
    ident = daemon.live(chat("left", say("First", "before"), pause(0.3), big, every))
    with daemon.client().stream("POST", "/chat/left", json=MESSAGE) as answer:
        next(answer.iter_lines())
    api = daemon.admin()

    def ended() -> bool:
        (row,) = api.get("/executions", params={"workflowId": ident}).json()["data"]
        return bool(row["status"] == "success")

    poll(ended, "the run goes on")
    whole = daemon.client().post("/chat/left", json=MESSAGE)
    assert [json.loads(line)["type"] for line in whole.text.splitlines()].count("item") == 51


def test_messages_that_are_none_are_refused_before_a_stream_begins(daemon: Daemon) -> None:
    daemon.live(chat("strict", say("First", "x"), allowedOrigins="https://page.example"))
    client = daemon.client()
    assert client.post("/chat/strict", json={"chatInput": 1}).status_code == 400
    assert client.post("/chat/strict", content=b"x").status_code == 415
    answer = client.post("/chat/strict", json=MESSAGE, headers={"Origin": "https://page.example"})
    assert answer.headers["access-control-allow-origin"] == "https://page.example"


def test_a_chat_whose_nodes_send_nothing_does_not_go_live(daemon: Daemon) -> None:
    api = daemon.admin()
    made = api.post("/workflows", json=chat("silent", node("Nothing", "noOp", {}, version=1))).raise_for_status().json()
    refused = api.post(f"/workflows/{made['id']}/activate")
    assert refused.status_code == 400
    assert "No node behind this one can stream" in refused.text
    assert "responseMode" in refused.text
