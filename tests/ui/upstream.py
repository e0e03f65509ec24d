"""Providers of models on loopback: paths tell them apart, and each answers in Anthropic's dialect."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REFUSED = "refused"
"""A provider of this name has no room for anybody."""


class Models(BaseHTTPRequestHandler):
    """Answers with counts of tokens that follow from the length of what was asked."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        provider, model = self.path.split("/")[1], json.loads(body).get("model", "")
        if provider == REFUSED:
            error = {"type": "error", "error": {"type": "overloaded_error", "message": "no room"}}
            self._answer(529, error)
            return
        usage = {
            "input_tokens": len(body),
            "output_tokens": 40 + len(body) // 7,
            "cache_read_input_tokens": len(body) * 3,
        }
        said = {"content": [{"type": "text", "text": "pong"}], "stop_reason": "end_turn", "stop_sequence": None}
        self._answer(200, {"id": f"msg_{id(self)}_{len(body)}", "type": "message", "role": "assistant", "model": model,
                           "usage": usage, **said})  # fmt: skip

    def _answer(self, status: int, body: object) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class Upstream:
    """`url` + `/<provider>` is a provider's endpoint."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Models)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
