"""Run pytest with the arguments, where the program under test is two daemons behind a balancer (`serve.py`).

cd ../shared/acceptance && python CHECKOUT/tests/balanced/run.py -q -n 2 --dist loadfile workflow_service agent_daemon
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
_PID = "Names the process that the test has started: one of two, and neither is the stand-in's."
_OWNER = (
    "A daemon knows its owner by the user of the process at the other end of a connection. Behind a balancer that is "
    "the balancer, here one of the owner's: such a balancer must let nobody else in."
)
_DIRECTORY = (
    "The path of a directory belongs to one machine. Two daemons that see the same one are each asked to import it in "
    "turn, and count it twice; `?host=NAME` names the one that is meant."
)
_DETECTIONS = "Counts programs that were started to find out which agents there are, which each host does for itself."
_LEDGER = "Reads the file of one host's ledger; the session ran on either host."
AGENT_DAEMON: Mapping[str, str] = {
    "test_daemon.py::test_status_has_the_documented_fields": _PID,
    "test_daemon.py::test_second_daemon_on_the_directory_exits_1": _PID,
    "test_daemon.py::test_directory_is_free_after_a_crash": _PID,
    "test_daemon.py::test_bind_to_every_address_without_a_user_is_refused": (
        "Here the balancer listens at the address that is given, and the daemons at others."
    ),
    "test_gate.py::test_other_user_is_401": _OWNER,
    "test_gate.py::test_other_user_is_401_everywhere": _OWNER,
    "test_gate.py::test_other_user_cannot_write": _OWNER,
    "test_gate.py::test_other_user_cannot_attach": _OWNER,
    "test_gate.py::test_other_user_who_hangs_up_at_once_has_no_effect": _OWNER,
    "test_gate.py::test_other_user_cannot_borrow_the_owners_port_number": _OWNER,
    "test_manifests.py::test_detection_is_not_repeated_while_the_binary_stays": _DETECTIONS,
    "test_secrets.py::test_directories_that_the_daemon_made_are_closed_to_others": (
        "The stand-in's links between the directories of hosts have modes of their own."
    ),
    "test_usage.py::test_ended_terminal_session_becomes_a_line": _LEDGER,
    "test_usage_import.py::test_claude_only_what_is_new_is_added": _DIRECTORY,
    "test_usage_import.py::test_claude_response_that_grew_between_two_imports_counts_once": _DIRECTORY,
    "test_usage_import.py::test_import_survives_a_restart_and_is_not_repeated": _DIRECTORY,
    "test_usage_import.py::test_codex_session_that_moved_to_the_archive_is_not_counted_again": _DIRECTORY,
}
"""Tests of `agent_daemon` that assume one process, and why two cannot hold them."""
WORKFLOW_SERVICE: Mapping[str, str] = {
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
"""The same of `workflow_service`."""
CANNOT_HOLD: Mapping[str, Mapping[str, str]] = {"workflow_service": WORKFLOW_SERVICE, "agent_daemon": AGENT_DAEMON}
"""By the directory of the suite."""


def left_out() -> Sequence[str]:
    return [
        word for suite, names in CANNOT_HOLD.items() for name in names for word in ("--deselect", f"{suite}/{name}")
    ]


if __name__ == "__main__":
    program = f"{sys.executable} {Path(__file__).with_name('serve.py').resolve()} serve"
    with postgres_server("max_connections=400") as server:
        env = {**os.environ, "BALANCED_DSN": server.dsn(), "JACKFIELD_CMD": program}
        command = [sys.executable, "-m", "pytest", *left_out(), *sys.argv[1:]]
        done = subprocess.run(command, env=env, check=False)
    sys.exit(done.returncode)
