"""`jackfield evaluate` and `jackfield evaluation` as people and CI call them."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from tests.plugins.evaluations.evaluation_world import EXACT, World

from jackfield.testing.daemon import Daemon


def called(daemon: Daemon, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jackfield", *arguments, "--config-dir", str(daemon.config_dir)]
    return subprocess.run(command, capture_output=True, text=True, input=given, timeout=60, check=False)


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
