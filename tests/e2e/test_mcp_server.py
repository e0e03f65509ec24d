"""MCP Server Trigger: the official client, over Streamable HTTP and SSE, calls tools of a real daemon's workflows."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import httpx2
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields

from .worker_processes import WORKERS

pytest.importorskip("mcp")

from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

COMMAND = json.dumps([sys.executable, str(Path(__file__).parents[1] / "plugins/ai/mcp_servers.py")])
TOKEN = "a-token-of-the-clients"
LIMIT = 30
MODES = ("legacy", "auto")
"""The client of 2025-11-25, with its handshake, and of 2026-07-28, without."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    limits = "mcp_progress = 0.05\nmcp_sse_sessions = 2\nmcp_body_limit = 65536\n"
    settings = f"[ai]\n{limits}[ai.mcp_commands.ours]\ncommand = {COMMAND}\n"
    settings += "[nodes.http]\nallowed_networks = ['127.0.0.0/8']\n"
    daemon = Daemon(tmp_path_factory.mktemp("mcp"), settings=settings)
    try:
        yield daemon.start()
    finally:
        daemon.close()


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    """A server that tells its query."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"asked": self.path}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def serving(path: str, *tools: dict[str, Any], version: float = 2, **parameters: Any) -> dict[str, Any]:
    trigger = node("Our Server", "langchain.mcpTrigger", {"path": path, **parameters}, version=version)
    wires = {tool["name"]: {"ai_tool": [[{"node": trigger["name"], "type": "ai_tool", "index": 0}]]} for tool in tools}
    return {"name": path, "nodes": [trigger, *tools], "connections": wires}


def calculator() -> dict[str, Any]:
    return node("Calculator", "langchain.toolCalculator", {}, version=1)


def slow(seconds: float = 30) -> dict[str, Any]:
    """A tool that takes its time."""
    code = f"await new Promise(done => setTimeout(done, {seconds * 1000})); return 'done'"
    return node("slow", "langchain.toolCode", {"name": "slow", "description": "Slow.", "jsCode": code}, version=1.3)


def sub_workflow(daemon: Daemon) -> str:
    start = node("Start", "executeWorkflowTrigger", {"inputSource": "passthrough"}, version=1.1)
    made = daemon.admin().post(
        "/workflows", json=chain("greeting", start, set_fields("Say", said="=Hello {{ $json.who }}"))
    )
    return str(made.raise_for_status().json()["id"])


def greeting(workflow: str) -> dict[str, Any]:
    value = {"who": "={{ $fromAI('who', 'whom to greet', 'string') }}"}
    given = {
        "description": "Greets somebody.",
        "workflowId": {"__rl": True, "mode": "id", "value": workflow},
        "workflowInputs": {"mappingMode": "defineBelow", "value": value},
    }
    return node("greet", "langchain.toolWorkflow", given, version=2.2)


def lookup(address: str) -> dict[str, Any]:
    url = f"={address}/items/{{{{ $fromAI('item', 'which item', 'string') }}}}"
    given = {"toolDescription": "Looks an item up.", "url": url}
    return node("lookup", "httpRequestTool", given, version=4.2)


@asynccontextmanager
async def over_http(daemon: Daemon, path: str, mode: str, token: str = "") -> AsyncIterator[Client]:
    if token:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
            transport = streamable_http_client(f"{daemon.base_url}{path}", http_client=http)
            async with Client(transport, mode=mode) as client:
                yield client
        return
    async with Client(f"{daemon.base_url}{path}", mode=mode) as client:
        yield client


@asynccontextmanager
async def over_sse(daemon: Daemon, path: str, token: str = "") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"} if token else None
    async with Client(sse_client(f"{daemon.base_url}{path}", headers=headers), mode="legacy") as client:
        yield client


def text(result: Any) -> str:
    (part,) = result.content
    return str(part.text)


def executions(daemon: Daemon, workflow: str) -> list[dict[str, Any]]:
    found = daemon.admin().get("/executions", params={"workflowId": workflow})
    return list(found.raise_for_status().json()["data"])


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_lists_and_calls_tools_over_streamable_http(daemon: Daemon, shop: str, mode: str) -> None:
    path = f"all-{mode}"
    ident = daemon.live(
        serving(path, calculator(), lookup(shop), greeting(sub_workflow(daemon)), instructions="Ask for one at a time.")
    )
    async with asyncio.timeout(LIMIT), over_http(daemon, f"/mcp/{path}", mode) as client:
        assert client.instructions == "Ask for one at a time."
        assert client.server_info is not None
        assert client.server_info.name == "Our_Server"
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["calculator", "lookup", "greet"]
        assert tools["lookup"].description == "Looks an item up."
        wanted = {"type": "object", "properties": {"item": {"type": "string", "description": "which item"}}}
        assert tools["lookup"].input_schema == {**wanted, "required": ["item"]}
        assert executions(daemon, ident) == []
        assert text(await client.call_tool("calculator", {"input": "2 * (3 + 4)"})) == "14"
        assert json.loads(text(await client.call_tool("lookup", {"item": "a7"}))) == {"asked": "/items/a7"}
        assert json.loads(text(await client.call_tool("greet", {"who": "Ada"}))) == {"said": "Hello Ada"}
    rows = executions(daemon, ident)
    assert [(row["status"], row["mode"]) for row in rows] == [("success", "webhook")] * 3
    told = daemon.admin().get(f"/executions/{rows[-1]['id']}").raise_for_status().text
    assert "mcpToolCall" in told
    assert '"result":"14"' in told.replace(" ", "")


@pytest.mark.parametrize(("transport", "version"), [("httpStreamable", 2), ("sse", 1)])
def test_our_own_client_calls_tools_of_our_own_server(daemon: Daemon, transport: str, version: float) -> None:
    path = f"own-{transport}"
    daemon.live(serving(path, calculator(), version=version))
    address = f"{daemon.base_url}/mcp/{path}" + ("/sse" if version == 1 else "")
    given = {
        "serverTransport": transport,
        "endpointUrl": address,
        "tool": {"__rl": True, "mode": "list", "value": "calculator"},
        "inputMode": "json",
        "jsonInput": '={{ { input: "2 * " + $json.id } }}',
    }
    client = node("Client", "langchain.mcpClient", given, version=1.1)
    document = chain(f"client-{transport}", node("Go", "manualTrigger", {}, version=1), client)
    body = {"workflow": document, "inputData": [{"json": {"id": number}} for number in (1, 2, 3)]}
    run = daemon.admin().post("/workflows/run", json=body).raise_for_status().json()
    told = daemon.admin().get(f"/executions/{run['executionId']}").raise_for_status().json()
    assert told["status"] == "success", told.get("error")
    made = str(told["nodes"]["Client"])
    assert all(f"'content': [{{'type': 'text', 'text': {wanted}}}]" in made for wanted in (2, 4, 6)), made


def test_a_command_of_the_operator_is_a_server_too(daemon: Daemon) -> None:
    def told(command: str) -> Any:
        given = {"serverTransport": "stdio", "command": command, "tool": "add", "inputMode": "json"}
        client = node("C", "langchain.mcpClient", {**given, "jsonInput": {"a": 1}}, version=1.1)
        document = chain("stdio", node("Go", "manualTrigger", {}, version=1), client)
        run = daemon.admin().post("/workflows/run", json={"workflow": document}).raise_for_status().json()
        return daemon.admin().get(f"/executions/{run['executionId']}").raise_for_status().json()

    ours = told("ours")
    assert ours["status"] == "success", ours.get("error")
    assert "'structuredContent': {'result': 2" in str(ours["nodes"]["C"])
    assert "There is no command sh in ai.mcp_commands" in told("sh")["error"]["message"]


@pytest.mark.parametrize("version", [1, 2])
async def test_a_client_calls_tools_over_sse(daemon: Daemon, version: float) -> None:
    path = f"events-{version}"
    ident = daemon.live(serving(path, calculator(), version=version))
    address = f"/mcp/{path}/sse" if version < 2 else f"/mcp/{path}"
    async with asyncio.timeout(LIMIT), over_sse(daemon, address) as client:
        assert client.server_info is not None
        assert client.server_info.name == ("n8n-mcp-server" if version < 2 else "Our_Server")
        assert [tool.name for tool in (await client.list_tools()).tools] == ["calculator"]
        assert text(await client.call_tool("calculator", {"input": "6 * 7"})) == "42"
        daemon.admin().post(f"/workflows/{ident}/deactivate").raise_for_status()
        with pytest.raises((MCPError, httpx.HTTPError, TimeoutError)):
            async with asyncio.timeout(2):
                await client.call_tool("calculator", {"input": "6 * 7"})
    assert len(executions(daemon, ident)) == 1


async def test_what_a_tool_says_of_its_failure_is_a_tool_error(daemon: Daemon) -> None:
    ident = daemon.live(serving("fails", calculator()))
    async with asyncio.timeout(LIMIT), over_http(daemon, "/mcp/fails", "legacy") as client:
        failed = await client.call_tool("calculator", {"input": "one and one"})
        assert failed.is_error
        assert "is not arithmetic" in text(failed)
        unfit = await client.call_tool("calculator", {"inputs": 1})
        assert unfit.is_error
        assert "The arguments do not fit" in text(unfit)
        with pytest.raises(MCPError, match="Unknown tool: nothing"):
            await client.call_tool("nothing", {})
    assert [row["status"] for row in executions(daemon, ident)] == ["failed", "failed"]


async def test_only_who_has_the_token_is_served(daemon: Daemon) -> None:
    api = daemon.admin()
    body = {"name": "clients", "kind": "httpBearerAuth", "values": {"token": TOKEN}}
    credential = api.post("/credentials", json=body).raise_for_status().json()["id"]
    document = serving("closed", calculator(), authentication="bearerAuth")
    refused = api.post("/workflows", json=document).raise_for_status().json()["id"]
    answer = api.post(f"/workflows/{refused}/activate")
    assert answer.status_code == 400
    assert "bearerAuth needs a stored credential" in answer.text
    document["nodes"][0]["credentials"] = {"httpBearerAuth": {"id": credential, "name": "clients"}}
    ident = daemon.live({**document, "name": "open to some"})
    async with asyncio.timeout(LIMIT), over_http(daemon, "/mcp/closed", "legacy", TOKEN) as client:
        assert text(await client.call_tool("calculator", {"input": "1 + 1"})) == "2"
    async with asyncio.timeout(LIMIT), over_sse(daemon, "/mcp/closed", TOKEN) as client:
        assert text(await client.call_tool("calculator", {"input": "1 + 1"})) == "2"
    for header in ({}, {"Authorization": "Bearer another"}, {"Authorization": f"bearer {TOKEN}x"}):
        for method in ("GET", "POST", "DELETE"):
            denied = daemon.client().request(method, "/mcp/closed", headers=header)
            assert denied.status_code == 401
            assert denied.headers["www-authenticate"] == 'Bearer realm="mcp"'
    told = "".join(api.get(f"/executions/{row['id']}").text for row in executions(daemon, ident))
    assert TOKEN not in told + daemon.tail(100_000)


async def test_a_cancelled_call_ends_its_execution(daemon: Daemon) -> None:
    ident = daemon.live(serving("slow", slow()))
    reports: list[float] = []

    async def noted(progress: float, total: float | None, message: str | None) -> None:
        reports.append(progress)

    for mode in MODES:
        before = len(executions(daemon, ident))
        async with asyncio.timeout(LIMIT), over_http(daemon, "/mcp/slow", mode) as client:
            call = asyncio.create_task(client.call_tool("slow", {"query": "x"}, progress_callback=noted))
            while len(executions(daemon, ident)) == before or not reports:
                await asyncio.sleep(0.02)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            deadline = time.monotonic() + 10
            while executions(daemon, ident)[0]["status"] != "cancelled":
                assert time.monotonic() < deadline, executions(daemon, ident)[0]
                await asyncio.sleep(0.02)
        assert reports == sorted(reports)
        reports.clear()


async def test_a_client_over_sse_cancels_a_call(daemon: Daemon) -> None:
    ident = daemon.live(serving("slow-events", slow()))
    async with asyncio.timeout(LIMIT), over_sse(daemon, "/mcp/slow-events") as client:
        with pytest.raises(MCPError):
            await client.call_tool("slow", {"query": "x"}, read_timeout_seconds=1)
    poll(lambda: executions(daemon, ident)[0]["status"] == "cancelled", "the execution is cancelled")


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


ACCEPT = {"Accept": "application/json, text/event-stream"}


def test_what_is_not_live_is_not_served(daemon: Daemon) -> None:
    client = daemon.client()
    ident = daemon.live(serving("gone", calculator()))
    listing = message("tools/list")
    assert client.post("/mcp/gone", json=listing, headers=ACCEPT).status_code == 200
    daemon.admin().post(f"/workflows/{ident}/deactivate").raise_for_status()
    assert client.post("/mcp/gone", json=listing, headers=ACCEPT).json()["code"] == "WORKFLOW_INACTIVE"
    assert client.post("/mcp-test/gone", json=listing, headers=ACCEPT).status_code == 200
    assert client.post("/mcp/nowhere", json=listing, headers=ACCEPT).status_code == 404
    assert client.get("/mcp/nowhere/sse").status_code == 404


def test_requests_that_are_none_are_refused(daemon: Daemon) -> None:
    client = daemon.client()
    daemon.live(serving("strict", calculator()))
    assert client.put("/mcp/strict", json={}).status_code == 405
    assert (
        client.post("/mcp/strict", content=b"{", headers={**ACCEPT, "Content-Type": "application/json"}).status_code
        == 400
    )
    assert client.post("/mcp/strict", json=message("tools/list", pad="x" * 200_000), headers=ACCEPT).status_code == 413
    client = daemon.client()  # the daemon closes a connection whose body it has not read
    other = {**ACCEPT, "Origin": "https://elsewhere.example"}
    assert client.post("/mcp/strict", json=message("tools/list"), headers=other).status_code == 403
    own = {**ACCEPT, "Origin": daemon.base_url}
    assert client.post("/mcp/strict", json=message("tools/list"), headers=own).status_code == 200
    assert client.get("/mcp/strict", headers={"MCP-Session-Id": "x"}).status_code == 405
    assert client.post("/mcp/strict/messages?session_id=0", json={}).status_code == 404


def test_two_servers_do_not_share_an_address(daemon: Daemon) -> None:
    daemon.live(serving("taken", calculator()))
    api = daemon.admin()
    second = api.post("/workflows", json=serving("taken", calculator())).raise_for_status().json()["id"]
    assert api.post(f"/workflows/{second}/activate").status_code == 409
    expression = api.post("/workflows", json=serving("={{ 1 }}", calculator())).raise_for_status().json()["id"]
    told = api.post(f"/workflows/{expression}/activate")
    assert told.status_code == 400
    assert "An MCP server needs a path" in told.text


async def test_clients_over_sse_are_limited(daemon: Daemon) -> None:
    daemon.live(serving("few", calculator()))
    async with asyncio.timeout(LIMIT), over_sse(daemon, "/mcp/few"), over_sse(daemon, "/mcp/few"):
        refused = daemon.client().get("/mcp/few")
        assert refused.status_code == 503
        assert "ai.mcp_sse_sessions" in refused.text
    async with asyncio.timeout(LIMIT), over_sse(daemon, "/mcp/few") as client:
        assert text(await client.call_tool("calculator", {"input": "1"})) == "1"


async def test_a_saved_change_reaches_connected_clients(daemon: Daemon) -> None:
    ident = daemon.live(serving("changing", calculator()))
    api = daemon.admin()
    async with asyncio.timeout(LIMIT), over_sse(daemon, "/mcp/changing") as client:
        assert len((await client.list_tools()).tools) == 1
        think = node("think", "langchain.toolThink", {}, version=1.1)
        api.put(f"/workflows/{ident}", json=serving("changing", calculator(), think)).raise_for_status()
        assert len((await client.list_tools()).tools) == 2


async def test_any_worker_serves_a_client_over_streamable_http(tmp_path_factory: pytest.TempPathFactory) -> None:
    daemon = Daemon(tmp_path_factory.mktemp("workers"), arguments=list(WORKERS))
    try:
        daemon.start()
        ident = daemon.live(serving("shared", calculator()))
        for mode in MODES:
            async with asyncio.timeout(LIMIT), over_http(daemon, "/mcp/shared", mode) as client:
                for number in range(6):
                    assert text(await client.call_tool("calculator", {"input": f"{number} + 1"})) == str(number + 1)
        assert len(executions(daemon, ident)) == 12
    finally:
        daemon.close()


def test_a_call_survives_a_crash_and_is_retried_like_every_execution(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    try:
        ident = daemon.start().live(serving("crash", slow(3), calculator()))
        calling = Thread(target=_call, args=(daemon, "crash", "slow", {"query": "x"}))
        calling.start()
        poll(lambda: [row["status"] for row in executions(daemon, ident)] == ["running"], "the tool runs")
        daemon.kill()
        calling.join()
        daemon.start()
        poll(lambda: executions(daemon, ident)[0]["status"] == "success", "the call is resumed", timeout=30)
        (row,) = executions(daemon, ident)
        whole = daemon.admin().get(f"/executions/{row['id']}").raise_for_status().json()
        assert whole["data"][0]["json"] == {"tool": "slow", "result": "done"}
        assert '"isError":true' in _call(daemon, "crash", "calculator", {"input": "one"})
        failed = executions(daemon, ident)[0]
        retried = daemon.admin().post(f"/executions/{failed['id']}/retry").raise_for_status().json()["executionId"]
        again = poll(lambda: _ended(daemon, retried), "the call is made again")
        assert again["error"]["message"] == failed["error"]["message"]
    finally:
        daemon.close()


def _call(daemon: Daemon, path: str, tool: str, arguments: dict[str, str]) -> str:
    """The answer as it comes; empty when the daemon ends before."""
    try:
        body = message("tools/call", name=tool, arguments=arguments)
        return daemon.client().post(f"/mcp/{path}", json=body, headers=ACCEPT, timeout=LIMIT).text
    except httpx.HTTPError:
        return ""


def _ended(daemon: Daemon, ident: str) -> dict[str, Any] | None:
    found: dict[str, Any] = daemon.admin().get(f"/executions/{ident}").raise_for_status().json()
    return found if found.get("finishedAt") else None
