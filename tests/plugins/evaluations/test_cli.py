"""`jackfield evaluate` and `jackfield evaluation` as people and CI call them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.evaluations.evaluation_world import EXACT, World

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node


def command(config_dir: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "jackfield", *arguments, "--config-dir", str(config_dir)]


def called(daemon: Daemon, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    asked = command(daemon.config_dir, *arguments)
    return subprocess.run(asked, capture_output=True, text=True, input=given, timeout=60, check=False)


@pytest.fixture(scope="module")
def endless(world: World) -> str:
    wait = node("Wait", "wait", {"amount": 60, "unit": "seconds"})
    workflow = world.workflow(chain("endless", node("Start", "manualTrigger"), wait))
    table = world.table("endless", [{"number": 1}], number="number")
    target = {"kind": "workflow", "workflowId": workflow}
    world.evaluation("endless", tableId=table, target=target, scorers=[EXACT])
    return "endless"


def newest(world: World, name: str) -> dict[str, Any]:
    run: dict[str, Any] = world.get(f"/evaluations/{name}")["lastRun"] or {}
    return run


def test_a_run_out_of_time_is_cancelled(daemon: Daemon, world: World, endless: str) -> None:
    done = called(daemon, "evaluate", endless, "--timeout", "0.2")
    assert (done.returncode, "has not come to its end (cancelled)" in done.stderr) == (2, True), done.stderr
    assert newest(world, endless)["status"] == "cancelled"


def test_ctrl_c_cancels_the_run_and_is_no_verdict(daemon: Daemon, world: World, endless: str) -> None:
    before = newest(world, endless).get("number", 0)
    asked = command(daemon.config_dir, "evaluate", endless)
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        poll(lambda: newest(world, endless).get("number", 0) > before, "the run has begun", timeout=30)
        run_id = newest(world, endless)["id"]
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    assert (process.returncode, "is being cancelled" in told) == (2, True), told
    assert world.ended(run_id)["status"] == "cancelled"


def test_no_daemon_is_no_verdict(tmp_path: Path) -> None:
    asked = command(tmp_path, "evaluate", "x")
    assert subprocess.run(asked, capture_output=True, text=True, timeout=60, check=False).returncode == 2


@pytest.fixture(scope="module")
def evaluation(world: World) -> str:
    table = world.table(
        "cli", [{"number": 1, "wanted": 2}, {"number": 2, "wanted": 5}], number="number", wanted="number"
    )
    world.evaluation(
        "cli",
        tableId=table,
        target={"kind": "workflow", "workflowId": world.doubling("cli")},
        output="={{ $json.output.answer }}",
        expected="={{ $json.row.wanted }}",
        scorers=[EXACT],
    )
    return "cli"


def test_the_exit_code_tells_what_came_of_it(daemon: Daemon, evaluation: str) -> None:
    passed = called(daemon, "evaluate", evaluation, "--min-score", "0.5")
    assert passed.returncode == 0, passed.stderr
    assert "The score is 0.500, and at least 0.5 is wanted." in passed.stderr
    below = called(daemon, "evaluate", evaluation, "--json")
    assert below.returncode == 1, below.stderr
    found = json.loads(below.stdout)
    assert (found["passed"], found["verdict"], len(found["rows"])) == (False, "1 of 2 rows have passed.", 2)
    assert called(daemon, "evaluate", "none").returncode == 2
    assert called(daemon, "evaluate", evaluation, "--min-score", "2").returncode == 2
    unknown = called(daemon, "evaluate", evaluation, "--min-score", "0.1", "--scorer", "nobody")
    assert (unknown.returncode, "there are: exact" in unknown.stderr) == (2, True)


def test_junit_has_a_case_for_each_row(daemon: Daemon, evaluation: str) -> None:
    done = called(daemon, "evaluate", evaluation, "--junit")
    suite = ElementTree.fromstring(done.stdout).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    first, second = suite.findall("testcase")
    assert (first.get("name"), first.find("failure")) == ("row 1", None)
    failure = second.find("failure")
    assert failure is not None
    assert failure.get("message") == "The score 0.000 is below 0.5."


def test_a_definition_is_saved_shown_and_deleted(daemon: Daemon, evaluation: str) -> None:
    shown = called(daemon, "evaluation", "show", evaluation)
    saved = called(daemon, "evaluation", "save", "copy", given=shown.stdout)
    assert saved.stdout == "The evaluation copy was created.\n", saved.stderr
    changed = json.dumps({**json.loads(shown.stdout), "passScore": 0.1})
    assert "has the version 2" in called(daemon, "evaluation", "save", "copy", given=changed).stdout
    assert "copy" in called(daemon, "evaluation", "list").stdout
    assert called(daemon, "evaluation", "delete", "copy", "--yes").returncode == 0
    assert called(daemon, "evaluation", "show", "copy").returncode == 1
