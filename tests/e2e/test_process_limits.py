"""A start below limits of the system with which nothing would work: one sentence, no traceback."""

from __future__ import annotations

import shutil

import pytest

from .conftest import StartDaemon

MIB = 1 << 20


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="prlimit sets the limit")
@pytest.mark.parametrize(
    ("limit", "told"),
    [
        (f"--as={100 * MIB}", ["is 100 MiB", "256 MiB"]),
        (f"--as={300 * MIB}", ["is 300 MiB", "daemon.memory_reserve"]),
        ("--nofile=16", ["`ulimit -n`", "is 16", "64"]),
        ("--nofile=63", ["`ulimit -n`", "is 63", "64"]),
    ],
)
def test_the_start_is_refused_with_a_sentence(new_daemon: StartDaemon, limit: str, told: list[str]) -> None:
    daemon = new_daemon(prefix=["prlimit", limit], start=False)
    daemon.start(wait=False)
    assert daemon.wait() == 1
    output = daemon.tail()
    assert [part for part in told if part not in output] == []
    assert "Traceback" not in output


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="prlimit sets the limit")
def test_the_least_number_of_files_serves(new_daemon: StartDaemon) -> None:
    daemon = new_daemon(prefix=["prlimit", "--nofile=64"])
    assert daemon.client().get("/health").status_code == 200
