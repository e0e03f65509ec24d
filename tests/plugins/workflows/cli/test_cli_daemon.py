"""The installed command beside a real daemon."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_lab import document, file_of

from jackfield.testing.daemon import Daemon

ROOT = Path(__file__).resolve().parents[4]
SET = {"mode": "raw", "jsonOutput": '={ "seen": {{ $json.a }} }'}
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("daemon"))
    try:
        yield found.start()
    finally:
        found.close()


@pytest.fixture(scope="module")
def command(daemon: Daemon) -> Command:
    made = daemon.admin().post("/api-keys", json={"name": "command line"})
    env = {**daemon.environment(), "JACKFIELD_API_KEY": made.json()["key"]}  # it is found by daemon-endpoint

    def call(*arguments: str | Path, group: str = "workflow") -> subprocess.CompletedProcess[str]:
        program = Path(sys.executable).with_name("jackfield")
        line = [program, group, *arguments, "--config-dir", daemon.config_dir]
        return subprocess.run(
            [str(part) for part in line], capture_output=True, text=True, env=env, timeout=60, check=False
        )

    return call


def test_import_list_run_and_export_go_through_the_daemon(daemon: Daemon, command: Command, tmp_path: Path) -> None:
    flow = document(("Seen", "set"), name="Through the daemon")
    flow["nodes"][1] |= {"typeVersion": 3.4, "parameters": SET}
    imported = command("import", file_of(tmp_path, [flow]))
    assert imported.returncode == 0, imported.stderr
    workflow_id = imported.stdout.split()[1]
    assert workflow_id in command("list").stdout

    ran = command("run", workflow_id, "--input", '{"a": 7}', "--json")
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert [item["json"] for item in found["data"]] == [{"seen": 7}]
    assert "Seen" in ran.stderr
    history = daemon.admin().get(f"/executions/{found['executionId']}").json()
    assert (history["workflowId"], history["mode"]) == (workflow_id, "manual")

    unsaved = command("run", file_of(tmp_path, flow), "--start", "Start", "--input", '{"a": 8}', "--json", "--quiet")
    assert unsaved.returncode == 0, unsaved.stderr
    assert json.loads(unsaved.stdout)["data"][0]["json"] == {"seen": 8}
    assert unsaved.stderr == ""

    exported = json.loads(command("export", workflow_id).stdout)
    assert exported["nodes"] == flow["nodes"]


@pytest.mark.parametrize("name", ["examples/github-issue-triage.json", "demo/workflow.json"])
def test_what_is_shipped_is_judged_alike_by_api_command_and_import(daemon: Daemon, command: Command, name: str) -> None:
    """Only the credentials are missing that every user makes for themselves: neither an error nor a warning, and each
    way of asking tells it in the same words."""
    file = ROOT / name
    document = json.loads(file.read_text())
    judged = daemon.admin().post("/workflows/validate", json=document).json()
    assert judged["valid"]
    assert {problem["severity"] for problem in judged["problems"]} <= {"activation"}
    assert all("credentials" in problem["path"] for problem in judged["problems"])
    for where in ([], ["--url", daemon.base_url]):
        run = command("validate", file, "--json", *where)
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout)[0]["workflows"][0]["problems"] == judged["problems"]
    imported = daemon.admin().post("/workflows/import", json=document).json()
    assert imported["results"][0]["problems"] == judged["problems"]
    moved = daemon.admin().post("/import", json=document, params={"dryRun": "true"}).json()["results"][0]
    assert moved["problems"] == judged["problems"]
    assert moved["verdict"] == ("setup" if judged["problems"] else "runs")
    shown = command("n8n", file, "--dry-run", group="import")
    assert shown.returncode == 0, shown.stderr
    assert ("runs once set up" in shown.stdout) == bool(judged["problems"])
    assert "needs attention" not in shown.stdout
    for problem in judged["problems"]:
        assert f"activation: {problem['path']}: {problem['message']}" in shown.stdout


def test_a_wrong_key_is_refused_with_the_remedy(daemon: Daemon, command: Command) -> None:
    found = command("list", "--api-key", "jf_wrong")
    assert found.returncode == 1
    assert "JACKFIELD_API_KEY" in found.stderr
    assert "jf_wrong" not in found.stderr
