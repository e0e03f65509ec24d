"""A real MCP server, made with the SDK: in the test's process over HTTP, or as a program over stdio."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.mcpserver import Audio, Context, Image, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent
from oauth_server import settings

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
SOUND = b"RIFF\x00\x00\x00\x00WAVE"


class ToolServer:
    """The server and what it has seen. more: of `MCPServer`."""

    def __init__(self, **more: Any) -> None:
        self.server = MCPServer("tools", version="1", **more)
        self.cancelled = asyncio.Event()
        self.waiting = asyncio.Event()
        self.headers: list[dict[str, str]] = []
        self.targets: list[str] = []
        self.url = ""
        self.refusal = 0
        """A status that every request gets; 0: none."""
        self.moved = False
        """Whether messages over SSE are sent on to another path."""
        self.refusals: dict[bytes, int] = {}
        """The status of a request whose body has these words."""
        self._tools()

    def _tools(self) -> None:
        server = self.server

        @server.tool(description="Adds two numbers.")
        def add(a: float, b: float = 1) -> float:
            return a + b

        @server.tool(structured_output=False)
        def say(text: str) -> str:
            return text

        @server.tool(structured_output=False)
        def picture() -> list[Any]:
            return ["a pixel", Image(data=PIXEL, format="png"), Audio(data=SOUND, format="wav")]

        @server.tool()
        def fail(secret: str = "") -> CallToolResult:
            return CallToolResult(content=[TextContent(text=f"it is broken {secret}")], is_error=True)

        @server.tool(structured_output=False)
        def refuse() -> str:
            raise MCPError(-32000, "not for you")

        @server.tool(structured_output=False)
        async def wait(context: Context[Any, Any]) -> str:
            await context.report_progress(1, 3, "begun")
            self.waiting.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled.set()
                raise
            return "never"

        @server.tool(structured_output=False)
        async def steps(context: Context[Any, Any]) -> str:
            for step in range(3):
                await context.report_progress(step + 1, 3, "walking")
            return "there"

        @server.tool(structured_output=False)
        def long(size: int) -> str:
            return "x" * size

    async def app(self, scope: Any, receive: Any, send: Any, inner: Any) -> None:
        """Notes requests, and refuses them when a test says so."""
        if scope["type"] == "http":
            self.targets.append(f"{scope['method']} {scope['path']}")
            self.headers.append({name.decode(): value.decode() for name, value in scope["headers"]})
            status = self.refusal
            if self.moved and scope["path"].startswith("/messages"):
                place = f"/moved{scope['path']}?{scope['query_string'].decode()}".encode()
                await send({"type": "http.response.start", "status": 307, "headers": [(b"location", place)]})
                await send({"type": "http.response.body", "body": b""})
                return
            scope = {**scope, "path": scope["path"].removeprefix("/moved")}
            if self.refusals and scope["method"] == "POST":
                message = await receive()
                receive = _again(message, receive)
                status = next((status for words, status in self.refusals.items() if words in message["body"]), 0)
            if status:
                await send({"type": "http.response.start", "status": status, "headers": []})
                await send({"type": "http.response.body", "body": b"no"})
                return
        await inner(scope, receive, send)


def _again(message: Any, receive: Any) -> Any:
    """The message once more, and then what comes."""
    waiting = [message]

    async def received() -> Any:
        return waiting.pop() if waiting else await receive()

    return received


@contextlib.asynccontextmanager
async def served(transport: str, provider: Any = None, **more: Any) -> AsyncIterator[ToolServer]:
    """transport: httpStreamable or sse. provider: of tokens, which every request needs then; more: of the app."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        auth = {"auth_server_provider": provider, "auth": settings(f"http://127.0.0.1:{port}")} if provider else {}
        async with _serving(listener, ToolServer(**auth), transport, **more) as made:
            yield made


@contextlib.asynccontextmanager
async def _serving(listener: socket.socket, made: ToolServer, transport: str, **more: Any) -> AsyncIterator[ToolServer]:
    inner = made.server.sse_app() if transport == "sse" else made.server.streamable_http_app(**more)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await made.app(scope, receive, send, inner)

    config = uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    running = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0)
    made.url = f"http://127.0.0.1:{listener.getsockname()[1]}/{'sse' if transport == 'sse' else 'mcp'}"
    try:
        yield made
    finally:
        server.should_exit = True
        server.force_exit = True
        await running


def program(*arguments: str) -> list[str]:
    """The command that runs it over stdio."""
    return [sys.executable, str(Path(__file__)), *arguments]


if __name__ == "__main__":
    if "silent" in sys.argv:
        print("I do not know the protocol", file=sys.stderr)
        sys.exit(3)
    tools = ToolServer()

    @tools.server.tool(structured_output=False)
    def leave() -> str:
        import os

        os._exit(1)

    @tools.server.tool(structured_output=False)
    def environment() -> str:
        import os

        return " ".join(sorted(os.environ))

    @tools.server.tool(structured_output=False)
    def pid() -> str:
        import os

        return str(os.getpid())

    print("a line that is no message", flush=True)
    tools.server.run("stdio")
