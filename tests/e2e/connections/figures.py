"""What a daemon tells of itself beside a crowd."""

from __future__ import annotations

import httpx

from jackfield.testing.daemon import Daemon


def metric(daemon: Daemon, name: str) -> float:
    text = httpx.get(f"{daemon.base_url}/metrics", trust_env=False, timeout=10).raise_for_status().text
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(f"jackfield_{name}"))


def log_size(daemon: Daemon) -> int:
    return sum(file.stat().st_size for file in (daemon.config_dir / "logs").glob("jackfield.log*"))
