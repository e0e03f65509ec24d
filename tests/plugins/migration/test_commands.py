"""`jackfield import n8n` and `jackfield export --n8n` beside a running daemon."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

from n8n_documents import MAIN, SUB, credential, main_workflow, node, sub_workflow, workflow
from test_cipher import KEY, SEALED

from jackfield.testing.daemon import Daemon


def jackfield(daemon: Daemon, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    program = str(Path(sys.executable).with_name("jackfield"))
    env = {name: value for name, value in os.environ.items() if not name.startswith(("JACKFIELD_", "N8N_"))}
    return subprocess.run(
        [program, *arguments, "--config-dir", str(daemon.config_dir)],
        env=env, input=given, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_a_directory_with_the_key_from_standard_input(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "workflows.json").write_text(json.dumps([main_workflow(), sub_workflow()]))
    (tmp_path / "sealed.json").write_text(json.dumps([credential(SEALED, "cli00001", "Of the CLI", "httpBasicAuth")]))
    given = ("import", "n8n", str(tmp_path), "--source", "cli", "--encryption-key-file", "-")
    tried = jackfield(daemon, *given, "--dry-run", given=KEY)
    assert (tried.returncode, "Nothing was changed" in tried.stdout) == (0, True)
    done = jackfield(daemon, *given, "--json", given=KEY)
    report = json.loads(done.stdout)
    assert (done.returncode, report["counts"]["credential"]) == (0, {"created": 1})
    assert KEY not in done.stdout + done.stderr + daemon.output.read_text()
    (tmp_path / "broken.json").write_text("{")
    again = jackfield(daemon, *given, given=KEY)
    assert (again.returncode, "broken.json" in again.stderr) == (1, True)
    assert "unchanged" in again.stdout


def test_circles_and_twins_are_told_however_many_requests_it_takes(daemon: Daemon, tmp_path: Path) -> None:
    count, ends = 230, {3: 210, 210: 3}
    documents = []
    for number in range(count):
        called = ends.get(number)
        nodes = [node("Call", "executeWorkflow", {"workflowId": f"Many{called:012}"})] if called is not None else []
        documents.append(
            workflow(f"Many{number:012}", f"Many {number % 225}", [node("Start", "manualTrigger"), *nodes])
        )
    file = tmp_path / "many.json"
    file.write_text(json.dumps([*documents, documents[0]]))
    done = jackfield(daemon, "import", "n8n", str(file), "--source", "many", "--json")
    report = json.loads(done.stdout)
    assert (done.stderr, report["counts"]["workflow"]) == ("", {"created": count, "runs": count, "skipped": 1})
    told: dict[str, list[str]] = {"It calls itself": [], "same name": [], "stands in": []}
    for row in report["results"]:
        for problem in row["problems"]:
            told[next(part for part in told if part in problem["message"])].append(row["name"])
    assert sorted(told["It calls itself"]) == ["Many 210", "Many 3"]
    assert sorted(told["same name"]) == sorted(2 * [f"Many {number}" for number in range(5)])
    assert told["stands in"] == ["Many 0"]


def test_a_terminal_shows_how_far_it_is(daemon: Daemon, tmp_path: Path) -> None:
    file = tmp_path / "workflows.json"
    file.write_text(json.dumps([sub_workflow()]))
    reading, terminal = pty.openpty()
    program = str(Path(sys.executable).with_name("jackfield"))
    command = [program, "import", "n8n", str(file), "--source", "shown", "--config-dir", str(daemon.config_dir)]
    with os.fdopen(reading, "rb", buffering=0) as shown:
        done = subprocess.run(command, stderr=terminal, stdout=subprocess.PIPE, timeout=60, check=False)
        os.close(terminal)
        assert done.returncode == 0
        assert b"Importing" in shown.read(4096)
    assert "Importing" not in jackfield(daemon, "import", "n8n", str(file), "--source", "shown").stderr


def test_the_key_beside_the_database_and_a_wrong_one(daemon: Daemon, tmp_path: Path) -> None:
    sealed = tmp_path / "sealed.json"
    sealed.write_text(json.dumps([credential(SEALED, "cli00002", "Beside", "httpBasicAuth")]))
    wrong = jackfield(daemon, "import", "n8n", str(sealed), "--encryption-key-file", "-", given="another key")
    assert (wrong.returncode, "does not open it" in wrong.stderr) == (1, True)
    (tmp_path / "config").write_text(json.dumps({"encryptionKey": KEY}))
    assert jackfield(daemon, "import", "n8n", str(sealed)).returncode == 0


def test_out_again(daemon: Daemon, tmp_path: Path) -> None:
    file = tmp_path / "workflows.json"
    file.write_text(json.dumps([main_workflow() | {"name": "Out again"}, sub_workflow() | {"name": "Out too"}]))
    assert jackfield(daemon, "import", "n8n", str(file), "--source", "back").returncode == 0
    done = jackfield(daemon, "export", "--n8n", "--source", "back", "Out again", "Out too")
    found = json.loads(done.stdout)
    assert [each["id"] for each in found] == [MAIN, SUB]
    assert found[0]["nodes"][1]["parameters"]["workflowId"]["value"] == SUB
    assert jackfield(daemon, "export", "Out again").returncode == 2
