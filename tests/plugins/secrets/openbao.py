"""A real OpenBao server in a test: in memory, on loopback, with a root token."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from jackfield.testing.daemon import HOST, free_port, poll

VARIABLE = "JACKFIELD_TEST_BAO"
"""Names the program, `bao` or `vault`; else it is looked for beside Python and on the PATH."""
ROOT = "root-token-of-a-server-in-a-test"


def program() -> str | None:
    beside = Path(sys.executable).parent
    return os.environ.get(VARIABLE) or shutil.which("bao", path=f"{beside}:{os.environ.get('PATH', '')}")


class OpenBao:
    def __init__(self, command: str) -> None:
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}"
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [
                self._command, "server", "-dev", "-dev-no-store-token",
                f"-dev-root-token-id={ROOT}", f"-dev-listen-address={HOST}:{self.port}",
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent"},
        )  # fmt: skip
        poll(self._ready, "OpenBao is ready", timeout=30)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)

    def _ready(self) -> bool:
        with contextlib.suppress(OSError, AssertionError):
            return bool(self.ask("GET", "sys/health")["initialized"])
        return False

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None, token: str = ROOT) -> Any:
        connection = HTTPConnection(HOST, self.port, timeout=10)
        with contextlib.closing(connection):
            connection.request(method, f"/v1/{path}", json.dumps(body or {}), {"X-Vault-Token": token})
            reply = connection.getresponse()
            text = reply.read()
            assert reply.status < 400, text
            return json.loads(text) if text else None

    def token(self, policy: str, rules: str, **more: str) -> str:
        """A token that may do no more than the rules say."""
        self.ask("PUT", f"sys/policies/acl/{policy}", {"policy": rules})
        made = self.ask("POST", "auth/token/create", {"policies": [policy], **more})
        return str(made["auth"]["client_token"])


@contextlib.contextmanager
def openbao_server(command: str) -> Iterator[OpenBao]:
    server = OpenBao(command)
    try:
        server.start()
        yield server
    finally:
        server.stop()
