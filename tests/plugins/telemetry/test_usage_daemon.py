"""`/api/usage` of a real daemon."""

from __future__ import annotations

import csv
import io
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from usage_lab import claude_line

from jackfield.testing.daemon import Daemon
from jackfield_telemetry.http.schemas import ExportAnswer, ExportedRow
from jackfield_telemetry.importing import compiled


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    root = tmp_path_factory.mktemp("usage")
    log = root / "home" / ".claude" / "projects" / "one.jsonl"
    log.parent.mkdir(parents=True)
    log.write_bytes(claude_line("m1", "r1", model="=cmd|' /C calc'!A0") + claude_line("m2", "r2", model="gpt-5"))
    made = Daemon(root, env={"HOME": str(root / "home"), "XDG_CONFIG_HOME": None, "CLAUDE_CONFIG_DIR": None})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        made.start()
    assert made.client().post("/api/usage/import-agent").json() == {
        "success": True,
        "data": "Imported 220 tokens in 2 answers from 1 of 1 files (claude).",
    }
    yield made
    made.close()


def test_what_is_priced_and_what_is_not(daemon: Daemon) -> None:
    data = daemon.client().get("/api/usage", params={"period": "all", "tz": "Asia/Kathmandu"}).json()["data"]
    assert data["unpriced"] == ["=cmd|' /C calc'!A0"]
    assert data["total_cost"]["total_cost"] == pytest.approx(100 * 1.25e-6 + 10 * 10e-6)
    assert list(data["aggregates"]["by_date"]) == ["2026-01-31"]


@pytest.mark.parametrize(
    "query",
    [{"period": "x"}, {"tz": "Mars/Base"}, {"tz": "../../etc/passwd"}, {"color": "red"}, {"profile": "p" * 300}],
)
def test_bad_queries_are_named(daemon: Daemon, query: dict[str, str]) -> None:
    answer = daemon.client().get("/api/usage", params=query)
    assert (answer.status_code, answer.json()["success"]) == (400, False)


@pytest.mark.parametrize(
    "query", [{"agent": "nobody"}, {"agent_dir": "/not/there"}, {"agent_dir": "relative"}, {"agent_dir": "~nosuchuser"}]
)
def test_bad_imports_are_named(daemon: Daemon, query: dict[str, str]) -> None:
    assert daemon.client().post("/api/usage/import-agent", params=query).status_code == 400


def test_a_spreadsheet_does_not_run_what_a_log_says(daemon: Daemon) -> None:
    answer = daemon.client().get("/api/usage/export", params={"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {row["model"] for row in rows} == {"'=cmd|' /C calc'!A0", "gpt-5"}
    assert sum(int(row["input_tokens"]) for row in rows) == 200


def test_export_as_json_has_the_same_rows(daemon: Daemon) -> None:
    answer = daemon.client().get("/api/usage/export")
    assert answer.headers["content-disposition"] == 'attachment; filename="usage.json"'
    rows = answer.json()["data"]
    assert set(rows[0]) == set(ExportedRow.model_fields)
    ExportAnswer.model_validate(answer.json(), strict=True)
    assert sorted((row["model"], row["answers"], row["priced"]) for row in rows) == [
        ("=cmd|' /C calc'!A0", 1, False),
        ("gpt-5", 1, True),
    ]


def test_doctor_names_what_is_damaged(daemon: Daemon) -> None:
    registry = daemon.config_dir / "registry"
    registry.mkdir(mode=0o700, exist_ok=True)
    (registry / "litellm-pricing.json").write_text("{")
    program = Path(daemon.command()[0])
    run = subprocess.run([program, "doctor", "--config-dir", daemon.config_dir], capture_output=True, text=True)
    assert "litellm-pricing.json" in run.stdout + run.stderr
    warnings = daemon.client().get("/api/usage").json()["warnings"]
    assert any("litellm-pricing.json" in warning for warning in warnings)


@pytest.mark.parametrize("installed", [True, False], ids=["jackfield_native", "python"])
def test_doctor_names_the_reader_of_logs(daemon: Daemon, installed: bool, tmp_path: Path) -> None:
    environment = dict(os.environ)
    if not installed:
        (tmp_path / "jackfield_native.py").write_text("raise ImportError")
        environment["PYTHONPATH"] = str(tmp_path)
    elif not compiled.available():
        pytest.skip("jackfield_native is not installed")
    argv = [daemon.command()[0], "doctor", "--config-dir", str(daemon.config_dir)]
    run = subprocess.run(argv, capture_output=True, text=True, env=environment)
    assert f"are read by {'jackfield-native' if installed else 'Python'}" in run.stdout
