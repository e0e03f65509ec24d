"""The daemon over MCP: a tool call beside the same request of the management API, and a hundred sessions at once.

Both clients write bytes to one kept connection; what they ask for is in turn, and medians and the slowest of twenty are
compared. The tool's result has the answer twice, as data and as text, so that its bytes are the larger ones.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import harness
import httpx

from jackfield.testing.daemon import HOST, Daemon
from jackfield.testing.documents import chain, node, set_fields

ALLOWED_MS = 5.0
"""The most that a tool call may cost over the same request."""
CALLS, WARM = 300, 30
SESSIONS, OF_EACH = 100, 10
Ask = Callable[[], bytes]


class Kept:
    """One kept connection with an API key."""

    def __init__(self, daemon: Daemon, key: str) -> None:
        self._connection = http.client.HTTPConnection(HOST, daemon.port, timeout=60)
        self._headers = {
            "X-API-Key": key,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }

    def ask(self, method: str, path: str, body: object = None) -> bytes:
        content = None if body is None else json.dumps(body)
        self._connection.request(method, path, content, self._headers)
        answer = self._connection.getresponse()
        found = answer.read()
        if answer.status >= 300:
            sys.exit(f"{method} {path} answered {answer.status}: {found.decode()}")
        return found

    def call(self, tool: str, arguments: Mapping[str, Any]) -> bytes:
        found = self.ask("POST", "/mcp", message(tool, arguments))
        if json.loads(found)["result"].get("isError"):
            sys.exit(found.decode())
        return found


def message(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def measured(one: Ask, other: Ask) -> tuple[list[float], list[float]]:
    """Milliseconds of each, in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(WARM + CALLS):
        for place, ask in enumerate((one, other)):
            start = time.perf_counter()
            ask()
            if number >= WARM:
                times[place].append((time.perf_counter() - start) * 1000)
    return times


async def crowd(daemon: Daemon, key: str, ask: Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]) -> float:
    """Requests per second of many connections at once."""
    limits = httpx.Limits(max_connections=SESSIONS, max_keepalive_connections=SESSIONS)
    headers = {"X-API-Key": key, "Accept": "application/json, text/event-stream"}

    async def session(client: httpx.AsyncClient) -> None:
        for _ in range(OF_EACH):
            (await ask(client)).raise_for_status()

    async with httpx.AsyncClient(
        base_url=daemon.base_url,
        headers=headers,
        limits=limits,
        timeout=60,
        trust_env=False,
        verify=False,
    ) as client:
        start = time.perf_counter()
        await asyncio.gather(*(session(client) for _ in range(SESSIONS)))
        return SESSIONS * OF_EACH / (time.perf_counter() - start)


def figures(daemon: Daemon) -> tuple[str, bool]:
    api = daemon.admin(timeout=60)
    key = api.post("/api-keys", json={"name": "bench"}).raise_for_status().json()["key"]
    document = chain("Bench", node("Start", "manualTrigger", version=1), set_fields("Set", x="={{ $json.y }}"))
    ident = api.post("/workflows", json=document).raise_for_status().json()["id"]
    plain, tools = Kept(daemon, key), Kept(daemon, key)
    given = [{"json": {"y": 1}}]
    cases: dict[str, tuple[Ask, Ask]] = {
        "list variables": (
            lambda: plain.ask("GET", "/api/v1/variables"),
            lambda: tools.call("list_variables", {}),
        ),
        "read a workflow": (
            lambda: plain.ask("GET", f"/api/v1/workflows/{ident}"),
            lambda: tools.call("get_workflow", {"workflow_id": ident}),
        ),
        "check a workflow": (
            lambda: plain.ask("POST", "/api/v1/workflows/validate", document),
            lambda: tools.call("validate_workflow", {"workflow": document}),
        ),
        "run a workflow and read its execution": (
            lambda: plain.ask("POST", f"/api/v1/workflows/{ident}/execute", {"inputData": given}),
            lambda: tools.call("run_workflow", {"workflow_id": ident, "input": given}),
        ),
    }
    rows, ok = [], True
    for name, (one, other) in cases.items():
        asked, called = measured(one, other)
        middle, called_middle = statistics.median(asked), statistics.median(called)
        late, called_late = (statistics.quantiles(times, n=20)[-1] for times in (asked, called))
        ok = ok and called_middle - middle <= ALLOWED_MS
        times = (middle, called_middle, called_middle - middle, late, called_late)
        rows.append([name, *(f"{time:.1f}" for time in times)])
    header = ["ms", "HTTP, median", "MCP, median", "more", "HTTP, 95 %", "MCP, 95 %"]
    listing = message("list_variables", {})
    by_http = asyncio.run(crowd(daemon, key, lambda client: client.get("/api/v1/variables")))
    by_mcp = asyncio.run(crowd(daemon, key, lambda client: client.post("/mcp", json=listing)))
    parts = [
        f"`python bench/mcp_calls.py` — {CALLS} calls each. {harness.environment('mcp')}.",
        harness.table(header, rows),
        (
            f"{SESSIONS} clients at once, {OF_EACH} lists of variables each: {by_mcp:.0f} calls/s, over HTTP "
            f"{by_http:.0f} requests/s. The clients share the processors with the daemon."
        ),
        f"Goal (a tool call costs at most {ALLOWED_MS:.0f} ms more): {harness.verdict(ok)}.",
    ]
    return "\n\n".join(parts), ok


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    options = parser.parse_args()
    settings = '[logs]\nlevel = "warning"\n'
    with tempfile.TemporaryDirectory() as directory, closing(Daemon(Path(directory), settings=settings)) as daemon:
        text, ok = figures(daemon.start())
    harness.publish("mcp", text, write=options.write)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
