"""Run pytest with the arguments, where the program under test is two daemons behind a balancer (`serve.py`).

python tests/balanced/run.py -q -n 2 --dist loadfile ../shared/acceptance/workflow_service
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.testing.postgres import postgres_server

_LATE = (
    "Counts of a webhook's calls reach the other daemon 0.2 s later (docs/scaling.md, Several daemons on one "
    "database): of calls one right behind the other, each to the next daemon, more than a limit of a few pass."
)
CANNOT_HOLD: Mapping[str, str] = {
    "test_process.py::test_a_second_daemon_on_the_same_directory_is_refused": (
        "The message names the process that holds the directory: one of two, and neither is the stand-in's."
    ),
    "test_webhook_history.py::test_at_most_100_rejected_calls_a_minute_are_stored": (
        "Rejected calls that are kept count per daemon, so that two keep twice as many."
    ),
    "test_trigger_limits.py::test_calls_above_the_limit_are_429_with_retry_after": _LATE,
    "test_trigger_limits.py::test_each_webhook_has_its_own_limit": _LATE,
    "test_trigger_limits.py::test_a_forwarding_header_gives_no_new_limit": _LATE,
    "test_trigger_limits.py::test_the_limit_comes_before_authentication": _LATE,
    "test_trigger_limits.py::test_after_retry_after_calls_pass_again": _LATE,
    "test_trigger_limits.py::test_the_window_slides": _LATE,
    "test_trigger_limits.py::test_the_default_limit_is_100_a_minute": _LATE,
}
"""Tests that assume one process, and why two cannot hold them."""


def left_out(suite: str = "workflow_service") -> Sequence[str]:
    return [word for name in CANNOT_HOLD for word in ("--deselect", f"{suite}/{name}")]


if __name__ == "__main__":
    program = f"{sys.executable} {Path(__file__).with_name('serve.py').resolve()} serve"
    with postgres_server("max_connections=400") as server:
        env = {**os.environ, "BALANCED_DSN": server.dsn(), "JACKFIELD_CMD": program}
        command = [sys.executable, "-m", "pytest", *left_out(), *sys.argv[1:]]
        done = subprocess.run(command, env=env, check=False)
    sys.exit(done.returncode)
