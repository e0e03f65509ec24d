"""`jackfield import n8n` and `jackfield export --n8n` beside a running daemon."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from n8n_documents import MAIN, SUB, credential, main_workflow, sub_workflow
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
