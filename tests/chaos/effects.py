"""A server on loopback that notes the requests of HTTP Request nodes, and the workflow that makes them."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from jackfield.testing.daemon import HOST
from jackfield.testing.documents import Part, chain, node, set_fields, webhook

from .ledger import Effect

STEPS = ("first", "second")
PATH = "killed"
SETTINGS = '[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n'


@dataclass
class Effects:
    """What the workflows did to the world, in order."""

    calm: threading.Event = field(default_factory=threading.Event)
    """Unset: requests of nodes are not answered."""
    answered: threading.Event = field(default_factory=threading.Event)
    """Set whenever a first effect was answered: its checkpoint comes next."""
    seen: list[Effect] = field(default_factory=list)
    url: str = ""

    def count(self, step: str) -> int:
        return sum(effect.step == step for effect in list(self.seen))


@contextlib.contextmanager
def receiver() -> Iterator[Effects]:
    """The server while the context lasts."""
    found = Effects()
    found.calm.set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = parse_qs(parts.query)
            step = parts.path.strip("/")
            found.seen.append(Effect(step, query["marker"][0], query["execution"][0], time.monotonic()))
            found.calm.wait(60)
            body = b'{"noted": true}'
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            if step == STEPS[0]:
                found.answered.set()

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

        def handle_error(self, request: object, client_address: object) -> None:
            """Callers are killed: that their connections break is expected."""

    with Server((HOST, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        found.url = f"http://{HOST}:{server.server_address[1]}"
        try:
            yield found
        finally:
            found.calm.set()
            server.shutdown()
            thread.join()


def document(url: str) -> Part:
    """Webhook -> Set -> an effect -> another effect -> Set."""

    def effect(step: str) -> Part:
        query = "marker={{ $('Mark').item.json.marker }}&execution={{ $execution.id }}"
        return node(step, "httpRequest", {"method": "GET", "url": f"={url}/{step}?{query}", "options": {}}, version=4.2)

    mark = set_fields("Mark", marker="={{ $json.body.marker }}")
    end = set_fields("End", marker="={{ $('Mark').item.json.marker }}")
    return chain(PATH, webhook(PATH), mark, *map(effect, STEPS), end)
