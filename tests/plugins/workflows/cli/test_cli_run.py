"""`jackfield workflow run` without a daemon: in the command's own process, with nothing left behind."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from cli_lab import CliLab, document, file_of

from jackfield_workflows.cli.progress import CommandOutcome, show

FLOW = document(("Mark", "pass"))


def ran(found: Any) -> list[Any]:
    """The json of the items of a run with --json."""
    assert found.exit_code == 0, found.output
    return [item["json"] for item in json.loads(found.stdout)["data"]]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('[{"json": {"a": 1}}]', [{"a": 1}]),
        ('{"inputData": [{"json": {"a": 1}}]}', [{"a": 1}]),
        ("{}", [{}]),
    ],
)
def test_input_comes_as_items_or_as_plain_objects(run: Any, tmp_path: Path, given: str, expected: list[Any]) -> None:
    found = run("run", file_of(tmp_path, FLOW), "--input", given, "--json")
    assert ran(found) == [{**row, "by": "Mark"} for row in expected]


def test_input_from_a_file_and_from_standard_input(run: Any, tmp_path: Path) -> None:
    flow, given = file_of(tmp_path, FLOW), file_of(tmp_path, {"a": 5}, "input.json")
    assert ran(run("run", flow, "--input", f"@{given}", "--json")) == [{"a": 5, "by": "Mark"}]
    assert ran(run("run", flow, "--input", "-", "--json", stdin='{"a": 6}')) == [{"a": 6, "by": "Mark"}]


def test_the_workflow_from_standard_input(run: Any) -> None:
    assert ran(run("run", "-", "--json", stdin=json.dumps(FLOW))) == [{"by": "Mark"}]


def test_both_cannot_come_from_standard_input(run: Any) -> None:
    assert run("run", "-", "--input", "-", stdin="{}").exit_code == 2


def test_progress_goes_to_standard_error_and_the_result_to_standard_output(run: Any, tmp_path: Path) -> None:
    found = run("run", file_of(tmp_path, FLOW))
    assert found.stdout == '{\n  "by": "Mark"\n}\n'
    assert "ok" in found.stderr
    assert "Mark" in found.stderr
    assert "1 item" in found.stderr


def test_quiet_shows_no_progress(run: Any, tmp_path: Path) -> None:
    assert run("run", file_of(tmp_path, FLOW), "--quiet").stderr == ""


def test_a_failure_names_the_node_and_gives_exit_code_1(run: Any, tmp_path: Path) -> None:
    found = run("run", file_of(tmp_path, document(("Break", "failing"))))
    assert found.exit_code == 1
    assert "failed in Break: it cannot be done" in found.stderr
    body = run("run", file_of(tmp_path, document(("Break", "failing"))), "--json")
    assert body.exit_code == 1
    assert json.loads(body.stdout)["error"] == {"message": "it cannot be done", "node": "Break", "itemIndex": 0}


def test_the_start_node_can_be_named(run: Any, tmp_path: Path) -> None:
    flow = file_of(tmp_path, document(("One", "pass"), ("Two", "pass")))
    found = run("run", flow, "--start", "One", "--input", '{"a": 1}')
    assert json.loads(found.stdout) == {"a": 1, "by": "Two"}
    assert "One" not in found.stderr


@pytest.mark.parametrize(
    ("arguments", "body", "message"),
    [
        (["--start", "Nowhere"], FLOW, "no node Nowhere"),
        (["--input", "{"], FLOW, "not valid JSON"),
        (["--input", "[1]"], FLOW, "must be an object"),
        (["--input", "@/nowhere/at-all"], FLOW, "cannot be read"),
        ([], {"name": "x", "nodes": {}}, "nodes: The nodes of a workflow must be a list"),
        ([], [FLOW, FLOW], "holds 2 workflows"),
        ([], ["text"], "must be an object"),
    ],
)
def test_what_cannot_be_run_gives_exit_code_2(
    run: Any, tmp_path: Path, arguments: list[str], body: Any, message: str
) -> None:
    found = run("run", file_of(tmp_path, body), *arguments)
    assert found.exit_code == 2, found.output
    assert message in found.stderr


def test_a_missing_file(run: Any) -> None:
    found = run("run", "/nowhere/flow.json")
    assert (found.exit_code, found.stdout) == (2, "")
    assert "No such file" in found.stderr


def test_a_saved_workflow_runs_by_its_id_and_leaves_no_trace(cli: CliLab, run: Any, tmp_path: Path) -> None:
    flow = file_of(tmp_path, document(("Count", "counting")))
    workflow_id = run("import", flow).stdout.split()[1]
    for _ in range(2):
        assert ran(run("run", workflow_id, "--json")) == [{"by": "Count"}]
    assert cli.store._runs == {}
    assert cli.store._workflows[workflow_id].static_data is None


def test_an_unknown_id(run: Any) -> None:
    found = run("run", "01a1fffb-b183-79db-a66b-56f712d8ef6e")
    assert found.exit_code == 2
    assert "no workflow with this id" in found.stderr


def test_a_wait_for_a_call_ends_the_run(run: Any, tmp_path: Path) -> None:
    found = run("run", file_of(tmp_path, document(("Ask", "waiting"))))
    assert found.exit_code == 1
    assert "only a running daemon" in found.stderr


def test_an_interrupt_cancels_the_run_and_shows_that(cli: CliLab, run: Any, tmp_path: Path) -> None:
    cli.started = lambda: os.kill(os.getpid(), signal.SIGINT)
    found = run("run", file_of(tmp_path, document(("Stay", "endless"))), "--json")
    assert found.exit_code == 1
    assert json.loads(found.stdout) == {"status": "cancelled", "data": [{"json": {}}]}


def test_names_cannot_drive_the_terminal(run: Any, tmp_path: Path) -> None:
    found = run("run", file_of(tmp_path, document(("A\x1b[2JB", "pass"))))
    assert found.exit_code == 0
    assert "\x1b[2J" not in found.stderr


def test_data_cannot_drive_the_terminal(run: Any, tmp_path: Path) -> None:
    found = run("run", file_of(tmp_path, FLOW), "--input", '{"a": "x\\u009b2J"}')
    assert found.exit_code == 0
    assert "x 2J" in found.stdout


def test_names_of_files_cannot_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show(CommandOutcome("success", [{"json": {}, "binary": {"a\x1b[2J": {}}}]), as_json=False)
    assert "files: a [2J" in capsys.readouterr().out
