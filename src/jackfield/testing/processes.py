"""Processes that a test looks at from outside. Linux."""

from __future__ import annotations

from pathlib import Path


def is_running(pid: int) -> bool:
    """Whether a process has not ended. One that has keeps its number until its parent, which may be the system's first
    process, collects it; that one does not run."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in b"ZX"
    except OSError:
        return False
