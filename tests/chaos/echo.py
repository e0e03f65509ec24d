"""A WebSocket server of ours that sends every message back, which none of the daemon's own endpoints does; everything
else is as in the daemon."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from jackfield.testing.daemon import HOST, free_port, poll

LARGEST = 32 * 1024 * 1024
SERVER = """
import asyncio, logging, sys, time
from hypercorn.asyncio import serve
from jackfield.api.admission.connections import Admission
from jackfield.api.admission.limits import file_limit, limits_of
from jackfield.api.admission.settings import ConnectionSettings
from jackfield.http.hypercorn_connections.settings import OwnConfig
from jackfield.http.hypercorn_parts import install
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            kind = (await receive())["type"]
            await send({"type": kind + ".complete"})
            if kind.endswith("shutdown"):
                return
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "bytes": message["bytes"], "text": message["text"]})
install()
limits = limits_of(ConnectionSettings(), file_limit())
config = OwnConfig(Admission(limits, time.monotonic, logging.warning))
config.bind = ["127.0.0.1:" + sys.argv[1]]
config.websocket_max_message_size = int(sys.argv[3])
config.websocket_compression = sys.argv[2] == "compressed"
config.errorlog = logging.getLogger("errors")
asyncio.run(serve(app, config, mode="asgi"))
"""


@contextmanager
def echo_server(kind: str) -> Iterator[int]:
    """Its port. kind: `plain` or `compressed`."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(port), kind, str(LARGEST)])

    def listens() -> bool:
        with socket.socket() as sock:
            return sock.connect_ex((HOST, port)) == 0

    try:
        poll(listens, "the server listens", timeout=60)
        yield port
    finally:
        process.terminate()
        process.wait(10)
