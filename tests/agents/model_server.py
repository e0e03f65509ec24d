"""A model server on loopback that says what it is told to say and remembers what it was asked. It is a web proxy as
well, one that lets nobody through and remembers who wanted to leave the machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import model_streams
from model_streams import Event, Reply, Used

MODELS = ("claude-sonnet-5", "fake-model", "gpt-5.5")
SIDE = Reply("Aside", used=Used(fresh=3, output=2))
"""For what an agent asks without tools, such as a title."""
ERRORS = {400: "invalid_request_error", 401: "authentication_error"}
"""Type of an error by its status."""
GEMINI = "/v1beta/models/"
Scripted = Reply | Callable[[Any], Reply]
"""What is said, or what makes it of the request's body."""
Grammar = Callable[[Reply, str, int], Iterator[Event]]
GRAMMARS: dict[str, Grammar] = {
    "/v1/messages": model_streams.messages,
    "/v1/responses": model_streams.responses,
    "/v1/chat/completions": model_streams.chat,
    "/v1beta/openai/chat/completions": model_streams.chat,
}


@dataclass(frozen=True)
class Served:
    """One answer. key: the credential that came with the request, without its scheme."""

    path: str
    key: str
    body: Any
    reply: Reply

    @property
    def used(self) -> Used:
        return self.reply.used


@dataclass
class ModelServer:
    """replies: what is said next, one each to requests that offer tools. served: those; asides: the others, which get
    `plain`. refusal: said instead, with refusal_status; refused: how often. meeting: where requests that offer tools
    wait for each other. strange: requests that no client of a model makes. leaving: where web requests wanted to go.
    traces: the header `traceparent` of each request."""

    replies: list[Scripted] = field(default_factory=list)
    served: list[Served] = field(default_factory=list)
    asides: list[Served] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    leaving: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    plain: Reply = SIDE
    refusal: str | None = None
    refusal_status: int = 400
    refused: int = 0
    meeting: threading.Barrier | None = None
    heads: int = 0
    _numbers: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        handler = type("Handler", (_Handler,), {"models": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def forget(self) -> None:
        """For the next test."""
        with self._lock:
            for seen in (self.replies, self.served, self.asides, self.strange, self.leaving, self.traces):
                seen.clear()
            self.refusal = self.meeting = None
            self.refusal_status, self.refused = 400, 0
            self.plain = SIDE

    def next(self, path: str, key: str, body: Any) -> tuple[Reply, int]:
        """The answer and its number; every number is given once."""
        with self._lock:
            self._numbers += 1
            if not body.get("tools"):
                self.asides.append(Served(path, key, body, self.plain))
                return self.plain, self._numbers
            if not self.replies:
                self.strange.append(f"one more request to {path} than there are replies")
                return SIDE, self._numbers
            scripted = self.replies.pop(0)
            reply = scripted if isinstance(scripted, Reply) else scripted(body)
            if reply.early:
                self.replies.insert(0, scripted)
            self.served.append(Served(path, key, body, reply))
            return reply, self._numbers


class _Handler(BaseHTTPRequestHandler):
    models: ModelServer
    protocol_version = "HTTP/1.1"

    def do_CONNECT(self) -> None:
        self._refuse()

    def _refuse(self) -> None:
        self.models.leaving.append(f"{self.command} {self.path}")
        self.close_connection = True
        self._json(502, {"error": "nothing leaves this machine"})

    def do_HEAD(self) -> None:
        if not self.path.startswith("/"):
            return self._refuse()
        self.models.heads += 1
        self._json(200, {})
        return None

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if not self.path.startswith("/"):
            self._refuse()
        elif path == "/v1/models":
            data = [{"id": name, "object": "model", "type": "model", "display_name": name} for name in MODELS]
            self._json(200, {"object": "list", "data": data, "has_more": False})
        else:
            self._strange()

    def do_POST(self) -> None:
        content = self._content()
        path = urlsplit(self.path).path
        if not self.path.startswith("/"):
            self._refuse()
        elif path == "/v1/messages/count_tokens":
            self._json(200, {"input_tokens": len(content) // 4})
        elif path in GRAMMARS:
            self._answer(path, json.loads(content))
        elif path.startswith(GEMINI):
            model, _, action = path.removeprefix(GEMINI).partition(":")
            self._generate(model, action, json.loads(content))
        else:
            self._strange()

    def _content(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _strange(self) -> None:
        self.models.strange.append(f"{self.command} {self.path}")
        self._error(404, "not_found_error", "There is no such path.")

    def _error(self, status: int, type: str, message: str) -> None:
        self._json(status, {"type": "error", "error": {"type": type, "message": message, "code": type}})

    def _answer(self, path: str, body: Any) -> None:
        if self.models.refusal is not None:
            self.models.refused += 1
            status = self.models.refusal_status
            return self._error(status, ERRORS[status], self.models.refusal)
        if "model" not in body:  # as the question for a key's worth
            return self._error(400, ERRORS[400], "model: a request needs one")
        key = self.headers.get("x-api-key") or self.headers.get("Authorization", "").removeprefix("Bearer ")
        if self.models.meeting is not None and body.get("tools"):
            self.models.meeting.wait(60)
        self.models.traces.append(self.headers.get("traceparent", ""))
        reply, number = self.models.next(path, key, body)
        if body.get("stream"):
            self._stream(path, GRAMMARS[path](reply, body["model"], number), number)
        elif path == "/v1/messages":
            self._json(200, model_streams.message(reply, body["model"], number))
        elif path == "/v1/chat/completions":
            self._json(200, model_streams.completion(reply, body["model"], number))
        else:
            self._strange()
        return None

    def _generate(self, model: str, action: str, body: Any) -> None:
        """Gemini's grammar has the model in the path."""
        if action == "countTokens":
            return self._json(200, {"totalTokens": 10})
        key = self.headers.get("x-goog-api-key", "")
        reply, number = self.models.next(f"{GEMINI}:{action}", key, {**body, "model": model})
        if action == "streamGenerateContent":
            return self._stream("gemini", model_streams.gemini(reply, model, number), number)
        return self._json(200, model_streams.generated(reply, model, number))

    def _stream(self, path: str, events: Iterator[Event], number: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("request-id", f"req_{number:024}")
        self.send_header("Connection", "close")
        self.end_headers()
        for name, data in events:
            self._write(name, json.dumps(data))
        if path == "/v1/chat/completions":
            self._write(None, "[DONE]")
        self.close_connection = True

    def _write(self, name: str | None, data: str) -> None:
        lines = [f"event: {name}"] if name else []
        self.wfile.write("\n".join([*lines, f"data: {data}", "", ""]).encode())
        self.wfile.flush()

    def _json(self, status: int, data: Any) -> None:
        content = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        return
