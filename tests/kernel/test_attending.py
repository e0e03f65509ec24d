"""The parent of a daemon with workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys

DAEMON = """
import os
from pathlib import Path
shown = Path(f"/proc/{os.getppid()}/environ").read_bytes()
assert b"planted-in-env" not in shown and b"PLANTED=" in shown, shown
assert os.environ["PLANTED"] == "planted-in-env"
"""


def test_what_it_gives_the_daemon_is_not_shown_in_its_own_environment() -> None:
    """It lives as long as the daemon, and any program of the user may read /proc/PID/environ."""
    command = [sys.executable, "-m", "jackfield.cli.processes.attending", json.dumps([sys.executable, "-c", DAEMON])]
    env = {**os.environ, "PLANTED": "planted-in-env"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
