"""A server on loopback whose answers a test holds back, so that a node of an execution is in flight."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from jackfield.testing.daemon import HOST


@dataclass
class Gates:
    """asked: paths, in order; opened: unset, nobody is answered; held: paths that are answered once `released` is
    set."""

    url: str
    asked: list[str] = field(default_factory=list)
    opened: threading.Event = field(default_factory=threading.Event)
    held: set[str] = field(default_factory=set)
    released: threading.Event = field(default_factory=threading.Event)


@contextlib.contextmanager
def gates() -> Iterator[Gates]:
    """A running one, whose gate is open."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            found.asked.append(self.path)
            found.opened.wait(60)
            if self.path in found.held:
                found.released.wait(60)
            with contextlib.suppress(OSError):  # whoever asked may be dead
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    found = Gates(f"http://{HOST}:{server.server_port}")
    found.opened.set()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield found
    finally:
        found.opened.set()
        found.released.set()
        server.shutdown()
        server.server_close()
