"""A real NATS server in a test: its own process and port. For tests of plugins too.

The program is `nats-server` on the path, in Go's directory of programs, or the one that `JACKFIELD_TEST_NATS` names:
`go install github.com/nats-io/nats-server/v2@v2.15.2` makes it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

from .daemon import HOST, free_port, poll

VARIABLE = "JACKFIELD_TEST_NATS"


class NoNats(Exception):
    """The server's program is not installed."""


def program() -> str:
    """Raises `NoNats`."""
    given = os.environ.get(VARIABLE)
    places = os.pathsep.join([os.environ.get("PATH", ""), str(Path.home() / "go" / "bin")])
    found = shutil.which(given) if given else shutil.which("nats-server", path=places)
    if found is None:
        raise NoNats(f"{given or 'nats-server'} is not installed; go install github.com/nats-io/nats-server/v2@v2.15.2")
    return found


class NatsServer:
    """One server on loopback, which may be killed and started again at the same port."""

    def __init__(self) -> None:
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"nats://{HOST}:{self.port}"

    def start(self) -> NatsServer:
        """Returns when it takes connections. Raises `NoNats`."""
        self._process = subprocess.Popen(  # noqa: S603 - the server under test
            [program(), "-a", HOST, "-p", str(self.port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        poll(self._answers, "the NATS server takes connections", timeout=30)
        return self

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection((HOST, self.port), 1) as line:
            return line.recv(5) == b"INFO "
        return False

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)


@contextlib.contextmanager
def nats_server() -> Iterator[NatsServer]:
    """A running one. Raises `NoNats`."""
    server = NatsServer()
    try:
        yield server.start()
    finally:
        server.kill()
