"""Answers in chunks of a real daemon, read as they come."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

N = "it is {{ $json.body.n }}"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    http = '[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n'
    settings = f"{http}[webhooks.stream]\nkeepalive = 0.2\nstall_timeout = 1\nbuffer_bytes = 4096\n"
    daemon = Daemon(tmp_path_factory.mktemp("streaming"), settings=settings)
    try:
        yield daemon.start()
    finally:
        daemon.close()


def respond(name: str, **parameters: Any) -> dict[str, Any]:
    return node(name, "respondToWebhook", parameters, version=1.5)


def lines(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in answer.iter_lines():
        yield json.loads(line)


def shape(chunk: dict[str, Any]) -> tuple[Any, ...]:
    told = chunk["metadata"]
    return chunk["type"], chunk.get("content"), told["nodeName"], told["itemIndex"], told["runIndex"]


def ended(daemon: Daemon, ident: str, count: int = 1) -> list[dict[str, Any]]:
    """The newest calls of a workflow's webhook, once none of them is pending."""
    api = daemon.admin()
    hooks = [row for row in api.get("/webhooks?limit=100").json()["data"] if row["workflowId"] == ident]

    def calls() -> list[dict[str, Any]]:
        return list(api.get(f"/webhooks/{hooks[0]['id']}/history").json()["data"])

    poll(lambda: len(calls()) >= count and all(c["responseStatus"] for c in calls()), "the calls have ended")
    return calls()


def test_chunks_come_while_nodes_run(daemon: Daemon) -> None:
    first = respond("First", respondWith="text", responseBody="=" + N)
    wait = node("Rest", "wait", {"amount": 0.7, "unit": "seconds"}, version=1.1)
    document = chain("S", webhook("live", responseMode="streaming"), first, wait, respond("Second"))
    ident = daemon.live(document, daemon.admin())
    with daemon.client().stream("POST", "/webhook/live", json={"n": 7}) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
        assert answer.headers["transfer-encoding"] == "chunked"
        assert "content-length" not in answer.headers
        found = lines(answer)
        begun = [next(found) for _ in range(3)]
        at = time.monotonic()
        assert [shape(chunk) for chunk in begun] == [
            ("begin", None, "First", 0, 0),
            ("item", "it is 7", "First", 0, 0),
            ("end", None, "First", 0, 0),
        ]
        assert begun[0]["metadata"]["nodeId"] == "first"
        rest = list(found)
        assert time.monotonic() - at > 0.5
    assert rest[0] == {"type": "keepalive"}
    told = [chunk for chunk in rest if chunk["type"] != "keepalive"]
    assert [shape(chunk)[0] for chunk in told] == ["begin", "item", "end"]
    assert json.loads(told[1]["content"])["body"] == {"n": 7}
    (call,) = ended(daemon, ident)
    assert (call["status"], call["responseStatus"]) == ("success", 200)
    assert '"content":"it is 7"' in call["responseBody"]
    run = daemon.admin().get(f"/executions/{call['executionId']}").json()
    assert run["status"] == "success"
    assert set(run["nodes"]) == {"Webhook", "First", "Rest", "Second"}


def test_all_items_are_chunks_and_an_item_that_is_no_text_is_json(daemon: Daemon) -> None:
    code = node("Two", "code", {"jsCode": "return [{json: {a: 'é'}}, {json: {b: [1]}}]"}, version=2)
    every = node("Every", "respondToWebhook", {"respondWith": "allIncomingItems"}, version=1.4)
    daemon.live(chain("A", webhook("every", responseMode="streaming"), code, every), daemon.admin())
    answer = daemon.client().post("/webhook/every", json={})
    chunks = [json.loads(line) for line in answer.text.splitlines()]
    found = [shape(chunk) for chunk in chunks if chunk["type"] != "keepalive"]  # a busy machine takes its time
    assert [(kind, content, item) for kind, content, _, item, _ in found] == [
        ("begin", None, 0), ("item", '{"a":"é"}', 0), ("end", None, 0),
        ("begin", None, 1), ("item", '{"b":[1]}', 1), ("end", None, 1),
    ]  # fmt: skip


def test_an_error_is_a_chunk_that_tells_no_more_than_other_modes(daemon: Daemon) -> None:
    stop = node("Stop", "stopAndError", {"errorMessage": "inner reason"})
    text = respond("Say", respondWith="text", responseBody="before")
    ident = daemon.live(chain("E", webhook("fails", responseMode="streaming"), text, stop), daemon.admin())
    answer = daemon.client().post("/webhook/fails", json={})
    assert answer.status_code == 200
    last = json.loads(answer.text.splitlines()[-1])
    assert shape(last)[0] == "error"
    assert (last["metadata"]["nodeName"], last["metadata"]["nodeId"]) == ("Stop", "stop")
    assert last["content"]
    assert "inner reason" not in answer.text
    (call,) = ended(daemon, ident)
    assert call["status"] == "failed"
    assert '"type":"error"' in call["responseBody"]


def raw_call(daemon: Daemon, path: str) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", daemon.port), timeout=20)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    made.sendall(
        f"POST /webhook/{path} HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nContent-Length: 0\r\n\r\n".encode()
    )
    return made


def test_a_caller_that_goes_away_does_not_end_the_run(daemon: Daemon) -> None:
    wait = node("Rest", "wait", {"amount": 0.5, "unit": "seconds"}, version=1.1)
    text = respond("Say", respondWith="text", responseBody="before")
    last = respond("Late", respondWith="text", responseBody="after")
    ident = daemon.live(chain("G", webhook("gone", responseMode="streaming"), text, wait, last), daemon.admin())
    caller = raw_call(daemon, "gone")
    assert caller.recv(64)
    caller.close()
    (call,) = ended(daemon, ident)
    assert call["status"] == "success"
    assert '"content":"after"' in call["responseBody"]


def test_a_caller_that_reads_nothing_is_left_and_the_run_ends(daemon: Daemon) -> None:
    script = "return Array.from({length: 400}, () => ({json: {a: 'x'.repeat(60000)}}))"
    code = node("Many", "code", {"jsCode": script}, version=2)
    every = node("Every", "respondToWebhook", {"respondWith": "allIncomingItems"}, version=1.4)
    ident = daemon.live(chain("L", webhook("slow", responseMode="streaming"), code, every), daemon.admin())
    caller = raw_call(daemon, "slow")
    (call,) = ended(daemon, ident)
    assert call["status"] == "success"
    assert call["responseTruncated"]
    got = b""
    while part := caller.recv(65536):
        got += part
    assert not got.endswith(b"0\r\n\r\n")
    caller.close()


def test_a_slow_caller_gets_everything(daemon: Daemon) -> None:
    script = "return Array.from({length: 60}, (_, i) => ({json: {i, a: 'x'.repeat(60000)}}))"
    code = node("Many", "code", {"jsCode": script}, version=2)
    every = node("Every", "respondToWebhook", {"respondWith": "allIncomingItems"}, version=1.4)
    daemon.live(chain("W", webhook("whole", responseMode="streaming"), code, every), daemon.admin())
    caller = raw_call(daemon, "whole")
    assert caller.recv(16)
    time.sleep(0.5)  # less than stall_timeout: a caller that has something else to do
    got = b""
    while not got.endswith(b"0\r\n\r\n"):
        part = caller.recv(65536)
        assert part
        got += part
    caller.close()
    for index in range(60):
        assert b'\\"i\\":%d,' % index in got


def test_a_repeat_gets_the_first_answer(daemon: Daemon) -> None:
    text = respond("Say", respondWith="text", responseBody="={{ $execution.id }}")
    ident = daemon.live(chain("R", webhook("again", responseMode="streaming"), text), daemon.admin())
    options: dict[str, Any] = {"json": {}, "headers": {"Idempotency-Key": "one"}}
    first = daemon.client().post("/webhook/again", **options)
    assert '"type":"item"' in first.text
    assert daemon.client().post("/webhook/again", **options).text == first.text
    assert len(ended(daemon, ident)) == 1


@pytest.mark.parametrize("last", [
    set_fields("End", a=1),
    node("End", "respondToWebhook", {}, version=1.4),
    node("End", "respondToWebhook", {"options": {"enableStreaming": False}}, version=1.5),
    node("End", "langchain.agent", {}, version=2),
])  # fmt: skip
def test_without_a_node_that_can_stream_it_does_not_go_live(daemon: Daemon, last: dict[str, Any]) -> None:
    api = daemon.admin()
    ident = api.post("/workflows", json=chain("N", webhook("none", responseMode="streaming"), last)).json()["id"]
    refused = api.post(f"/workflows/{ident}/activate")
    assert refused.status_code == 400
    assert "enableStreaming" in refused.json()["details"]["nodes[0].parameters.responseMode"]


class Provider(ThreadingHTTPServer):
    """A model that says `Hel`, and `lo` once the test lets it."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.asked: list[dict[str, Any]] = []
        super().__init__(("127.0.0.1", 0), Speaking)


class Speaking(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self._says({"role": "assistant", "content": "Hel"})
        assert self.server.go_on.wait(20)
        self._says({"content": "lo"})
        self._says({}, finish_reason="stop")
        self.wfile.write(b"data: [DONE]\n\n")

    def _says(self, delta: dict[str, Any], **more: Any) -> None:
        chunk = {"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": None, **more}]}
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.go_on.set()
        server.shutdown()
        thread.join()
        server.server_close()


def test_an_agent_says_what_its_model_says_as_it_comes(daemon: Daemon, provider: Provider) -> None:
    api = daemon.admin()
    values = {"apiKey": "key-of-this-test", "url": f"http://127.0.0.1:{provider.server_port}/v1"}
    made = api.post("/credentials", json={"name": "m", "kind": "openAiApi", "values": values}).json()
    agent = node("Agent", "langchain.agent", {"promptType": "define", "text": "={{ $json.body.q }}"}, version=3)
    model = node("Model", "langchain.lmChatOpenAi", {}, version=1.2)
    model["credentials"] = {"openAiApi": {"id": made["id"], "name": "m"}}
    document = chain("AI", webhook("agent", responseMode="streaming"), agent)
    serves: Any = {"Model": {"ai_languageModel": [[{"node": "Agent", "type": "ai_languageModel", "index": 0}]]}}
    wires: Any = document["connections"]
    nodes: Any = document["nodes"]
    ident = daemon.live({**document, "nodes": [*nodes, model], "connections": {**wires, **serves}}, api)
    with daemon.client().stream("POST", "/webhook/agent", json={"q": "hi"}) as answer:
        found = (chunk for chunk in lines(answer) if chunk["type"] != "keepalive")
        assert [shape(next(found)) for _ in range(2)] == [
            ("begin", None, "Agent", 0, 0),
            ("item", "Hel", "Agent", 0, 0),
        ]
        provider.go_on.set()
        assert [shape(chunk) for chunk in found] == [("item", "lo", "Agent", 0, 0), ("end", None, "Agent", 0, 0)]
    assert provider.asked[0]["stream"] is True
    (call,) = ended(daemon, ident)
    assert '"content":"Hello"' in call["responseBody"]
    assert api.get(f"/executions/{call['executionId']}").json()["data"][0]["json"] == {"output": "Hello"}
