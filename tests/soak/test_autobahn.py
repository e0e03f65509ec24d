"""Autobahn's WebSocket suite against our server's WebSockets.

JACKFIELD_TEST_AUTOBAHN: its program, such as `wstest` (it needs Python 2). Its cases want every message back, which
none of our own endpoints does: so the server has an application that does, and everything else as in the daemon.
"""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from jackfield.testing.daemon import free_port, poll

PROGRAM = os.environ.get("JACKFIELD_TEST_AUTOBAHN", "")
SERVER = """
import asyncio, logging, sys
from hypercorn.asyncio import serve
from jackfield.http.hypercorn_connection import OwnConfig
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
config = OwnConfig()
config.bind = ["127.0.0.1:" + sys.argv[1]]
config.websocket_max_message_size = 32 * 1024 * 1024
config.websocket_compression = sys.argv[2] == "compressed"
config.errorlog = logging.getLogger("errors")
asyncio.run(serve(app, config, mode="asgi"))
"""
PLAIN = {"cases": ["*"], "exclude-cases": ["12.*", "13.*"]}
COMPRESSED = {"cases": ["12.1.*", "12.2.*", "13.1.*"], "exclude-cases": []}
FINE = ("OK", "NON-STRICT", "INFORMATIONAL")

pytestmark = pytest.mark.skipif(not PROGRAM, reason="JACKFIELD_TEST_AUTOBAHN names no program")


@pytest.fixture(params=["plain", "compressed"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[int, str]]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(port), request.param])

    def listens() -> bool:
        with socket.socket() as sock:
            return sock.connect_ex(("127.0.0.1", port)) == 0

    poll(listens, "the server listens")
    yield port, request.param
    process.terminate()
    process.wait(10)


def test_no_case_fails(server: tuple[int, str], tmp_path: Path) -> None:
    port, kind = server
    asked = {
        "outdir": str(tmp_path / "reports"),
        "servers": [{"agent": "jackfield", "url": f"ws://127.0.0.1:{port}"}],
        "exclude-agent-cases": {},
        **(PLAIN if kind == "plain" else COMPRESSED),
    }
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(asked))
    subprocess.run([*shlex.split(PROGRAM), "-m", "fuzzingclient", "-s", str(settings)], check=True, timeout=1500)
    found = json.loads((tmp_path / "reports/index.json").read_text())["jackfield"]
    print(f"\n{len(found)} cases: {dict(Counter(case['behavior'] for case in found.values()))}")
    assert len(found) > 30
    wrong = {name: case for name, case in found.items() if not {case["behavior"], case["behaviorClose"]} <= {*FINE}}
    assert not wrong
