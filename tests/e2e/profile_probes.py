"""A daemon with profiles whose agent writes down the token of its run, and the official MCP client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from jackfield.testing.daemon import Daemon, poll

LIMIT = 60
AGENT = """
id = "probe"
name = "Probe"
binary = "sh"
version_flag = "-c true"
mcp = ["http"]
[detect]
commands = ["sh -c true"]
[profile]
source_home = "HOMES/{alias}"
script = "probe.rhai"
"""
SCRIPT = '#{ files: #{ "servers.json": json::encode_pretty(ctx.prefs.mcp_servers.custom) }, env: #{}, args: [] }'
TELL = 'printf %s "$JACKFIELD_TOOLS_TOKEN" > "$HOME/told.new"; mv "$HOME/told.new" "$HOME/told"; exec cat'


class Probes:
    """A daemon, and profiles whose agent writes down its token."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        homes = daemon.directory / "homes"
        files = {"agents.d/probe.toml": AGENT.replace("HOMES", str(homes)), "scripts/probe.rhai": SCRIPT}
        for name, text in files.items():
            place = daemon.config_dir / name
            place.parent.mkdir(exist_ok=True)
            place.write_text(text)
        self.api = daemon.start().client()

    def profile(self, alias: str, **more: Any) -> None:
        body = {"agent_id": "probe", "alias": alias, "provider_id": "self", "model": "none", **more}
        made = self.api.post("/api/profiles", json=body)
        assert made.is_success, made.text

    def start(self, alias: str) -> str:
        """The id of a terminal session whose agent has told its token."""
        self.home(alias).joinpath("told").unlink(missing_ok=True)
        body = {"profile_alias": alias, "args": ["-c", TELL]}
        made = self.api.post("/api/terminal/sessions", json=body)
        assert made.is_success, made.text
        poll(lambda: self.home(alias).joinpath("told").exists(), "the agent has told its token")
        return str(made.json()["data"]["session_id"])

    def home(self, alias: str) -> Path:
        return self.daemon.directory / "homes" / alias

    def token(self, alias: str) -> str:
        return self.home(alias).joinpath("told").read_text()

    def tokens(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.daemon.admin().get("/mcp/profile-tokens").raise_for_status().json()["data"]
        return found

    def ask(self, path: str, token: str) -> httpx.Response:
        return self.daemon.client().get(path, headers={"Authorization": f"Bearer {token}"})


@asynccontextmanager
async def connected(daemon: Daemon, token: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with asyncio.timeout(LIMIT), httpx2.AsyncClient(headers=headers, timeout=LIMIT, verify=False) as http:
        transport = streamable_http_client(f"{daemon.base_url}/mcp", http_client=http)
        async with Client(transport, mode="legacy") as client:
            yield client


async def names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}
