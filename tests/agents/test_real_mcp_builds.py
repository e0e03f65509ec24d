"""Real agents build, run and mend workflows through the daemon's MCP server, with a model that is scripted."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from agents_lab import PROGRAMS, Lab
from mcp_scripts import calls, says
from model_server import Scripted

from jackfield.testing.daemon import poll
from jackfield.testing.documents import chain, if_equal, node, set_fields, webhook, wires, workflow

AGENTS = [("claude", "messages"), ("codex", "responses"), ("opencode", "messages")]
SCOPES = ["workflows:read", "workflows:write", "workflows:execute", "executions:read", "webhooks:read"]
ALLOWED = {
    "claude": ["--allowedTools", "mcp__jackfield"],
    "codex": ["-c", 'mcp_servers.jackfield.default_tools_approval_mode="approve"'],
    "opencode": [],
}
ENV = {"claude": {"ENABLE_TOOL_SEARCH": "false"}, "codex": {}, "opencode": {"OPENCODE_DISABLE_MODELS_FETCH": "1"}}
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>F</title><link>http://f</link><description>d</description>
<item><title>One</title><link>http://f/1</link><guid>1</guid></item>
<item><title>Two</title><link>http://f/2</link><guid>2</guid></item></channel></rss>"""


@pytest.fixture(scope="module")
def feed() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/rss+xml")
            self.end_headers()
            self.wfile.write(FEED.encode())

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/feed"
    server.shutdown()
    server.server_close()


def work(lab: Lab, agent: str, provider: str, name: str, script: Sequence[Scripted]) -> None:
    """One headless run of the agent, in which the model follows the script to its end."""
    if not (PROGRAMS / agent).exists():
        pytest.skip(f"npm has not installed {agent}")
    api = lab.daemon.admin()
    key = api.post("/api-keys", json={"name": name, "scopes": SCOPES}).raise_for_status().json()["key"]
    alias = f"{agent}-{name}"
    servers = {"jackfield": {"url": f"{lab.daemon.base_url}/mcp", "headers": {"X-API-Key": key}}}
    lab.profile(alias, agent, provider, mcp_servers=servers, env=ENV[agent])
    # Agents give a server some seconds, and the first request loads what the daemon needs for it.
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accept = {"Accept": "application/json, text/event-stream"}
    lab.daemon.client(timeout=60).post("/mcp", json=listing, headers=accept).raise_for_status()
    lab.models.replies = list(script)
    run = lab.run(alias, f"Work on {name}.", args=ALLOWED[agent])
    left, lab.models.replies = lab.models.replies, []
    assert run["exit_code"] == 0, run
    assert left == [], (run, lab.models.strange, json.dumps(lab.models.served[-1].body)[-3000:])
    assert key not in json.dumps(run)
    lab.models.leaving.clear()  # Codex looks for its maker's plugins, see test_real_mcp


def triage() -> dict[str, Any]:
    check = if_equal("Urgent", "={{ $json.body.priority }}", "high")
    edges = wires(("Webhook", "Urgent"), ("Urgent", "Page"), ("Urgent", "Queue", 1))
    nodes = [webhook("triage", responseMode="lastNode", responseData="firstEntryJson"), check]
    return workflow("Triage", [*nodes, set_fields("Page", to="pager"), set_fields("Queue", to="queue")], edges)


@pytest.mark.parametrize(("agent", "provider"), AGENTS)
def test_a_webhook_s_calls_are_triaged(lab: Lab, agent: str, provider: str) -> None:
    document = triage()
    document["nodes"][0]["parameters"]["path"] = f"triage-{agent}"
    script = [
        calls("search_node_types", {"query": "webhook"}),
        calls("get_node_type", {"kind": "if"}),
        calls("create_workflow", {"workflow": document}),
        calls("activate_workflow", lambda ids: {"workflow_id": ids[-1]}),
        says("It is live."),
    ]
    work(lab, agent, provider, "triage", script)
    client = lab.daemon.client()
    for priority, to in (("high", "pager"), ("low", "queue")):
        answer = client.post(f"/webhook/triage-{agent}", json={"priority": priority})
        assert answer.json() == {"to": to}, answer.text


@pytest.mark.parametrize(("agent", "provider"), AGENTS)
def test_a_feed_becomes_a_digest(lab: Lab, feed: str, agent: str, provider: str) -> None:
    name = f"Digest of {agent}"
    start = node("Every morning", "scheduleTrigger", {"rule": {"interval": [{"field": "days"}]}}, version=1.2)
    read = node("Read", "rssFeedRead", {"url": feed}, version=1.2)
    every = {"fieldsToAggregate": {"fieldToAggregate": [{"fieldToAggregate": "title"}]}}
    document = chain(name, start, read, node("Together", "aggregate", every, version=1))
    digest = {"name": "Digest", "type": "n8n-nodes-base.set", "typeVersion": 3.4}
    digest["parameters"] = set_fields("Digest", text="={{ $json.title.join(', ') }}")["parameters"]
    grow = [
        {"op": "add_node", "node": digest},
        {"op": "connect", "source": "Together", "target": "Digest"},
    ]
    script = [
        calls("search_node_types", {"query": "rss"}),
        calls("create_workflow", {"workflow": document}),
        calls("change_workflow", lambda ids: {"workflow_id": ids[-1], "operations": grow}),
        calls("run_workflow", lambda ids: {"workflow_id": ids[-1], "items": 5}),
        says("Here is the digest."),
    ]
    work(lab, agent, provider, "digest", script)
    api = lab.daemon.admin()
    made = next(row for row in api.get("/workflows", params={"search": name}).json()["data"] if row["name"] == name)
    ran = api.get("/executions", params={"workflowId": made["id"]}).json()["data"]
    assert [row["status"] for row in ran] == ["success"]
    told = json.dumps(lab.models.served[-1].body)
    assert "One, Two" in told, "the model has seen what the workflow gave"


@pytest.mark.parametrize(("agent", "provider"), AGENTS)
def test_a_failing_import_is_mended(lab: Lab, agent: str, provider: str) -> None:
    api = lab.daemon.admin()
    code = "return $input.all().map(item => ({ json: { total: item.json.price.toFixed(2) } }))"
    hook, total = webhook(f"import-{agent}", responseMode="lastNode"), node("Sum", "code", {"jsCode": code}, version=2)
    document = chain(f"Import of {agent}", hook, total)
    ident = api.post("/workflows/import", json=document).raise_for_status().json()["results"][0]["id"]
    given = {"inputData": [{"json": {"body": {"price": "7"}}}]}
    failed = api.post(f"/workflows/{ident}/execute", json=given).raise_for_status().json()
    assert failed["status"] == "failed"
    mended = code.replace("item.json.price", "Number(item.json.body.price)")
    operations = [{"op": "update_node", "name": "Sum", "changes": {"parameters": {"jsCode": mended}}}]
    change = {"workflow_id": ident, "operations": operations}
    script = [
        calls("explain_failure", {"execution_id": failed["id"]}),
        calls("change_workflow", {**change, "dry_run": True}),
        calls("change_workflow", change),
        calls("retry_execution", {"execution_id": failed["id"], "begin": "start"}),
        says("It is mended."),
    ]
    work(lab, agent, provider, "mended", script)
    newest = poll(lambda: api.get("/executions", params={"workflowId": ident}).json()["data"], "it ran")[0]
    assert (newest["status"], newest["retryOf"]) == ("success", failed["id"])
    assert "toFixed" in json.dumps(lab.models.served[1].body), "the model was told what failed"
