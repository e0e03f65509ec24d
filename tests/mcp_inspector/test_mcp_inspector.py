"""The MCP inspector's command line, a client of its own, against the real daemon: over HTTP and over stdio. Where
JACKFIELD_TEST_MCP_INSPECTOR says that npm has installed it; `tox -e mcp-inspector` runs these tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jackfield.testing.daemon import Daemon

PREFIX = os.environ.get("JACKFIELD_TEST_MCP_INSPECTOR", "")
PROGRAM = Path(PREFIX).absolute() / "node_modules/.bin/mcp-inspector"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    if not PREFIX:
        pytest.skip("JACKFIELD_TEST_MCP_INSPECTOR names no directory in which npm has installed the inspector")
    assert PROGRAM.exists(), f"JACKFIELD_TEST_MCP_INSPECTOR: {PROGRAM} is not there"
    daemon = Daemon(tmp_path_factory.mktemp("inspector"))
    try:
        yield daemon.start()
    finally:
        daemon.close()


def inspect(daemon: Daemon, way: str, method: str, *more: str, key: str = "") -> Any:
    """What the inspector prints. way: http or stdio. key: an API key in place of the daemon's own user, over stdio."""
    program = str(Path(sys.executable).with_name("jackfield"))
    stdio = [program, "mcp", "--config-dir", str(daemon.config_dir)]
    target = stdio if way == "stdio" else [f"{daemon.base_url}/mcp", "--transport", "http"]
    environment = ["-e", f"JACKFIELD_API_KEY={key}"] if key else []
    command = [str(PROGRAM), "--cli", *environment, *target, "--method", method, *more]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    return json.loads(ended.stdout)


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_the_inspector_lists_and_calls(daemon: Daemon, way: str) -> None:
    tools = {tool["name"]: tool for tool in inspect(daemon, way, "tools/list")["tools"]}
    assert tools["get_workflow"]["annotations"]["readOnlyHint"] is True
    assert tools["delete_workflow"]["annotations"]["destructiveHint"] is True
    given = ("--tool-name", "search_node_types", "--tool-arg", "query=rss")
    told = inspect(daemon, way, "tools/call", *given)
    assert told["structuredContent"]["data"]["nodeTypes"][0]["kind"] == "rssFeedRead"
    assert inspect(daemon, way, "prompts/list")["prompts"][0]["name"] == "build"
    page = inspect(daemon, way, "resources/read", "--uri", "jackfield://node-types/set")
    assert "# Edit Fields" in page["contents"][0]["text"]


def test_the_inspector_sees_the_tools_of_a_key_alone(daemon: Daemon) -> None:
    body = {"name": "inspector", "scopes": ["webhooks:read"]}
    key = daemon.admin().post("/api-keys", json=body).raise_for_status().json()["key"]
    names = {tool["name"] for tool in inspect(daemon, "stdio", "tools/list", key=key)["tools"]}
    assert names == {"list_webhooks", "list_webhook_calls", "check_webhook_call", "search_docs", "read_docs"}
