"""An MCP server with one tool, `tell_word`: over standard input, and over HTTP."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOOL = {"name": "tell_word", "description": "Tells the word.", "inputSchema": {"type": "object", "properties": {}}}


def answer(asked: Any) -> Any:
    """None for a notification."""
    if "id" not in asked:
        return None
    method = asked.get("method")
    if method == "initialize":
        version = asked["params"]["protocolVersion"]
        result: Any = {
            "protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "w", "version": "1"},
        }  # fmt: skip
    elif method == "tools/list":
        result = {"tools": [TOOL]}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": "the word is cormorant"}]}
    elif method == "ping":
        result = {}
    else:
        error = {"code": -32601, "message": "no such method"}
        return {"jsonrpc": "2.0", "id": asked["id"], "error": error}
    return {"jsonrpc": "2.0", "id": asked["id"], "result": result}


@dataclass
class WordServer:
    """Over HTTP. keys: the header X-Key of each request."""

    keys: set[str | None] = field(default_factory=set)

    def __post_init__(self) -> None:
        handler = type("Handler", (_Handler,), {"words": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/mcp"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    words: WordServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send(405, b"")  # no stream of its own

    def do_POST(self) -> None:
        self.words.keys.add(self.headers.get("X-Key"))
        told = answer(json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0))))
        self._send(202, b"") if told is None else self._send(200, json.dumps(told).encode())

    def _send(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        return


def main() -> None:
    for line in sys.stdin:
        told = answer(json.loads(line))
        if told is not None:
            sys.stdout.write(json.dumps(told) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
