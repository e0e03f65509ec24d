"""One daemon whose executions are traced: what comes in, what goes out, and what the collector gets."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any

import pytest
from otel_lab import Collector, values

from jackfield.testing.daemon import Daemon, poll

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = {"traceparent": f"00-{TRACE}-{SPAN}-01", "tracestate": "congo=1", "baggage": "user=7"}

TELLER = '#!/bin/sh\n[ "$1" = --version ] && exec echo "teller 1.0.0"\necho "$TRACEPARENT $TRACESTATE"\n'
MANIFEST = """
id = "teller"
name = "Teller"
binary = "teller"
[detect]
commands = ["teller --version"]
[headless]
args = ["{prompt}"]
output = "text"
"""
"""An agent that says what trace it is given."""


class Downstream:
    """Keeps the headers of what it is asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        down = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                down.asked.append({name.lower(): value for name, value in self.headers.items()})
                self.send_response(404 if "missing" in self.path else 200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.server.shutdown()


@pytest.fixture(scope="module")
def downstream() -> Iterator[Downstream]:
    made = Downstream()
    yield made
    made.server.shutdown()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, collector: Collector) -> Iterator[Daemon]:
    settings = (
        f'[profiles]\nkey_store = "file"\n[telemetry]\notlp_endpoint = "{collector.url}"\n'
        '[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n'
        "[executions]\nwait_in_memory = 0\n"
    )
    root = tmp_path_factory.mktemp("traced")
    program = root / "bin" / "teller"
    program.parent.mkdir()
    program.write_text(TELLER)
    program.chmod(0o755)
    env = {"NO_PROXY": "*", "no_proxy": "*", "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    made = Daemon(root, settings=settings, env=env)
    (made.config_dir / "agents.d").mkdir()
    (made.config_dir / "agents.d/teller.toml").write_text(MANIFEST)
    made.start()
    yield made
    made.close()


def node(name: str, kind: str, parameters: dict[str, object], version: float = 1) -> dict[str, object]:
    return {
        "id": name,
        "name": name,
        "type": kind,
        "typeVersion": version,
        "position": [0, 0],
        "parameters": parameters,
    }


def workflow(name: str, *nodes: dict[str, object]) -> dict[str, object]:
    wires = {
        str(one["name"]): {"main": [[{"node": other["name"], "type": "main", "index": 0}]]}
        for one, other in pairwise(nodes)
    }
    return {"name": name, "nodes": list(nodes), "connections": wires}


def hook(path: str) -> dict[str, object]:
    return node("Hook", "webhook", {"path": path, "httpMethod": "GET", "responseMode": "lastNode"})


def spans_of(collector: Collector, trace_id: str, count: int) -> dict[str, Any]:
    """By name and node or method; Any: of the generated modules."""

    def found() -> list[Any]:
        return [span for span in collector.spans if span.trace_id.hex() == trace_id]

    poll(lambda: len(found()) >= count, f"{count} spans arrive")
    assert len(found()) == count
    return {f"{span.name} {values(span).get('n8n.node.name', '')}".strip(): span for span in found()}


def test_a_trace_goes_through_a_call_its_nodes_and_what_they_ask(
    daemon: Daemon, collector: Collector, downstream: Downstream
) -> None:
    child = daemon.live(
        workflow(
            "Child",
            node("Begin", "executeWorkflowTrigger", {}),
            node("Ask", "httpRequest", {"url": f"{downstream.url}/a/secret-path?key=secret-query"}, 4.2),
        )
    )
    daemon.live(workflow("Traced", hook("traced"), node("Run", "executeWorkflow", {"workflowId": child})))
    downstream.asked.clear()
    assert daemon.client().get("/webhook/traced", headers=PARENT).status_code == 200
    found = spans_of(collector, TRACE, 5)
    outer = next(one for one in collector.spans if one.trace_id.hex() == TRACE and one.parent_span_id.hex() == SPAN)
    run, ask, get = found["node.execute Run"], found["node.execute Ask"], found["GET"]
    inner = next(one for one in collector.spans if one.name == "workflow.execute" and one.parent_span_id == run.span_id)
    assert run.parent_span_id == outer.span_id
    assert ask.parent_span_id == inner.span_id
    assert get.parent_span_id == ask.span_id
    assert (outer.kind, inner.kind, get.kind) == (2, 1, 3)
    assert {one.trace_state for one in found.values()} == {"congo=1"}
    (asked,) = downstream.asked
    assert asked["traceparent"] == f"00-{TRACE}-{get.span_id.hex()}-01"
    assert asked["tracestate"] == "congo=1"
    assert "baggage" not in asked
    assert values(outer)["n8n.workflow.name"] == "Traced"
    assert values(outer)["n8n.execution.status"] == "success"
    assert values(ask)["n8n.node.type"] == "httpRequest"
    assert (values(run)["n8n.node.items.input"], values(run)["n8n.node.items.output"]) == (1, 1)
    assert values(get)["http.response.status_code"] == 200
    assert values(get)["server.address"] == "127.0.0.1"
    assert outer.start_time_unix_nano <= run.start_time_unix_nano <= get.start_time_unix_nano
    assert get.end_time_unix_nano <= ask.end_time_unix_nano <= run.end_time_unix_nano
    assert b"secret" not in b"".join(one.SerializeToString() for one in found.values())


def test_a_failure_tells_its_kind_and_nothing_of_the_data(
    daemon: Daemon, collector: Collector, downstream: Downstream
) -> None:
    trace = "1" * 32
    daemon.live(
        workflow("Failing", hook("failing"), node("Ask", "httpRequest", {"url": f"{downstream.url}/missing"}, 4.2))
    )
    answer = daemon.client().get("/webhook/failing?x=secret", headers={"traceparent": f"00-{trace}-{SPAN}-01"})
    assert answer.status_code == 500
    found = spans_of(collector, trace, 3)
    assert [found[name].status.code for name in ("workflow.execute", "node.execute Ask", "GET")] == [2, 2, 2]
    assert values(found["GET"])["error.type"] == "404"
    assert values(found["node.execute Ask"])["error.type"] == "NodeError"
    assert {one.status.message for one in found.values()} == {""}
    assert b"secret" not in b"".join(one.SerializeToString() for one in found.values())


def test_what_the_caller_does_not_sample_is_passed_on_and_not_recorded(
    daemon: Daemon, collector: Collector, downstream: Downstream
) -> None:
    daemon.live(workflow("Quiet", hook("quiet"), node("Ask", "httpRequest", {"url": downstream.url}, 4.2)))
    downstream.asked.clear()
    trace = "2" * 32
    client = daemon.client()
    assert client.get("/webhook/quiet", headers={"traceparent": f"00-{trace}-{SPAN}-00"}).status_code == 200
    assert client.get("/webhook/quiet", headers={"traceparent": "damaged"}).status_code == 200
    first, second = (one["traceparent"].split("-") for one in downstream.asked)
    assert (first[1], first[3]) == (trace, "00")
    assert (second[1] != trace, second[3]) == (True, "01")
    spans_of(collector, second[1], 3)
    assert all(span.trace_id.hex() != trace for span in collector.spans)


def test_runs_of_the_api_forms_and_chats_belong_to_their_caller_s_trace(daemon: Daemon, collector: Collector) -> None:
    form = node("Form", "formTrigger", {"path": "traced-form", "formTitle": "F", "formFields": {"values": []}}, 2.2)
    daemon.live(workflow("Asked", form, node("Rest", "noOp", {})))
    chat = node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", {"public": True, "mode": "webhook"}, 1.3)
    daemon.live(workflow("Talk", {**chat, "webhookId": "traced-chat"}, node("Rest", "noOp", {})))
    by_hand = workflow("By hand", node("Begin", "manualTrigger", {}), node("Rest", "noOp", {}))
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "4": ("/api/v1/workflows/run", {"json": {"workflow": by_hand}}),
        "5": ("/form/traced-form", {"files": {"field": (None, "x")}, "follow_redirects": False}),
        "6": ("/chat/traced-chat", {"json": {"chatInput": "hello"}}),
    }
    for digit, (path, body) in calls.items():
        headers = {"traceparent": f"00-{digit * 32}-{SPAN}-01"}
        answer = daemon.admin().post(f"{daemon.base_url}{path}", headers=headers, **body)
        assert answer.status_code < 400, answer.text
        assert spans_of(collector, digit * 32, 2)["workflow.execute"].parent_span_id.hex() == SPAN


def test_an_agent_finds_the_span_of_its_run_in_its_environment(daemon: Daemon, collector: Collector) -> None:
    trace = "9" * 32
    work = daemon.config_dir.parent / "work"
    work.mkdir()
    profile = {"agent_id": "teller", "alias": "one", "provider_id": "self", "model": "m", "working_dir": str(work)}
    assert daemon.client().post("/api/profiles", json=profile).status_code == 200
    agent = node("Agent", "jackfield.agent", {"profile": "one", "prompt": "Tell", "outputFormat": "text"})
    daemon.live(workflow("Telling", hook("telling"), agent))
    headers = {"traceparent": f"00-{trace}-{SPAN}-01", "tracestate": "congo=1"}
    answer = daemon.client(timeout=60).get("/webhook/telling", headers=headers)
    assert answer.status_code == 200, answer.text
    found = spans_of(collector, trace, 3)
    run = found["invoke_agent one"]
    assert run.parent_span_id == found["node.execute Agent"].span_id
    assert f"00-{trace}-{run.span_id.hex()}-01 congo=1" in answer.text


def test_headers_that_are_hostile_harm_no_call(daemon: Daemon, collector: Collector) -> None:
    daemon.live(workflow("Hostile", hook("hostile"), node("Rest", "noOp", {})))
    trace = "7" * 32
    twice = [("traceparent", f"00-{trace}-{SPAN}-01")] * 2
    long = [("traceparent", f"00-{trace}-{SPAN}-01"), ("tracestate", ",".join(f"k{n}=1" for n in range(700)))]
    parted = [("traceparent", f"00-{'8' * 32}-{SPAN}-01"), ("tracestate", "a=1"), ("tracestate", "b=2")]
    for headers in (twice, long, parted):
        assert daemon.client().get("/webhook/hostile", headers=headers).status_code == 200
    assert spans_of(collector, trace, 2)["workflow.execute"].trace_state == ""
    assert spans_of(collector, "8" * 32, 2)["workflow.execute"].trace_state == "a=1,b=2"


def test_a_wait_over_a_restart_keeps_its_trace(daemon: Daemon, collector: Collector, downstream: Downstream) -> None:
    trace = "3" * 32
    receiving = node("Hook", "webhook", {"path": "waiting", "httpMethod": "GET", "responseMode": "onReceived"})
    header = {"parameters": [{"name": "x-resume", "value": "={{ $execution.resumeUrl }}"}]}
    tell = node("Tell", "httpRequest", {"url": downstream.url, "sendHeaders": True, "headerParameters": header}, 4.2)
    waits = node("Pause", "wait", {"resume": "webhook"}, 1.1)
    ask = node("Ask", "httpRequest", {"url": downstream.url}, 4.2)
    daemon.live(workflow("Waiting", receiving, tell, waits, ask))
    downstream.asked.clear()
    answer = daemon.client().get("/webhook/waiting", headers={"traceparent": f"00-{trace}-{SPAN}-01"})
    execution = answer.json()["executionId"]

    def status() -> str:
        return str(daemon.admin().get(f"/executions/{execution}").json()["status"])

    poll(lambda: status() == "waiting", "it waits")
    assert daemon.stop() == 0
    daemon.start()
    path = downstream.asked[0]["x-resume"].partition("/webhook-waiting/")[2]
    assert daemon.client().get(f"/webhook-waiting/{path}").status_code == 200
    poll(lambda: status() == "success", "it ends")
    found = spans_of(collector, trace, 6)
    own = found["workflow.execute"]
    assert own.parent_span_id.hex() == SPAN
    assert {found[f"node.execute {name}"].parent_span_id for name in ("Tell", "Pause", "Ask")} == {own.span_id}
    requests = {one.parent_span_id: one for one in collector.spans if one.trace_id.hex() == trace and one.name == "GET"}
    later = requests[found["node.execute Ask"].span_id]
    assert downstream.asked[1]["traceparent"] == f"00-{trace}-{later.span_id.hex()}-01"
