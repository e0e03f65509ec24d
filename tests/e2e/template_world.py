"""What the templates talk to: a service, a chat, models and GitHub on loopback, and an agent that is a shell script."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

ORDERS = [
    {"id": "A1", "customer": 7, "total": 150},
    {"id": "A2", "customer": 8, "total": 50},
    {"id": "A3", "customer": 7, "total": 200},
]
CUSTOMERS = [{"number": 7, "name": "Ada"}, {"number": 9, "name": "Zoe"}]
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
<item><title>First</title><link>https://news.example/1</link><guid>n1</guid></item>
<item><title>Second</title><link>https://news.example/2</link><guid>n2</guid></item></channel></rss>"""
TOKENS = {"input": 1, "output": 2, "cache_read": 0, "cache_creation": 0}
FACTS = {"name": "Ada", "order": "A1", "wish": "her money back"}


@dataclass
class World:
    """asked: what came in, in order: method, path, and body as JSON where there is one."""

    port: int = 0
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    failures: int = 0
    """How often `/unreliable` fails yet."""
    health: int = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def bodies(self, path: str) -> list[Any]:
        """Of the requests to a path."""
        return [body for _, asked, body in self.asked if asked == path]

    def told(self) -> list[str]:
        """What the team was told."""
        return [body["text"] for body in self.bodies("/hooks/team")]

    def answer(self, method: str, target: str, body: Any) -> tuple[int, object]:
        parts = urlsplit(target)
        self.asked.append((method, parts.path, body))
        if parts.path == "/unreliable" and self.failures:
            self.failures -= 1
            return 503, {"error": "busy"}
        if parts.path == "/health":
            return self.health, "down" if self.health >= 400 else "fine"
        if parts.path == "/pages":
            page = int(parse_qs(parts.query)["page"][0])
            return 200, {"entries": [{"n": 2 * page - 1}, {"n": 2 * page}] if page < 3 else []}
        if parts.path.endswith("/chat/completions"):
            return 200, completion(body)
        if re.fullmatch(r"/repos/[^/]+/[^/]+/issues/\d+/comments", parts.path):
            return 201, {"id": 1, "body": body["body"]}
        if method == "POST":
            return 200, {"stored": True}
        return 200, ANSWERS.get(parts.path, {"ok": True})


ANSWERS: Mapping[str, object] = {
    "/orders": ORDERS,
    "/customers": CUSTOMERS,
    "/customers/old": [{"number": 7, "name": "Ada L."}, {"number": 8, "name": "Max"}],
    "/sign-ups": [{"email": "ada@example.com"}, {"email": " ADA@example.com"}, {"email": "max@example.com"}],
    "/feed.xml": FEED,
    "/page.html": '<p><a href="/one">One</a> and <a href="/two">Two</a></p>',
    "/api/usage/report": {
        "success": True,
        "data": {"rows": [{"model": "m", "total_tokens": 3, "tokens": TOKENS, "cost": {"total_cost": 1.5}}]},
    },
    "/api/gateway/keys": {
        "success": True,
        "data": [
            {"label": "ci", "budgets": [{"period": "month", "unit": "usd", "limit": 20, "used": 18}]},
            {"label": "idle", "budgets": [{"period": "day", "unit": "tokens", "limit": 100, "used": 1}]},
        ],
    },
}


def completion(asked: Any) -> object:
    """A model that calls the first tool there is once, fills in a wanted structure, and says `Said` otherwise."""
    messages = asked["messages"]
    text = json.dumps(messages)
    tools = {tool["function"]["name"]: tool["function"] for tool in asked.get("tools", [])}
    message: dict[str, Any] = {"role": "assistant", "content": "Said"}
    if messages[-1]["role"] == "tool":
        message["content"] = f"The tool said: {messages[-1]['content']}"
    elif "Calculator" in tools or "calculator" in tools:
        name = next(name for name in tools if name.lower() == "calculator")
        call = {"name": name, "arguments": json.dumps({"input": "6 * 7"})}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": call}],
        }
    elif "wish" in text or tools:
        message["content"] = json.dumps({"output": FACTS} if '"output"' in text else FACTS)
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def _handler(answer: Callable[[str, str, Any], tuple[int, object]]) -> type[BaseHTTPRequestHandler]:
    class TemplateHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length", "0")))
            status, found = answer(self.command, self.path, json.loads(data) if data else None)
            text = isinstance(found, str)
            sent = found.encode() if isinstance(found, str) else json.dumps(found).encode()
            kind = "application/json" if not text else "application/xml" if "<?xml" in str(found) else "text/html"
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_POST = do_PUT = do_PATCH = _serve  # noqa: N815 - the names of http.server

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    return TemplateHandler


@contextmanager
def world() -> Iterator[World]:
    made = World()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(made.answer))
    made.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
