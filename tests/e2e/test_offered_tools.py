"""Workflows that are offered as tools, to agents of profiles."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields

pytest.importorskip("mcp")
pytest.importorskip("rhai")

from mcp.shared.exceptions import MCPError

from .profile_probes import Probes, connected, names
from .test_mcp_injection import CREDENTIAL, ENVIRONMENT, HOSTILE, PROFILE, obey

LOOP = """
import json, os, urllib.request
asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": json.loads(os.environ["CALL"])}
headers = {"Authorization": "Bearer " + os.environ["JACKFIELD_TOOLS_TOKEN"], "Content-Type": "application/json",
           "Accept": "application/json, text/event-stream"}
request = urllib.request.Request(os.environ["ADDRESS"] + "/mcp", json.dumps(asked).encode(), headers)
print(urllib.request.urlopen(request, timeout=30).read().decode())
"""
SLOW = "await new Promise(done => setTimeout(done, 30000)); return []"


@pytest.fixture(scope="module")
def probes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Probes]:
    directory = tmp_path_factory.mktemp("offers")
    settings = "[mcp]\noffered_timeout = 20\noffered_depth = 2\nprogress = 0.05\n"
    daemon = Daemon(directory, settings=settings, env={"HOME": str(directory)})
    try:
        yield Probes(daemon)
    finally:
        daemon.close()


def called(**inputs: str) -> dict[str, Any]:
    """An Execute Workflow Trigger with these fields; without any it takes whatever comes."""
    if not inputs:
        return node("Call", "executeWorkflowTrigger", {"inputSource": "passthrough"}, version=1.1)
    values = [{"name": name, "type": kind} for name, kind in inputs.items()]
    return node("Call", "executeWorkflowTrigger", {"workflowInputs": {"values": values}}, version=1.1)


def offered(name: str, *nodes: dict[str, Any], **offer: Any) -> dict[str, Any]:
    document = chain(f"Offers {name}", *nodes)
    document["settings"] = {"offerAsTool": {"enabled": True, "name": name, **offer}}
    return document


def live(probes: Probes, document: dict[str, Any]) -> str:
    return str(probes.daemon.live(document))


@pytest.fixture(scope="module")
def total(probes: Probes) -> str:
    """A tool `total`, and the profile `worker` whose agent runs. The token of that run."""
    sum_up = set_fields("Sum", sum="={{ $json.price * $json.count }}", note="={{ $json.note ?? 'none' }}")
    document = offered(
        "total", called(price="number", count="number", note="string"), sum_up, description="Multiplies."
    )
    live(probes, document)
    probes.profile("worker")
    probes.start("worker")
    return probes.token("worker")


async def test_a_profile_gets_the_tool_and_its_call_is_an_execution(probes: Probes, total: str) -> None:
    async with connected(probes.daemon, total) as client:
        (tool,) = [one for one in (await client.list_tools()).tools if one.name == "total"]
        assert tool.description == "Multiplies."
        assert tool.input_schema["properties"]["price"] == {"type": "number"}
        result = await client.call_tool("total", {"price": 3, "count": 4})
    assert not result.is_error, result.content
    assert result.structured_content is not None
    assert (result.structured_content["data"]["sum"], result.structured_content["data"]["note"]) == ("12", "none")
    runs = probes.daemon.admin().get("/executions", params={"status": "success"}).json()["data"]
    assert any(run["mode"] == "trigger" for run in runs)
    assert "owner (profile worker) called total: success" in probes.daemon.tail(200)


@pytest.mark.parametrize(
    ("arguments", "told"), [({"price": "3"}, "price must be a number"), ({"prize": 1}, "prize must not be there")]
)
async def test_arguments_are_checked_before_anything_runs(
    probes: Probes, total: str, arguments: dict[str, Any], told: str
) -> None:
    async with connected(probes.daemon, total) as client:
        result = await client.call_tool("total", arguments)
    assert result.is_error
    assert told in json.dumps(result.structured_content)


async def test_a_written_schema_counts_and_a_failure_is_told_as_data(probes: Probes, total: str) -> None:
    schema = {"type": "object", "properties": {"who": {"enum": ["ann"]}}, "required": ["who"]}
    stop = node("Stop", "stopAndError", {"errorMessage": HOSTILE}, version=1)
    live(probes, offered("greet", node("By hand", "manualTrigger"), stop, inputSchema=schema))
    async with connected(probes.daemon, total) as client:
        (tool,) = [one for one in (await client.list_tools()).tools if one.name == "greet"]
        assert tool.input_schema == schema
        refused = await client.call_tool("greet", {})
        failed = await client.call_tool("greet", {"who": "ann"})
    assert "who is missing" in json.dumps(refused.structured_content)
    assert failed.is_error
    (part,) = failed.content
    text = str(getattr(part, "text", ""))
    assert text.count("</jackfield-data>") == 1
    assert "list_credentials" in text


async def test_leaving_cancels_the_execution(probes: Probes, total: str) -> None:
    ident = live(probes, offered("slow", called(), node("Wait", "code", {"jsCode": SLOW}, version=2)))
    api = probes.daemon.admin()
    async with connected(probes.daemon, total) as client:
        call = asyncio.ensure_future(client.call_tool("slow", {}))
        running = {"workflowId": ident, "status": "running"}
        await asyncio.to_thread(poll, lambda: api.get("/executions", params=running).json()["data"], "it runs")
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        over = {"workflowId": ident, "status": "cancelled"}
        await asyncio.to_thread(poll, lambda: api.get("/executions", params=over).json()["data"], "it was cancelled")


async def test_a_profile_leaves_tools_out_by_name_or_all(probes: Probes, total: str) -> None:
    live(probes, offered("second", called()))
    probes.profile("picky", daemon_tools={"without": ["total"]})
    probes.profile("alone", daemon_tools={"offered": False})
    probes.start("picky")
    probes.start("alone")
    async with connected(probes.daemon, probes.token("picky")) as client:
        found = await names(client)
        assert "second" in found
        assert "total" not in found
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("total", {"price": 1, "count": 1})
    assert probes.token("alone") == ""


async def test_a_workflow_that_is_taken_off_is_offered_no_more(probes: Probes, total: str) -> None:
    ident = live(probes, offered("brief", called()))
    async with connected(probes.daemon, total) as client:
        assert "brief" in await names(client)
        probes.daemon.admin().post(f"/workflows/{ident}/deactivate").raise_for_status()
        assert "brief" not in await names(client)
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("brief", {})


@pytest.mark.parametrize("tool", ["endless", "run_workflow"])
async def test_a_workflow_whose_agent_calls_it_comes_to_an_end(probes: Probes, total: str, tool: str) -> None:
    """By the tool that it is, and by the daemon's own."""
    (probes.daemon.directory / "loop.py").write_text(LOOP)
    name, alias = f"endless_{tool}", f"looper-{tool}"
    program = f"exec {sys.executable} {probes.daemon.directory / 'loop.py'}"
    agent = node("Agent", "agent", {"profile": alias, "args": ["-c", program]})
    ident = live(probes, offered(name, called(), agent))
    own = tool == "run_workflow"
    call = {"name": tool, "arguments": {"workflow_id": ident}} if own else {"name": name, "arguments": {}}
    env = {"ADDRESS": probes.daemon.base_url, "CALL": json.dumps(call)}
    probes.profile(alias, env=env, daemon_tools={"tools": ["run_workflow", "run_profile"] if own else []})
    async with connected(probes.daemon, total) as client:
        result = await client.call_tool(name, {})
    assert "mcp.offered_depth" in json.dumps(result.structured_content)
    runs = probes.daemon.admin().get("/executions", params={"workflowId": ident}).json()["data"]
    assert len(runs) == 3
    assert not [one for one in probes.tokens() if one["profile"] == alias]


async def test_a_call_whose_token_has_ended_tells_nothing(probes: Probes) -> None:
    """Neither a result nor a failure."""
    wait = "await new Promise(done => setTimeout(done, 2500)); "
    texts = {"late": wait + "return [{json: {late: 'late-canary'}}]", "fails": wait + "throw new Error('late-canary')"}
    idents = {name: live(probes, offered(name, called(), node("Code", "code", {"jsCode": text}, version=2)))
              for name, text in texts.items()}  # fmt: skip
    probes.profile("leaver")
    await asyncio.to_thread(probes.start, "leaver")
    api = probes.daemon.admin()
    async with connected(probes.daemon, probes.token("leaver")) as client:
        calls = [asyncio.ensure_future(client.call_tool(name, {})) for name in idents]
        for ident in idents.values():
            asked = partial(api.get, "/executions", params={"workflowId": ident, "status": "running"})
            await asyncio.to_thread(poll, lambda asked=asked: asked().json()["data"], "it runs")
        (row,) = [one for one in probes.tokens() if one["profile"] == "leaver"]
        api.delete(f"/mcp/profile-tokens/{row['id']}").raise_for_status()
        for result in await asyncio.gather(*calls):
            assert result.is_error
            assert "late-canary" not in json.dumps(result.structured_content)


def test_names_are_unique_and_none_of_the_daemons_own(probes: Probes, total: str) -> None:
    api = probes.daemon.admin()
    for name, status, told in (("Total", 409, "total"), ("run_workflow", 400, "choose another name")):
        made = api.post("/workflows", json=offered(name, called())).raise_for_status().json()
        answer = api.post(f"/workflows/{made['id']}/activate")
        assert answer.status_code == status, answer.text
        assert told in answer.text.lower()


@pytest.mark.parametrize(
    ("offer", "member"),
    [
        ({"name": "no spaces"}, "name"),
        ({"inputSchema": {"type": "string"}}, "inputSchema"),
        ({"inputSchema": {"type": "object", "properties": {"two words": {}}}}, "inputSchema"),
        ({"enabled": "yes"}, "enabled"),
        ({"nmae": "x"}, "nmae"),
    ],
)
def test_a_wrong_offer_is_refused_with_its_field(probes: Probes, offer: dict[str, Any], member: str) -> None:
    document = chain("Wrong", called())
    document["settings"] = {"offerAsTool": offer}
    answer = probes.daemon.admin().post("/workflows", json=document)
    assert answer.status_code == 400
    assert f"settings.offerAsTool.{member}" in answer.json()["details"]


def test_n8ns_switch_offers_a_workflow_under_its_name(probes: Probes) -> None:
    document = chain("Weekly report!", called())
    document["settings"] = {"availableInMCP": True}
    ident = live(probes, document)
    rows = probes.daemon.admin().get("/mcp/offered-tools").raise_for_status().json()["data"]
    (row,) = [one for one in rows if one["workflowId"] == ident]
    assert row["name"].startswith("weekly_report_")
    assert row["startNode"] == "Call"


async def test_who_obeys_a_tools_result_reaches_no_more_than_its_run(probes: Probes, total: str) -> None:
    """No tool of the daemon, none of another profile, no credential, no other path."""
    api = probes.daemon.admin()
    credential = {"name": "hidden", "kind": "httpBearerAuth", "values": {"token": CREDENTIAL}}
    api.post("/credentials", json=credential).raise_for_status()
    probes.profile("other", env={"API_TOKEN": ENVIRONMENT, "KEY": PROFILE}, daemon_tools={"tools": ["list_profiles"]})
    live(probes, offered("inbox", called(), set_fields("Mail", text=HOSTILE), description=HOSTILE))
    done: set[str] = set()
    async with connected(probes.daemon, total) as client:
        assert "list_profiles" not in await names(client)
        result = await client.call_tool("inbox", {})
        (part,) = result.content
        text = str(getattr(part, "text", ""))
        assert text.count("</jackfield-data>") == 1
        brought = await obey(client, json.dumps(result.structured_content, ensure_ascii=False), done)
    assert {"list_credentials", "run_profile", "activate_workflow", "read_terminal_screen"} <= done
    assert brought
    assert all("Unknown tool" in one for one in brought), brought
    assert not [one for one in brought if CREDENTIAL in one or PROFILE in one or ENVIRONMENT in one]
    for path in ("/api/v1/credentials", "/api/profiles/other/env", "/api/v1/executions", "/mcp/other"):
        assert probes.ask(path, total).status_code in (401, 404), path


def test_an_offer_needs_the_right_to_speak_to_agents(probes: Probes) -> None:
    api = probes.daemon.admin()
    scopes = ["workflows:read", "workflows:write"]
    key = api.post("/api-keys", json={"name": "writer", "scopes": scopes}).raise_for_status().json()["key"]
    document = offered("poison", called(), description=HOSTILE)
    kept = api.post("/workflows", json=offered("kept", called())).raise_for_status().json()
    same = {name: kept[name] for name in ("name", "nodes", "connections", "settings")}
    moved = {**same, "nodes": [{**same["nodes"][0], "position": [9, 9]}]}
    asking = {**same, "nodes": [{**same["nodes"][0], "parameters": called(**{HOSTILE[:60]: "string"})["parameters"]}]}
    n8n = {**chain("From n8n", called()), "settings": {"availableInMCP": True}}
    with httpx.Client(base_url=f"{probes.daemon.base_url}/api/v1", headers={"X-API-Key": key}, timeout=60) as writer:
        refused = writer.post("/workflows", json=document)
        assert (refused.status_code, refused.json()["details"]["scope"]) == (403, "agents:write")
        plain = writer.post("/workflows", json={**document, "settings": {}}).raise_for_status().json()["id"]
        assert writer.patch(f"/workflows/{plain}", json={"settings": document["settings"]}).status_code == 403
        assert writer.put(f"/workflows/{kept['id']}", json=moved).is_success
        assert writer.put(f"/workflows/{kept['id']}", json=asking).status_code == 403
        assert writer.post(f"/workflows/{kept['id']}/activate").status_code == 403
        imported = writer.post("/workflows", json=n8n).raise_for_status().json()["id"]
        assert writer.post(f"/workflows/{imported}/activate").status_code == 403


def jackfield(probes: Probes, *arguments: str) -> str:
    """What the command prints."""
    program = str(Path(sys.executable).with_name("jackfield"))
    command = [program, *arguments, "--config-dir", str(probes.daemon.config_dir)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_command_line_offers_and_takes_back(probes: Probes, tmp_path: Path) -> None:
    ident = live(probes, chain("Counted", called()))
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"type": "object", "properties": {"n": {"type": "integer"}}}))
    texts = ("--name", "counted", "--description", "Counts.")
    assert "is offered as a tool." in jackfield(probes, "mcp", "offer", ident, *texts, "--schema", str(schema))
    listed = json.loads(jackfield(probes, "mcp", "offered", "--json"))
    (row,) = [one for one in listed if one["workflowId"] == ident]
    assert (row["name"], row["description"]) == ("counted", "Counts.")
    assert row["inputSchema"]["properties"] == {"n": {"type": "integer"}}
    jackfield(probes, "mcp", "offer", ident, "--off")
    assert ident not in jackfield(probes, "mcp", "offered", "--json")
