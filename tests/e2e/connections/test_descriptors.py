"""A daemon that the system gives no descriptor: it waits, says so in a few lines, and goes on."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import time
from pathlib import Path

import httpx

from jackfield.testing.daemon import HOST, Daemon, poll
from jackfield.testing.documents import chain, webhook

from ..conftest import StartDaemon
from .figures import log_size, metric

ASK = b"GET /health HTTP/1.1\r\nHost: %s\r\n\r\n"
LOG_BYTES = 8 * 1024
CROWD = 40
LACKING = 2.0
"""Seconds without descriptors: several pauses of the port."""
MOST_OF_A_PROCESSOR = 0.5


def used(daemon: Daemon) -> int:
    """The highest descriptor that the daemon has, and one more: what the limit counts."""
    return max(int(name) for name in os.listdir(f"/proc/{daemon.pid}/fd")) + 1  # noqa: PTH208 - names alone


def limit(daemon: Daemon, files: int) -> None:
    _, hard = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (files, hard))


def seconds_of_processor(daemon: Daemon) -> float:
    fields = Path(f"/proc/{daemon.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def called(daemon: Daemon) -> bool:
    """Whether a call was answered, on a connection of its own, which may give way before it has sent anything."""
    with contextlib.suppress(httpx.RemoteProtocolError):
        answer = httpx.post(f"{daemon.base_url}/webhook/kept", json={}, trust_env=False, timeout=20)
        assert answer.status_code == 200
        return True
    return False


def answered(sock: socket.socket, daemon: Daemon) -> bool:
    sock.sendall(ASK % f"{HOST}:{daemon.port}".encode())
    return sock.recv(4096).startswith(b"HTTP/1.1 200 ")


def test_a_daemon_without_descriptors_waits_and_goes_on(new_daemon: StartDaemon, server: str) -> None:
    daemon = new_daemon(arguments=["--server", server])
    daemon.live(chain("kept", webhook("kept")))
    assert called(daemon)
    answers, logged, busy = 0, log_size(daemon), seconds_of_processor(daemon)
    limit(daemon, used(daemon) + 4)
    with contextlib.ExitStack() as opened:
        begun = time.monotonic()
        for _ in range(CROWD):
            opened.enter_context(socket.create_connection((HOST, daemon.port), timeout=20))
        while time.monotonic() - begun < LACKING:
            answers += called(daemon)
            time.sleep(0.1)
        assert answers, "silent connections give way to calls"
        assert seconds_of_processor(daemon) - busy < MOST_OF_A_PROCESSOR * (time.monotonic() - begun)
        assert metric(daemon, 'connections_refused_total{port="daemon",reason="files"}') > 0
        limit(daemon, 1024)
        with socket.create_connection((HOST, daemon.port), timeout=20) as after:
            assert answered(after, daemon)
    assert log_size(daemon) - logged < LOG_BYTES
    poll(lambda: daemon.admin().get("/executions").json()["total"] == answers + 1, "all that was answered is stored")
    poll(lambda: metric(daemon, "connections{") <= 4, "closed connections are not counted as open")
    assert daemon.stop() == 0
