"""Connections that ask nothing, or too slowly, keep nobody out, and do not last. The daemon has 1,024 files."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import HOST, Daemon, poll

from ..conftest import StartDaemon

CROWD = 1010
FILES = 1024
NOBODY = 65534
LIMITED = ("sh", "-c", f'ulimit -n {FILES}; exec "$@"', "sh")
CALLS = 300
CLOSED_WITHIN = 15.0
FLOOR = 0.1
"""Seconds: a busy machine takes that long for a call now and then, with or without a crowd."""
LOG_BYTES = 16 * 1024
PROGRAM = Path(__file__).with_name("crowd.py").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(
    not os.environ.get("JACKFIELD_TEST_CROWDS"), reason="minutes, on a machine that does nothing else: `tox -e crowds`"
)
needs_another_user = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a program of another user")


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
def crowd(daemon: Daemon, count: int, kind: str, *, user: int | None = None) -> Iterator[Crowd]:
    """user: None for our own."""
    with subprocess.Popen(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            PROGRAM,
            str(daemon.port),
            str(count),
            kind,
            *([] if user is None else [str(user)]),
        ],
        stdout=subprocess.PIPE,
    ) as process:
        try:
            yield Crowd(process)
        finally:
            process.kill()


def p99(daemon: Daemon) -> float:
    """Of calls on connections of their own, each of which must be answered."""
    took = []
    request = f"GET /health HTTP/1.1\r\nHost: {HOST}:{daemon.port}\r\nConnection: close\r\n\r\n".encode()
    for _ in range(CALLS):
        begun = time.perf_counter()
        with socket.create_connection((HOST, daemon.port), timeout=10) as sock:
            sock.sendall(request)
            assert sock.recv(4096).startswith(b"HTTP/1.1 200 ")
        took.append(time.perf_counter() - begun)
    return sorted(took)[CALLS * 99 // 100]


def metric(daemon: Daemon, name: str) -> float:
    text = httpx.get(f"{daemon.base_url}/metrics", trust_env=False, timeout=10).raise_for_status().text
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(f"jackfield_{name}"))


def log_size(daemon: Daemon) -> int:
    return sum(file.stat().st_size for file in (daemon.config_dir / "logs").glob("jackfield.log*"))


@pytest.mark.parametrize("user", [pytest.param(NOBODY, marks=needs_another_user), None])
@pytest.mark.parametrize("kind", ["silent", "dripped"])
def test_a_crowd_keeps_the_owner_not_out_and_does_not_last(
    new_daemon: StartDaemon, user: int | None, kind: str
) -> None:
    daemon = new_daemon(prefix=LIMITED)
    p99(daemon)  # the first calls load what a call needs
    before, logged = p99(daemon), log_size(daemon)
    with crowd(daemon, CROWD, kind, user=user) as found:
        assert found.said() == {"opened": CROWD}
        beside = p99(daemon)
        assert metric(daemon, "connections_displaced_total") > 0, "1,010 are more than anybody may have"
        over = found.said()
    print(f"{kind}, user {user}: p99 {before * 1000:.1f} ms, beside the crowd {beside * 1000:.1f} ms, {over}")
    assert beside <= max(3 * before, FLOOR)
    assert over["left"] == 0
    assert over["seconds"] <= CLOSED_WITHIN
    assert log_size(daemon) - logged <= LOG_BYTES
    assert metric(daemon, "connections_timed_out_total") > 0
    poll(lambda: metric(daemon, "connections{") <= 2, "the crowd is gone")
    assert daemon.stop() == 0


@pytest.mark.parametrize("user", [pytest.param(NOBODY, marks=needs_another_user), None])
def test_a_daemon_starts_in_a_crowd(new_daemon: StartDaemon, user: int | None) -> None:
    daemon = new_daemon(prefix=LIMITED, start=False)
    with crowd(daemon, CROWD, "silent", user=user) as found:
        daemon.start()
        assert found.said() == {"opened": CROWD}
        assert daemon.client().get("/api/plugins").status_code == 200, "the management API is there"
        assert daemon.running
    assert daemon.stop() == 0


def test_as_few_files_as_can_be_are_enough_to_answer(new_daemon: StartDaemon) -> None:
    daemon = new_daemon(prefix=("sh", "-c", 'ulimit -n 128; exec "$@"', "sh"))
    with crowd(daemon, 300, "silent") as found:
        assert found.said() == {"opened": 300}
        p99(daemon)
        assert daemon.admin().get("/workflows").status_code == 200, "the store has its files"
    assert daemon.stop() == 0
