"""The daemon as an MCP server: the official client calls the tools of a real daemon, over HTTP and over stdio."""

from __future__ import annotations

import asyncio
import io
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from jackfield.api.auth import SCOPES
from jackfield.api.daemon import DaemonClient
from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

pytest.importorskip("mcp")

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from jackfield_mcp.stdio.bridge import serve

LIMIT = 60
MODES = ("legacy", "auto")
"""The client of 2025-11-25, with its handshake, and of 2026-07-28, without."""
ACCEPT = {"Accept": "application/json, text/event-stream"}
SECRET = "credential-canary-0123456789"
SLOW = "await new Promise(done => setTimeout(done, 30000)); return []"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    settings = "[mcp]\nprogress = 0.05\nbody_limit = 65536\nresult_bytes = 20000\n"
    daemon = Daemon(tmp_path_factory.mktemp("mcp"), settings=settings)
    try:
        yield daemon.start()
    finally:
        daemon.close()


@asynccontextmanager
async def connected(daemon: Daemon, key: str = "", mode: str = "legacy") -> AsyncIterator[Client]:
    """key: empty: the daemon's own user, known by the process."""
    headers = {"X-API-Key": key} if key else {}
    async with asyncio.timeout(LIMIT), httpx2.AsyncClient(headers=headers, timeout=LIMIT, verify=False) as http:
        transport = streamable_http_client(f"{daemon.base_url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


def key_of(daemon: Daemon, *scopes: str) -> str:
    made = daemon.admin().post("/api-keys", json={"name": "mcp", "scopes": list(scopes)})
    return str(made.raise_for_status().json()["key"])


async def data(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content["data"]


async def failure(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    assert result.structured_content is not None
    return result.structured_content["data"]


def failing(name: str) -> dict[str, Any]:
    stop = node("Stop", "stopAndError", {"errorMessage": "={{ 'no ' + $('Set').item.json.x }}"}, version=1)
    return chain(name, node("Start", "manualTrigger", version=1), set_fields("Set", x="={{ $json.y }}"), stop)


@pytest.mark.parametrize("mode", MODES)
async def test_a_workflow_is_built_run_explained_and_mended(daemon: Daemon, mode: str) -> None:
    async with connected(daemon, mode=mode) as client:
        assert client.server_info is not None
        assert client.server_info.name == "jackfield"
        found = await data(client, "search_node_types", query="stop error")
        assert found["nodeTypes"][0]["type"] == "n8n-nodes-base.stopAndError"
        page = await data(client, "get_node_type", kind="stopAndError")
        assert "errorMessage" in page["page"]
        assert (await data(client, "validate_workflow", workflow=failing("x")))["valid"]
        made = await data(client, "create_workflow", workflow={**failing("built"), "active": True})
        assert made["active"] is False, "nothing goes live by being saved"
        ran = await data(client, "run_workflow", workflow_id=made["id"], input=[{"y": "way"}])
        assert ran["status"] == "failed"
        told = await data(client, "explain_failure", execution_id=ran["id"])
        assert told["error"] == {"message": "no way", "node": "Stop"}
        assert told["node"]["parameters"] == failing("x")["nodes"][2]["parameters"]
        assert told["input"][0]["items"][0]["json"] == {"x": "way"}
        assert told["expressions"]["parameters.errorMessage"]["gives"] == {"value": "no way"}
        mend = [{"op": "remove_node", "name": "Stop"}, {"op": "rename_node", "name": "Set", "to": "Fields"}]
        dry = await data(client, "change_workflow", workflow_id=made["id"], operations=mend, dry_run=True)
        assert not dry["saved"]
        assert dry["difference"]["removed"] == ["Stop"]
        assert (await data(client, "get_workflow", workflow_id=made["id"]))["version"] == 1
        saved = await data(client, "change_workflow", workflow_id=made["id"], operations=mend)
        assert saved["version"] == 2
        assert saved["difference"] == dry["difference"]
        late = await failure(client, "change_workflow", workflow_id=made["id"], operations=mend[:1], expected_version=2)
        assert "There is no node Stop" in late["error"]
        change = [{"op": "set_name", "name": "Other"}]
        stale = await failure(client, "change_workflow", workflow_id=made["id"], operations=change, expected_version=1)
        assert stale["more"]["status"] == 409
        again = await data(client, "run_workflow", workflow_id=made["id"], input=[{"json": {"y": 1}}])
        assert again["status"] == "success"
        assert again["data"][0]["json"] == {"x": "1"}
        compared = await data(client, "diff_workflow", workflow_id=made["id"], before=1)
        assert compared["renamed"] == [{"from": "Set", "to": "Fields"}]
        retried = await data(client, "retry_execution", execution_id=ran["id"])
        assert retried["retryOf"] == ran["id"]
        unsaved = await data(client, "run_workflow", workflow=failing("x"), input=[{"y": "2"}])
        assert unsaved["error"]["message"] == "no 2"


async def test_every_tool_needs_what_its_operations_need(daemon: Daemon) -> None:
    """A key with exactly the tool's scopes is refused for nothing that it asks."""
    given: dict[str, dict[str, Any]] = {
        "get_node_type": {"kind": "set"},
        "validate_workflow": {"workflow": failing("x")},
        "get_template": {"template_id": "form-approval"},
        "create_workflow": {"workflow": failing("scoped")},
        "run_workflow": {"workflow": failing("x"), "input": [{"y": 1}]},
        "set_variable": {"key": "SCOPED", "value": "1"},
        "delete_variable": {"key": "SCOPED"},
        "create_data_table": {"name": "scoped", "columns": [{"name": "a", "type": "string"}]},
    }
    absent = {
        "workflow_id": "01a22c07-1a06-7465-9898-8eff3de0a91a",
        "execution_id": "01a22c07-1a06-7465-9898-8eff3de0a91a",
        "webhook_id": "absent", "session_id": "absent", "query": "absent", "page": "absent",
        "profile": "absent", "table": "absent",
        "prompt": "x", "text": "x", "model": "m", "before": 1, "run": 0, "rows": [{"a": "x"}], "data": {"a": "y"},
        "filter": {"filters": [{"columnName": "a", "value": "x"}]}, "operations": [{"op": "set_name", "name": "x"}],
    }  # fmt: skip
    async with connected(daemon) as owner:
        tools = (await owner.list_tools()).tools
    from_catalogue = {tool.name: tool for tool in tools}
    seen = set()
    for scopes in _needed():
        async with connected(daemon, key_of(daemon, *scopes)) as client:
            for tool in (await client.list_tools()).tools:
                if tool.name in seen or set(scopes) != set(_scopes_of(tool.name) or scopes):
                    continue
                seen.add(tool.name)
                required = tool.input_schema.get("required", ())
                arguments = given.get(tool.name) or {name: absent[name] for name in required}
                result = await client.call_tool(tool.name, arguments)
                assert result.structured_content is not None
                told = result.structured_content["data"]
                code = (told.get("more") or {}).get("status") if isinstance(told, dict) else None
                assert code in (None, 404), (tool.name, told)
    assert seen == set(from_catalogue)


def _scopes_of(name: str) -> tuple[str, ...]:
    from jackfield_mcp.catalogue import TOOLS

    return next(tuple(tool.scopes) for tool in TOOLS if tool.name == name)


def _needed() -> list[tuple[str, ...]]:
    from jackfield_mcp.catalogue import TOOLS

    return sorted({tuple(tool.scopes) for tool in TOOLS if tool.scopes})


@pytest.mark.parametrize("scope", sorted(SCOPES))
async def test_a_key_sees_and_calls_the_tools_of_its_scopes_alone(daemon: Daemon, scope: str) -> None:
    async with connected(daemon) as owner:
        everything = [tool.name for tool in (await owner.list_tools()).tools]
    async with connected(daemon, key_of(daemon, scope)) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == [name for name in everything if set(_scopes_of(name)) <= {scope}]
        for name in set(everything) - set(listed):
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool(name, {})


async def test_a_key_that_is_revoked_ends_a_call_under_way(daemon: Daemon) -> None:
    api = daemon.admin()
    scopes = ["workflows:execute", "executions:read"]
    made = api.post("/api-keys", json={"name": "short", "scopes": scopes}).raise_for_status().json()
    code = node("Code", "code", {"jsCode": SLOW}, version=2)
    ident = api.post("/workflows", json=chain("revoked", node("Start", "manualTrigger", version=1), code)).json()["id"]

    def running() -> bool:
        return bool(api.get("/executions", params={"workflowId": ident, "status": "running"}).json()["total"])

    async with connected(daemon, made["key"]) as client:
        call = asyncio.create_task(failure(client, "run_workflow", workflow_id=ident))
        await asyncio.to_thread(poll, running, "the workflow runs")
        api.delete(f"/api-keys/{made['id']}").raise_for_status()
        assert "revoked" in (await asyncio.wait_for(call, 15))["error"]
    for row in api.get("/executions", params={"workflowId": ident}).json()["data"]:
        api.post(f"/executions/{row['id']}/cancel")


def test_who_is_not_known_is_refused_before_anything_is_read(daemon: Daemon) -> None:
    client = daemon.client()
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    for headers in ({"X-API-Key": "jf_sk_" + "x" * 43}, {"Authorization": "Bearer nothing"}, {"Via": "elsewhere"}):
        refused = client.post("/mcp", json=body, headers={**ACCEPT, **headers})
        assert refused.status_code == 401, headers
        assert refused.headers["www-authenticate"].startswith("Bearer")
    other = client.post("/mcp", json=body, headers={**ACCEPT, "Origin": "https://elsewhere.example"})
    assert other.status_code == 403
    named = client.post("/mcp", json=body, headers={**ACCEPT, "Host": "elsewhere.example"})
    assert named.status_code == 403
    assert client.post("/mcp", json=body, headers=ACCEPT).status_code == 200
    assert client.get("/mcp", headers=ACCEPT).status_code == 405
    assert client.delete("/mcp").status_code == 204
    assert client.post("/mcp", json={**body, "pad": "x" * 70_000}, headers=ACCEPT).status_code == 413
    assert daemon.client().post("/mcp/nowhere", json=body, headers=ACCEPT).status_code == 404


async def test_results_are_bounded_and_say_so(daemon: Daemon) -> None:
    async with connected(daemon) as client:
        run = await data(
            client, "run_workflow", workflow=chain("x", node("Start", "manualTrigger"), set_fields("S", t="y" * 15_000))
        )
        assert run["truncated"]
        items = await data(client, "get_execution_items", execution_id=run["value"]["id"], run=1)
        assert items["data"][0]["json"]["t"] == "y" * 15_000


async def test_a_call_that_is_cancelled_ends_its_execution_and_tells_how_far_it_is(daemon: Daemon) -> None:
    slow = chain("slow", node("Start", "manualTrigger", version=1), node("Code", "code", {"jsCode": SLOW}, version=2))
    api = daemon.admin()
    ident = api.post("/workflows", json=slow).raise_for_status().json()["id"]
    reports: list[float] = []

    async def noted(progress: float, total: float | None, message: str | None) -> None:
        reports.append(progress)

    def states() -> list[str]:
        return [row["status"] for row in api.get("/executions", params={"workflowId": ident}).json()["data"]]

    for mode in MODES:
        before = len(states())
        async with connected(daemon, mode=mode) as client:
            call = asyncio.create_task(
                client.call_tool("run_workflow", {"workflow_id": ident}, progress_callback=noted)
            )
            while len(states()) == before or not reports:
                await asyncio.sleep(0.02)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            deadline = time.monotonic() + 15
            while states()[0] != "cancelled":
                assert time.monotonic() < deadline, states()
                await asyncio.sleep(0.02)
        assert reports == sorted(reports)
        reports.clear()
        # The log is written on a thread.
        told = "MCP: owner called run_workflow" + f" workflow_id={ident}: cancelled."
        poll(lambda told=told: told in daemon.tail(100_000), "the log says that the call was cancelled")
        assert told.replace("cancelled", "failed") not in daemon.tail(100_000)
    async with connected(daemon) as client:
        going = await data(client, "run_workflow", workflow_id=ident, wait_seconds=0)
        assert going["note"].startswith("The execution goes on")
        await data(client, "cancel_execution", execution_id=going["id"])
        assert (await data(client, "get_execution", execution_id=going["id"]))["status"] == "cancelled"


async def test_a_hundred_clients_at_once(daemon: Daemon) -> None:
    async def one() -> int:
        async with connected(daemon) as client:
            return len(str(await data(client, "list_variables")))

    assert all(await asyncio.gather(*(one() for _ in range(100))))


async def test_every_call_is_in_the_log_without_its_arguments(daemon: Daemon) -> None:
    key = key_of(daemon, "workflows:read", "workflows:write")
    async with connected(daemon, key) as client:
        await data(client, "set_variable", key="LOGGED", value="value-canary-42")
        await failure(client, "get_workflow", workflow_id="audited")
        with pytest.raises(MCPError):
            await client.call_tool("run_profile", {"profile": "any\nline", "prompt": "x"})
    last = "MCP: admin called run_profile profile='any\\nline': refused."
    poll(lambda: last in daemon.tail(100_000), "the log has the last call")  # it is written on a thread
    told = daemon.tail(100_000)
    assert "MCP: admin called set_variable key=LOGGED: success." in told
    assert "MCP: admin called get_workflow workflow_id=audited: failed." in told
    assert "value-canary-42" not in told


async def test_resources_and_prompts(daemon: Daemon) -> None:
    api = daemon.admin()
    ident = api.post("/workflows", json=failing("resource")).raise_for_status().json()["id"]
    async with connected(daemon) as client:
        assert f"jackfield://workflows/{ident}" in {str(one.uri) for one in (await client.list_resources()).resources}
        read = (await client.read_resource(f"jackfield://workflows/{ident}")).contents[0]
        assert '"resource"' in read.text  # type: ignore[union-attr]
        page = (await client.read_resource("jackfield://node-types/set")).contents[0]
        assert "# Edit Fields" in page.text  # type: ignore[union-attr]
        [found, *_] = (await data(client, "search_docs", query="webhook authentication"))["sections"]
        section = (await client.read_resource(found["uri"])).contents[0]
        assert f"# {found['heading']}" in section.text  # type: ignore[union-attr]
        whole = await data(client, "read_docs", page="mcp")
        assert whole["text"].startswith("# The daemon over MCP")
        long = await data(client, "read_docs", page="plugins")
        assert {"section": "triggers", "heading": "Triggers"} in long["sections"]
        for uri in (
            "jackfield://docs/absent",
            "jackfield://docs/mcp/absent",
            "jackfield://credentials/x",
            "jackfield://workflows/../credentials",
            "file:///etc/passwd",
        ):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        assert len((await client.list_resource_templates()).resource_templates) == 4
        told = await client.get_prompt("explain", {"workflow_id": ident})
        assert ident in told.messages[0].content.text  # type: ignore[union-attr]
    async with connected(daemon, key_of(daemon, "webhooks:read")) as client:
        assert {str(one.uri).rpartition("/")[0] for one in (await client.list_resources()).resources} == {
            "jackfield://docs"
        }
        with pytest.raises(MCPError, match="lacks the scope"):
            await client.read_resource(f"jackfield://workflows/{ident}")
    read_line = f"called resources/read uri=jackfield://workflows/{ident}"
    for line in (f"MCP: owner {read_line}: success.", f"MCP: admin {read_line}: failed."):
        poll(lambda line=line: line in daemon.tail(100_000), line)


async def test_data_tables_variables_webhooks_and_credentials(daemon: Daemon) -> None:
    api = daemon.admin()
    body = {"name": "mine", "kind": "httpBearerAuth", "values": {"token": SECRET}}
    credential = api.post("/credentials", json=body).raise_for_status().json()["id"]
    live = daemon.live(
        chain("hooked", webhook("hooked", responseMode="lastNode"), set_fields("Set", said="={{ $json.body.a }}"))
    )
    async with connected(daemon) as client:
        listed = await data(client, "list_credentials")
        assert {"id": credential, "name": "mine", "kind": "httpBearerAuth"} in listed["credentials"]
        table = await data(client, "create_data_table", name="rows", columns=[{"name": "a", "type": "string"}])
        await data(client, "add_rows", table=table["id"], rows=[{"a": "x"}, {"a": "y"}])
        where = {"filters": [{"columnName": "a", "value": "x"}]}
        await data(client, "update_rows", table=table["id"], filter=where, data={"a": "z"})
        await data(client, "upsert_row", table=table["id"], filter=where, data={"a": "x"})
        await data(client, "delete_rows", table=table["id"], filter={"filters": [{"columnName": "a", "value": "y"}]})
        rows = await data(client, "read_rows", table=table["id"], sort_by="a", order="desc")
        assert [row["a"] for row in rows["data"]] == ["z", "x"]
        await data(client, "set_variable", key="K", value="1")
        await data(client, "set_variable", key="K", value="2")
        assert {row["key"]: row["value"] for row in (await data(client, "list_variables"))["data"]}["K"] == "2"
        await data(client, "delete_variable", key="K")
        hooks = (await data(client, "list_webhooks", workflow_id=live))["data"]
        assert hooks[0]["path"].strip("/") == "hooked"
        assert daemon.client().post("/webhook/hooked", json={"a": "b"}).json() == [{"said": "b"}]
        poll(lambda: api.get(f"/webhooks/{hooks[0]['id']}/history").json()["total"], "the call is kept")
        calls = await data(client, "list_webhook_calls", webhook_id=hooks[0]["id"])
        assert calls["data"][0]["status"] == "success"
        assert await data(client, "list_webhook_calls", webhook_id="/hooked") == calls
        assert (await data(client, "check_webhook_call", webhook_id=hooks[0]["id"], body={"a": "c"})) is not None
        tried = await data(client, "try_webhook_call", webhook_id=hooks[0]["id"], body={"a": "c"})
        assert "said" in json.dumps(tried), tried
        await data(client, "deactivate_workflow", workflow_id=live)
        assert daemon.client().post("/webhook/hooked", json={}).status_code in (404, 503)


@asynccontextmanager
async def over_stdio(daemon: Daemon, **env: str) -> AsyncIterator[Client]:
    program = str(Path(sys.executable).with_name("jackfield"))
    arguments = ["mcp", "--config-dir", str(daemon.config_dir)]
    given = StdioServerParameters(command=program, args=arguments, env={**env})
    async with asyncio.timeout(LIMIT), Client(stdio_client(given), mode="legacy") as client:
        yield client


async def test_an_agent_reaches_the_daemon_over_stdio(daemon: Daemon) -> None:
    reports: list[float] = []

    async def noted(progress: float, total: float | None, message: str | None) -> None:
        reports.append(progress)

    wait = chain(
        "w",
        node("Start", "manualTrigger", version=1),
        node("Code", "code", {"jsCode": SLOW.replace("30000", "400")}, version=2),
    )
    async with over_stdio(daemon) as client:
        assert len((await client.list_tools()).tools) > 40
        result = await client.call_tool("run_workflow", {"workflow": wait}, progress_callback=noted)
        assert result.structured_content is not None
        assert result.structured_content["data"]["status"] == "success"
        assert reports
    async with over_stdio(daemon, JACKFIELD_API_KEY=key_of(daemon, "webhooks:read")) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {
            "list_webhooks", "list_webhook_calls", "check_webhook_call", "search_docs", "read_docs",
        }  # fmt: skip


def test_a_line_that_cannot_be_read_does_not_end_stdio(daemon: Daemon) -> None:
    ping = json.dumps({"jsonrpc": "2.0", "id": "last", "method": "ping"}).encode()
    lines = [b"[" * 50_000, b"no JSON", b"\xff\xfe", b"", b"null", b"[]", ping]
    told = io.BytesIO()
    serve(DaemonClient(daemon.config_dir), io.BytesIO(b"\n".join(lines)), told)
    answers = [json.loads(line) for line in told.getvalue().splitlines()]
    assert {"jsonrpc": "2.0", "id": "last", "result": {}} in answers


async def test_stdio_without_a_daemon_says_so(tmp_path: Path) -> None:
    program = str(Path(sys.executable).with_name("jackfield"))
    (tmp_path / "config").mkdir()
    silent = b"The daemon at http://127.0.0.1:9 does not answer"
    for endpoint, reason in (
        ((), b"No daemon runs; start one with `jackfield serve`."),
        (("--endpoint", "http://127.0.0.1:9"), silent),
    ):
        process = await asyncio.create_subprocess_exec(
            program, "mcp", "--config-dir", str(tmp_path / "config"), *endpoint,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await process.communicate()
        assert process.returncode == 1
        assert out == b""
        assert reason in err


async def test_a_node_without_an_id_keeps_its_secrets_under_another_name(daemon: Daemon) -> None:
    headers = {"parameters": [{"name": "Authorization", "value": SECRET}]}
    request = node("H", "httpRequest", {"url": "http://192.0.2.1/", "sendHeaders": True, "headerParameters": headers})
    document = chain("masked", node("Start", "manualTrigger", version=1), request)
    for one in document["nodes"]:  # type: ignore[attr-defined]
        one.pop("id", None)
    rename = {"op": "rename_node", "name": "H", "to": "H2"}
    async with connected(daemon) as client:
        ident = (await data(client, "create_workflow", workflow=document))["id"]
        refused = await failure(client, "change_workflow", workflow_id=ident, operations=[rename])
        assert "update_node with changes.id" in refused["error"]
        give = {"op": "update_node", "name": "H", "changes": {"id": "h"}}
        await data(client, "change_workflow", workflow_id=ident, operations=[give])
        await data(client, "change_workflow", workflow_id=ident, operations=[rename])
        kept = (await data(client, "get_workflow", workflow_id=ident))["nodes"][1]
    assert (kept["name"], kept["parameters"]["headerParameters"]["parameters"][0]["value"]) == ("H2", "***")


async def test_one_key_leaves_calls_to_others(tmp_path: Path) -> None:
    few = Daemon(tmp_path, settings="[mcp]\ncalls = 4\n")
    try:
        api = few.start().admin()
        slow = chain(
            "slow", node("Start", "manualTrigger", version=1), node("Code", "code", {"jsCode": SLOW}, version=2)
        )
        ident = api.post("/workflows", json=slow).raise_for_status().json()["id"]

        def begun() -> bool:
            return bool(api.get("/executions", params={"workflowId": ident}).json()["total"] == 3)

        async with connected(few, key_of(few, *sorted(SCOPES))) as greedy, connected(few) as owner:
            calls = [asyncio.create_task(greedy.call_tool("run_workflow", {"workflow_id": ident})) for _ in range(3)]
            await asyncio.to_thread(poll, begun, "three calls are under way")
            assert "mcp.calls" in (await failure(greedy, "list_variables"))["error"]
            with pytest.raises(MCPError, match=r"mcp\.calls"):
                await greedy.read_resource("jackfield://node-types/set")
            assert (await data(owner, "list_variables"))["data"] == []
            for row in api.get("/executions", params={"workflowId": ident}).json()["data"]:
                await data(owner, "cancel_execution", execution_id=row["id"])
            assert [done.is_error for done in await asyncio.gather(*calls)] == [False] * 3
    finally:
        few.close()


def test_a_daemon_can_do_without(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, settings="[mcp]\nenabled = false\n")
    try:
        answer: httpx.Response = daemon.start().client().post("/mcp", json={}, headers=ACCEPT)
        assert answer.status_code == 404
        assert "mcp.enabled" in answer.text
    finally:
        daemon.close()
