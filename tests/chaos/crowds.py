"""Crowds of slow connections beside normal calls."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from jackfield.testing.daemon import HOST, Daemon

CALLS = 300
PROGRAM = Path(__file__).with_name("crowd.py").read_text(encoding="utf-8")


class Crowd:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def said(self) -> dict[str, float]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"the crowd has ended with {self._process.wait(5)}"
        found: dict[str, float] = json.loads(line)
        return found


@contextmanager
def crowd(
    daemon: Daemon, count: int, kind: str, *, user: int | None = None, port: int | None = None
) -> Iterator[Crowd]:
    """kind: see `crowd.py`; user: None for our own; port: None for the daemon's."""
    asked = [str(port or daemon.port), str(count), kind, *([] if user is None else [str(user)])]
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", PROGRAM, *asked], stdout=subprocess.PIPE) as process:
        try:
            yield Crowd(process)
        finally:
            process.kill()


def call_times(daemon: Daemon, path: str, longest: float = 60.0) -> list[float]:
    """Seconds of calls on connections of their own, each of which must be answered with 200: POST to a webhook, GET of
    anything else. longest: seconds after which no further call begins."""
    took: list[float] = []
    line = f"POST {path}" if path.startswith("/webhook/") else f"GET {path}"
    head = f"{line} HTTP/1.1\r\nHost: {HOST}:{daemon.port}\r\nConnection: close\r\n"
    request = (head + 'Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"n":1}').encode()
    deadline = time.monotonic() + longest
    while len(took) < CALLS and time.monotonic() < deadline:
        begun = time.perf_counter()
        with socket.create_connection((HOST, daemon.port), timeout=20) as sock:
            sock.sendall(request)
            assert sock.recv(4096).startswith(b"HTTP/1.1 200 ")
        took.append(time.perf_counter() - begun)
    return took


def metric(daemon: Daemon, name: str) -> float:
    """The sum of the samples whose names begin so."""
    text = httpx.get(f"{daemon.base_url}/metrics", trust_env=False, timeout=10).raise_for_status().text
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(f"jackfield_{name}"))
