"""Strangers' logins, sinks, authentication methods and applications that raise `SystemExit`: one real daemon outlives
all of it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from jackfield.testing.daemon import Daemon, poll

SOURCE = """
from __future__ import annotations
import asyncio
from jackfield.api.asgi import AsgiMount
from jackfield.api.plugin import Plugin, hookimpl
from jackfield.api.telemetry import ExecutionEnded

class Login:
    name = "corp"
    title = "Corp"
    async def verify(self, username, password): raise {"exit": SystemExit(3), "ctrl": KeyboardInterrupt(),
        "cancel": asyncio.CancelledError()}[username]

class Now(Login):
    name = "now"
    def verify(self, username, password): raise SystemExit(3)

class Sink:
    name = "acme"
    takes = (ExecutionEnded,)
    async def take(self, batch): raise SystemExit(3)
    async def close(self): raise SystemExit(3)

class Method:
    name = "acme"
    schemes = ("Acme",)
    async def authenticate(self, request):
        if "x-odd" in request.headers or request.scheme() == "acme":
            raise SystemExit(3)

async def leave(scope, receive, send):
    if scope["type"] == "lifespan":
        return
    await receive()
    raise SystemExit(3)

class P(Plugin):
    @hookimpl
    def jackfield_password_logins(self): return [Login(), Now()]
    @hookimpl
    def jackfield_telemetry_sinks(self): return [Sink()]
    @hookimpl
    def jackfield_auth_methods(self): return [Method()]
    @hookimpl
    def jackfield_asgi(self): return [AsgiMount("acme", leave), AsgiMount("acme-open", leave, "public")]
"""


def test_no_stranger_that_is_called_ends_the_daemon(tmp_path: Path) -> None:
    site = tmp_path / "site"
    information = site / "acme_calls-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "entry_points.txt").write_text("[jackfield]\nacme_calls = acme_calls:P\n")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-calls\nVersion: 1.0\n")
    (site / "acme_calls.py").write_text(SOURCE)
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    daemon = Daemon(tmp_path / "daemon", env={"PYTHONPATH": path})
    try:
        daemon.start()
        with daemon.client() as client:
            for provider, name in [("corp", "exit"), ("corp", "ctrl"), ("corp", "cancel"), ("now", "exit")]:
                body = {"username": name, "password": "secret-word", "provider": provider}
                answer = client.post("/api/v1/auth/login", json=body)
                assert answer.status_code == 502, (provider, name, answer.text)
            assert client.get("/api/v1/workflows", headers={"Authorization": "Acme x"}).status_code == 401
            assert client.get("/api/v1/auth/logins", headers={"X-Odd": "1"}).status_code == 200
            assert client.get("/api/daemon/status", headers={"X-Odd": "1"}).status_code != 500
            assert client.get("/acme-open/x").status_code == 500
        with daemon.admin() as admin:
            for _ in range(2):
                assert admin.get(f"{daemon.base_url}/acme/x").status_code == 500
            assert admin.get("/workflows", headers={"X-Odd": "1"}).status_code == 200
            listed = admin.get(f"{daemon.base_url}/api/plugins").json()["data"]
        (mine,) = [plugin for plugin in listed if plugin["name"] == "acme_calls"]
        assert "its authentication method acme failed: it raised SystemExit" in mine["error"]
        os.kill(daemon.pid, signal.SIGINT)
        assert poll(lambda: not daemon.running or None, "the end after Ctrl-C", timeout=40)
        output = daemon.tail(1_000_000)
        assert "The telemetry sink acme failed at its end: " in output
        assert "secret-word" not in output
    finally:
        daemon.close()
