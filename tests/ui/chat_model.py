"""A model server on loopback that uses the tool it is given."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Model(BaseHTTPRequestHandler):
    """Asks for the calculator, then says what it was told, and how often it was spoken to in this conversation."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = asked["messages"]
        last = messages[-1]
        if last["role"] == "tool":
            turns = sum(one["role"] == "user" for one in messages)
            message: dict[str, Any] = {"role": "assistant", "content": f"It is {last['content']}, answer {turns}."}
        else:
            call = {"name": asked["tools"][0]["function"]["name"], "arguments": json.dumps({"input": "6 * 7"})}
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": call}],
            }
        if asked.get("stream"):
            self._streamed(message)
        else:
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            self._sent("application/json", json.dumps({"id": "1", "model": "m", "choices": [choice]}).encode())

    def _streamed(self, message: dict[str, Any]) -> None:
        words = (message["content"] or "").split(" ")
        deltas = [{"role": "assistant", "content": f"{word} "} for word in words] if message["content"] else [message]
        chunks = [{"id": "1", "model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        chunks.append({"id": "1", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
        self._sent("text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode())

    def _sent(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def serving_model() -> Iterator[str]:
    """Its address, as OpenAI's nodes take it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
