"""The processes of a daemon with workers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import httpx

from jackfield.testing.daemon import Daemon

WORKERS = ["--workers", "2"]


@dataclass(frozen=True)
class Processes:
    """Ids. parent: of the first one, which the test has started."""

    parent: int
    first: int
    workers: list[int]


def children(pid: int) -> list[int]:
    found = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return sorted(int(child) for each in found for child in each)


def processes(daemon: Daemon) -> Processes | None:
    """None as long as one is missing."""
    try:
        (first,) = children(daemon.pid)
        workers = [pid for pid in children(first) if b"jackfield.cli.processes.worker" in _command(pid)]
    except (OSError, ValueError):
        return None
    return Processes(daemon.pid, first, workers) if len(workers) == 2 else None


def all_ready(daemon: Daemon) -> bool:
    try:
        with daemon.client() as client:
            return bool(client.get("/ready").json()["checks"]["workers"] == "ok")
    except (httpx.TransportError, ValueError, KeyError):
        return False


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
