"""The real daemon in a test: its own process, port and configuration directory. For end-to-end tests of plugins too."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

try:
    import httpx
except ModuleNotFoundError as exc:
    raise ModuleNotFoundError(
        "jackfield.testing.daemon asks the daemon with httpx: install it with pip install 'jackfield[testing]'.",
        name=exc.name,
    ) from exc

FoundT = TypeVar("FoundT")
HOST = "127.0.0.1"
USERNAME = "admin"
PASSWORD = "correct-horse-battery"  # noqa: S105 - the password of a daemon that lives as long as one test
CHEAP_PASSWORDS = {
    "JACKFIELD_SECURITY_PASSWORDS_MEMORY": "8192",
    "JACKFIELD_SECURITY_PASSWORDS_ITERATIONS": "1",
    "JACKFIELD_SECURITY_PASSWORDS_LANES": "1",
}
"""The cost of a hash is no subject of most tests; `env` sets it otherwise."""
READY_TIMEOUT = 20.0


def free_port() -> int:
    """A TCP port of the loopback address that nobody listens on now."""
    with socket.socket() as sock:
        sock.bind((HOST, 0))
        return int(sock.getsockname()[1])


def poll(probe: Callable[[], FoundT | None], what: str, *, timeout: float = 10.0) -> FoundT:
    """Ask until the answer is true, at most `timeout` seconds. Raises AssertionError that says what was waited for."""
    deadline = time.monotonic() + timeout
    pause = 0.005
    while True:
        found = probe()
        if found:
            return found
        if time.monotonic() >= deadline:
            raise AssertionError(f"{what}: not within {timeout:g} s")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.2)


class Daemon:
    """`jackfield serve` over one directory and one port; may be started again and again.

    settings: text of config.toml; env: further environment (None removes); arguments: further command-line arguments;
    prefix: a command in front, such as `taskset -c 0`.
    """

    def __init__(
        self,
        directory: Path,
        *,
        settings: str = "",
        env: Mapping[str, str | None] | None = None,
        arguments: Sequence[str] = (),
        prefix: Sequence[str] = (),
    ) -> None:
        self.directory = directory
        self.config_dir = directory / "config"
        self.config_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if settings:
            (self.config_dir / "config.toml").write_text(settings, encoding="utf-8")
        self.output = directory / "output.log"
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self._env = dict(env or {})
        self._arguments = list(arguments)
        self._prefix = list(prefix)
        self._clients: list[httpx.Client] = []

    @property
    def base_url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        if self.process is None:
            raise LookupError("the daemon was never started")
        return self.process.pid

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def command(self) -> list[str]:
        """The program beside the running Python, so that the one under test is the one installed with it."""
        program = str(Path(sys.executable).with_name("jackfield"))
        where = ["--host", HOST, "--port", str(self.port), "--config-dir", str(self.config_dir)]
        return [*self._prefix, program, "serve", *where, *self._arguments]

    def environment(self) -> dict[str, str]:
        env = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
        env |= {"JACKFIELD_ADMIN_USERNAME": USERNAME, "JACKFIELD_ADMIN_PASSWORD": PASSWORD, **CHEAP_PASSWORDS}
        changed = {**env, **self._env}
        return {name: value for name, value in changed.items() if value is not None}

    def start(self, *, wait: bool = True, timeout: float = READY_TIMEOUT) -> Daemon:
        """Start; with `wait`, return when `/ready` answers 200, else at once. Raises AssertionError."""
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(  # noqa: S603 - the program under test
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.environment(),
                start_new_session=True,
            )
        if wait:
            poll(self._ready, "the daemon is ready", timeout=timeout)
        return self

    def _ready(self) -> bool:
        if not self.running:
            raise AssertionError(f"the daemon ended with code {self.wait(0)}\n{self.tail()}")
        with contextlib.suppress(httpx.TransportError), self._opened(timeout=2) as client:
            return client.get("/ready").status_code == httpx.codes.OK
        return False

    def tail(self, size: int = 4000) -> str:
        """The end of what the daemon printed."""
        return self.output.read_text(errors="replace")[-size:] if self.output.exists() else ""

    def wait(self, timeout: float = 40.0) -> int:
        """Wait for the end; the exit code."""
        if self.process is None:
            raise LookupError("the daemon was never started")
        return self.process.wait(timeout)

    def stop(self, timeout: float = 40.0) -> int:
        """SIGTERM; the exit code."""
        os.kill(self.pid, signal.SIGTERM)
        return self.wait(timeout)

    def kill(self) -> None:
        """SIGKILL to the daemon alone, not to its children; returns when it is gone."""
        if self.running:
            os.kill(self.pid, signal.SIGKILL)
        self.wait(10)

    def close(self) -> None:
        """End everything, whatever state it is in."""
        for client in self._clients:
            client.close()
        if self.process is None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired, ProcessLookupError):
            if self.running:
                self.stop(5)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)  # its own group: it was started in a new session
        self.process.wait(5)

    def client(self, **options: Any) -> httpx.Client:  # Any: whatever httpx takes
        """A client without a credential, closed with the daemon."""
        client = self._opened(**options)
        self._clients.append(client)
        return client

    def _opened(self, **options: Any) -> httpx.Client:  # Any: whatever httpx takes
        """Plain HTTP: to load every authority's certificate would take 30 ms of processor for each client."""
        given = {"base_url": self.base_url, "timeout": 20, **options}
        return httpx.Client(trust_env=False, verify=False, **given)  # noqa: S501 - there is no certificate

    def login(self) -> str:
        """The administrator's token."""
        body = {"username": USERNAME, "password": PASSWORD}
        with self._opened() as client:
            answer = client.post("/api/v1/auth/login", json=body)
        if answer.status_code != httpx.codes.OK:
            raise AssertionError(f"login answered {answer.status_code}: {answer.text}")
        return str(answer.json()["token"])

    def admin(self, **options: Any) -> httpx.Client:  # Any: whatever httpx takes
        """A client of `/api/v1` with the administrator's token."""
        client = self.client(headers={"Authorization": f"Bearer {self.login()}"}, **options)
        client.base_url = httpx.URL(f"{self.base_url}/api/v1")
        return client

    def live(self, document: Mapping[str, object], api: httpx.Client | None = None) -> str:
        """Save and activate a workflow; its id."""
        api = api or self.admin()
        saved = api.post("/workflows", json=document)
        if saved.status_code != httpx.codes.CREATED:
            raise AssertionError(f"saving answered {saved.status_code}: {saved.text}")
        found = str(saved.json()["id"])
        active = api.post(f"/workflows/{found}/activate")
        if active.status_code != httpx.codes.OK:
            raise AssertionError(f"activating answered {active.status_code}: {active.text}")
        return found

    def logs(self) -> list[dict[str, object]]:
        """Every line under `logs/`."""
        files = sorted((self.config_dir / "logs").glob("*.log*"))
        return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
