"""n8n's clients from npm: the command line, and the MCP server over its standard streams."""

from __future__ import annotations

import itertools
import json
import os
import selectors
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DIRECTORY = "JACKFIELD_TEST_N8N_CLIENTS"
NODE = "JACKFIELD_TEST_NODE"
OLDEST_NODE = 22
PATIENCE = 60.0
"""Seconds for one command or one call of a tool."""


class NotThere(Exception):
    """Why n8n's clients cannot be started here."""


def modules() -> Path:
    """Where npm has installed `package.json` beside this file. Raises `NotThere`."""
    given = os.environ.get(DIRECTORY)
    if not given:
        raise NotThere(f"{DIRECTORY} names no directory in which npm has installed n8n's clients")
    found = Path(given) / "node_modules"
    if not (found / "n8n-mcp").is_dir() or not (found / "@n8n/cli").is_dir():
        raise NotThere(f"{found} has no n8n-mcp or no @n8n/cli")
    return found


def node() -> str:
    """A Node.js that the clients run on. Raises `NotThere`."""
    own = modules() / ".bin/node"
    for program in filter(None, (os.environ.get(NODE), shutil.which("node"), str(own) if own.exists() else None)):
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        digits = said.strip().removeprefix("v").partition(".")[0]
        if digits.isdecimal() and int(digits) >= OLDEST_NODE:
            return program
    raise NotThere(f"n8n's clients need Node.js {OLDEST_NODE}; {NODE} may name one")


class Cli:
    """`n8n-cli` with a home of its own."""

    def __init__(self, url: str, key: str, home: Path) -> None:
        self._command = [node(), str(modules() / "@n8n/cli/bin/n8n-cli.mjs")]
        kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
        self._env = {**kept, "HOME": str(home), "N8N_URL": url, "N8N_API_KEY": key, "COLUMNS": "1000"}

    def run(
        self, *arguments: str, given: str = "", env: Mapping[str, str | None] | None = None
    ) -> tuple[int, str, str]:
        """Exit code, output, errors. env: changes; None removes a variable."""
        changed = {**self._env, **(env or {})}
        done = subprocess.run(
            [*self._command, *arguments],
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={name: value for name, value in changed.items() if value is not None},
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def ok(self, *arguments: str, given: str = "") -> Any:
        """The JSON of a command that succeeds."""
        code, output, errors = self.run(*arguments, "--json", given=given)
        assert code == 0, f"n8n-cli {' '.join(arguments)}: {errors or output}"
        return json.loads(output)

    def refused(self, *arguments: str, given: str = "") -> str:
        """What a command that fails says, in one line."""
        code, output, errors = self.run(*arguments, given=given)
        assert code, f"n8n-cli {' '.join(arguments)} succeeded: {output}"
        return " ".join(errors.replace("›", " ").split())


class Mcp:
    """`n8n-mcp`, asked with JSON-RPC, one message a line."""

    def __init__(self, url: str, key: str, home: Path) -> None:
        home.mkdir(exist_ok=True)
        self._errors = (home / "errors.log").open("wb")
        self._process = subprocess.Popen(
            [node(), str(modules() / "n8n-mcp/dist/mcp/index.js")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=home,
            env={
                "PATH": os.environ.get("PATH", ""),
                "HOME": str(home),
                "MCP_MODE": "stdio",
                "LOG_LEVEL": "error",
                "DISABLE_CONSOLE_OUTPUT": "true",
                "N8N_MCP_TELEMETRY_DISABLED": "true",
                "WEBHOOK_SECURITY_MODE": "moderate",
                "N8N_API_URL": url,
                "N8N_API_KEY": key,
            },
        )
        self._ids = itertools.count(1)
        self._kept = b""
        client = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self._ask("initialize", client)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                stream.close()

    def tools(self) -> set[str]:
        return {tool["name"] for tool in self._ask("tools/list", {})["tools"]}

    def call(self, tool: str, **arguments: Any) -> Any:
        """The JSON that a tool answers."""
        found = self._ask("tools/call", {"name": tool, "arguments": arguments})
        text = "".join(part.get("text", "") for part in found["content"])
        try:
            return json.loads(text)
        except ValueError:
            return {"success": False, "error": text}

    def ok(self, tool: str, **arguments: Any) -> Any:
        """The data of a call that succeeds."""
        found = self.call(tool, **arguments)
        assert found.get("success"), f"{tool} {arguments}: {json.dumps(found)[:2000]}"
        return found.get("data")

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        ident = next(self._ids)
        self._send({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
        while True:
            answer = json.loads(self._line())
            if answer.get("id") == ident:
                assert "result" in answer, answer
                return answer["result"]

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _line(self) -> bytes:
        stream = self._process.stdout
        assert stream is not None
        deadline = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as ready:
            ready.register(stream, selectors.EVENT_READ)
            while b"\n" not in self._kept:
                assert ready.select(deadline - time.monotonic()), "n8n-mcp answered nothing in time"
                part = os.read(stream.fileno(), 1 << 20)
                assert part, f"n8n-mcp has ended with {self._process.poll()}"
                self._kept += part
        line, _, self._kept = self._kept.partition(b"\n")
        return line


def workflow(name: str, path: str, nodes: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """A webhook that answers with what its last node gives."""
    hook = {
        "id": "1",
        "name": "Webhook",
        "type": "n8n-nodes-base.webhook",
        "typeVersion": 2,
        "position": [0, 0],
        "webhookId": path,
        "parameters": {"path": path, "httpMethod": "POST", "responseMode": "lastNode", "options": {}},
    }
    chain = [hook, *nodes]
    wires = {
        str(one["name"]): {"main": [[{"node": two["name"], "type": "main", "index": 0}]]}
        for one, two in itertools.pairwise(chain)
    }
    return {"name": name, "nodes": chain, "connections": wires, "settings": {"executionOrder": "v1"}}


def set_node(value: int, name: str = "Set") -> dict[str, Any]:
    fields = {"assignments": [{"id": "a", "name": "x", "value": value, "type": "number"}]}
    return {
        "id": name,
        "name": name,
        "type": "n8n-nodes-base.set",
        "typeVersion": 3.4,
        "position": [200, 0],
        "parameters": {"assignments": fields, "options": {}},
    }


def stop_node() -> dict[str, Any]:
    return {
        "id": "stop",
        "name": "Stop",
        "type": "n8n-nodes-base.stopAndError",
        "typeVersion": 1,
        "position": [400, 0],
        "parameters": {"errorMessage": "enough"},
    }


def wait_node() -> dict[str, Any]:
    return {
        "id": "wait",
        "name": "Wait",
        "type": "n8n-nodes-base.wait",
        "typeVersion": 1.1,
        "position": [400, 0],
        "parameters": {"amount": 1, "unit": "hours"},
    }
