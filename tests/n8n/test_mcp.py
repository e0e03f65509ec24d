"""MCP Client beside n8n's own node, with the same real servers: `@modelcontextprotocol/server-everything` from npm, and
one that the SDK for Python makes.

JACKFIELD_TEST_N8N_MCP names a directory in which `npm pack @n8n/n8n-nodes-langchain` was unpacked and the packages
that `PACKAGES` names are installed (`npm install --ignore-scripts --legacy-peer-deps`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from ai_lab import LabContext
from mcp_servers import served

from jackfield.api.http_client import Authorization
from jackfield.api.nodes import NodeError
from jackfield.api.nodes.lists import ListQuestion
from jackfield.testing.context import FakeContext
from jackfield.testing.daemon import poll
from jackfield.testing.node_runs import FakeNodeRun
from jackfield_ai.mcp_client.node import McpClientNode
from jackfield_ai.mcp_client.tool import tool_name_of
from jackfield_ai.settings import AiSettings
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings

from .installing import node as node_program

PLACE = Path(os.environ.get("JACKFIELD_TEST_N8N_MCP", "/nowhere"))
pytestmark = pytest.mark.skipif(not (PLACE / "package").is_dir(), reason="JACKFIELD_TEST_N8N_MCP names no packages")
PACKAGES = (
    "@langchain/classic @langchain/core@1.2.8 @modelcontextprotocol/sdk@1.26.0 @modelcontextprotocol/server-everything "
    "@n8n/ai-utilities@0.33.1 @n8n/json-schema-to-zod @n8n/utils@1.48.0 generate-schema lodash n8n-core@2.40.3 "
    "n8n-workflow@2.40.1 zod@3.25.76"
)
"""What the MCP nodes of @n8n/n8n-nodes-langchain@2.40.2 need."""
EVERYTHING = PLACE / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("echo", {"message": "hello"}),
    ("echo", {"message": '{"a": [1, 2.5, null]}'}),
    ("echo", {"wrong": 1}),
    ("get-sum", {"a": 2, "b": 3}),
    ("get-tiny-image", {}),
    ("get-annotated-message", {"messageType": "error", "includeImage": True}),
    ("get-structured-content", {"location": "New York"}),
    ("get-resource-links", {"count": 2}),
    ("get-resource-reference", {"resourceType": "Text", "resourceId": 1}),
    ("get-resource-reference", {"resourceType": "Blob", "resourceId": 2}),
    ("trigger-long-running-operation", {"duration": 0.2, "steps": 2}),
    ("not-there", {}),
]
OURS = [
    ("add", {"a": 1, "b": 2}),
    ("add", {"a": "x"}),
    ("say", {"text": "[true]"}),
    ("picture", {}),
    ("fail", {}),
    ("refuse", {}),
]


@contextlib.contextmanager
def everything(transport: str) -> Iterator[str]:
    """server-everything's address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    how, path = ("sse", "sse") if transport == "sse" else ("streamableHttp", "mcp")
    environment = {**os.environ, "PORT": str(port)}
    running = subprocess.Popen(
        [node_program(), EVERYTHING, how], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _await(port)
        yield f"http://127.0.0.1:{port}/{path}"
    finally:
        running.kill()
        running.wait()


def _await(port: int) -> None:
    def listens() -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        return False

    poll(listens, "server-everything listens")


@pytest.fixture
async def context(tmp_path: Path) -> AsyncIterator[FakeContext]:
    made = LabContext(tmp_path, tables=[HttpSettings(allowed_networks=["127.0.0.0/8"]), AiSettings()])
    made.ports["HttpClient"] = GuardedClient(made)
    yield made
    for task in made.tasks:
        task.cancel()
    await asyncio.gather(*made.tasks, return_exceptions=True)


async def theirs(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    process = await asyncio.create_subprocess_exec(
        node_program(),
        str(Path(__file__).with_name("mcp.js")),
        str(PLACE),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    said, errors = await process.communicate(json.dumps(cases).encode())
    assert process.returncode == 0, errors.decode()
    found: list[dict[str, Any]] = json.loads(said)
    return found


class NoCredential:
    async def credential(self, kind: str) -> dict[str, str]:
        raise NodeError("none")

    async def authorization(self, kind: str) -> Authorization:
        raise NodeError("none")


async def ours(context: FakeContext, case: dict[str, Any]) -> dict[str, Any]:
    kind, given = McpClientNode(context), case["parameters"]
    if case.get("list") or case.get("columns"):
        name = "tools" if case.get("list") else "toolParameters"
        page = await kind.listed(ListQuestion(name, 1.1, given), NoCredential())
        assert page is not None
        return {name: [(row.value, row.label, row.type) for row in page.rows]}
    run = FakeNodeRun(kind, given, version=case["version"])
    try:
        outcome = await run.outcome()
    except NodeError as exc:
        return {"error": exc.message}
    return {"items": [_plain(item) for item in outcome.outputs[0]]}


def _plain(item: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"json": json.loads(json.dumps(item["json"])), "pairedItem": item["pairedItem"]}
    if item.get("binary"):
        made["binary"] = {
            name: {"data": file["data"], "mimeType": file["mimeType"]} for name, file in item["binary"].items()
        }
    return made


async def compare(context: FakeContext, calls: list[tuple[str, dict[str, Any]]], transport: str, url: str) -> None:
    where = {"serverTransport": transport, "endpointUrl": url, "inputMode": "json"}
    cases: list[dict[str, Any]] = []
    for version in (1, 1.1):
        for options in ({}, {"convertToBinary": False}):
            for tool, arguments in calls:
                given = {**where, "tool": tool, "jsonInput": arguments, "options": options}
                cases.append({"version": version, "parameters": given})
    cases.append({"list": True, "parameters": where})
    cases += [
        {"columns": True, "parameters": {**where, "tool": tool}} for tool in {tool for tool, _ in calls} - {"not-there"}
    ]
    wrong = []
    for case, wanted in zip(cases, await theirs(cases), strict=True):
        try:
            found = await ours(context, case)
        except NodeError as exc:
            found = {"error": exc.message}
        if not _same(_timeless(found), _timeless(wanted)):
            wrong.append((case, found, wanted))
    told = [json.dumps(row, ensure_ascii=False) for row in wrong]
    assert not told, "\n".join(told)


def _timeless(answer: dict[str, Any]) -> dict[str, Any]:
    """Resources of server-everything say when they were asked for."""
    text = re.sub(r"\d+:\d\d:\d\d [AP]M", "TIME", json.dumps(answer))
    found: dict[str, Any] = json.loads(re.sub(r'("blob": "[^"]{40})[^"]*', r"\1", text))
    return found


def _same(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    if "error" in wanted:
        # n8n quotes its SDK, which puts its own words in front of what the server said.
        said = re.sub(r"^MCP error -?\d+: ", "", wanted["error"])
        return said in found.get("error", "")
    if "list" in wanted:
        return [row[0] for row in found["tools"]] == [row["value"] for row in wanted["list"]["results"]]
    if "columns" in wanted:
        return [(value, kind) for value, _, kind in found["toolParameters"]] == [
            (row["id"], "string" if row["type"] == "options" else row["type"]) for row in wanted["columns"]["fields"]
        ]
    return found == wanted


@pytest.mark.parametrize("transport", ["httpStreamable", "sse"])
@pytest.mark.skipif(not EVERYTHING.is_file() or shutil.which("npm") is None, reason="server-everything is not there")
async def test_items_of_server_everything_are_n8ns(context: FakeContext, transport: str) -> None:
    with everything(transport) as url:
        await compare(context, CALLS, transport, url)


@pytest.mark.parametrize("transport", ["httpStreamable", "sse"])
async def test_items_of_a_server_of_the_sdk_are_n8ns(context: FakeContext, transport: str) -> None:
    async with served(transport) as server:
        await compare(context, OURS, transport, server.url)


async def test_agents_know_tools_by_n8ns_names() -> None:
    names = [("My Server", "add"), ("ü-1", "x y"), ("s" * 80, "add"), ("s", "t" * 62), ("s", "t" * 63), ("s", "t" * 90)]
    found = await theirs([{"name": list(pair)} for pair in names])
    assert [row["name"] for row in found] == [tool_name_of(*pair) for pair in names]
