"""HTTP Request's key over a kill: the request that a crash repeats has the key that it had."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from jackfield.testing.daemon import Daemon, poll

SETTINGS = "[nodes.http]\nallowed_networks = ['127.0.0.0/8']\n"


@contextmanager
def service() -> Iterator[tuple[str, dict[str, list[str]], threading.Event]]:
    """Its address, the keys of the requests for each path, and whether it answers."""
    seen, answers = defaultdict[str, list[str]](list), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen[self.path].append(self.headers.get("idempotency-key", ""))
            answers.wait(30)
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                """The caller was killed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen, answers
    finally:
        answers.set()
        server.shutdown()
        server.server_close()
        thread.join(10)


def document(url: str) -> dict[str, Any]:
    def node(name: str, kind: str, version: float, **parameters: Any) -> dict[str, Any]:
        made = {"id": name, "name": name, "type": f"n8n-nodes-base.{kind}", "typeVersion": version}
        return {**made, "position": [0, 0], "parameters": parameters}

    def wire(name: str) -> dict[str, Any]:
        return {"main": [[{"node": name, "type": "main", "index": 0}]]}

    ask = node(
        "Ask", "httpRequest", 4.2, url=f"={url}/{{{{ $json.n }}}}", options={"idempotencyKey": "Idempotency-Key"}
    )
    two = node("Two", "splitOut", 1, fieldToSplitOut="body.rows")
    nodes = [node("Hook", "webhook", 2, path="charge", httpMethod="POST"), two, ask]
    return {"name": "Charge", "nodes": nodes, "connections": {"Hook": wire("Two"), "Two": wire("Ask")}}


def test_a_request_that_a_kill_has_cut_is_repeated_with_its_key(new_daemon: Callable[..., Daemon]) -> None:
    with service() as (url, seen, answers):
        daemon = new_daemon(SETTINGS)
        api = daemon.admin()
        daemon.live(document(url), api)
        body = {"rows": [{"n": "a"}, {"n": "b"}]}
        ident = daemon.client().post("/webhook/charge", json=body).json()["executionId"]
        poll(lambda: len(seen) == 2, "both requests are under way")
        daemon.kill()
        answers.set()
        daemon.start()
        api = daemon.admin()
        poll(lambda: api.get(f"/executions/{ident}").json()["status"] == "success", "it ends", timeout=20)
        assert {path: len(keys) for path, keys in seen.items()} == {"/a": 2, "/b": 2}
        assert all(first and first == again for first, again in seen.values())
        assert seen["/a"][0] != seen["/b"][0]
        daemon.client().post("/webhook/charge", json=body)
        poll(lambda: len(seen["/a"]) == 3, "another call")
        assert seen["/a"][2] not in seen["/a"][:2]
