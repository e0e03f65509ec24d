"""Fifty linked workflows move from a real n8n into a daemon, by each way that n8n offers, and answer as they did."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll

from .documents import CREDENTIALS, PASSWORD, TOKEN, Call, calls, published, workflows
from .real_n8n import KEY, RealN8n

INSTALLED = os.environ.get("JACKFIELD_TEST_N8N_REAL", "")
pytestmark = pytest.mark.skipif(not INSTALLED, reason="JACKFIELD_TEST_N8N_REAL names no n8n")


class Left:
    """What n8n has left behind: its exports, a copy of its database, and how it answered."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.exports = place / "exports"
        self.database = place / "database.sqlite"
        self.answers: list[tuple[int, Any]] = []
        self.failures = 0


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    place = tmp_path_factory.mktemp("n8n")
    found, n8n = Left(place), RealN8n(Path(INSTALLED), place / "home")
    (place / "home").mkdir()
    (place / "workflows.json").write_text(json.dumps(workflows()))
    (place / "credentials.json").write_text(json.dumps(CREDENTIALS))
    n8n.run("import:credentials", f"--input={place / 'credentials.json'}")
    n8n.run("import:workflow", f"--input={place / 'workflows.json'}")
    try:
        n8n.start()
        n8n.publish(published())
        found.answers = [asked(n8n.base, call) for call in calls()]
        (place / "answers.json").write_text(json.dumps(found.answers))
    finally:
        n8n.stop()
    found.exports.mkdir()
    n8n.run("export:workflow", "--all", f"--output={found.exports / 'workflows.json'}")
    n8n.run("export:credentials", "--all", "--decrypted", f"--output={found.exports / 'credentials.json'}")
    n8n.run("export:credentials", "--all", f"--output={place / 'sealed.json'}")
    n8n.run("export:entities", f"--outputDir={place / 'entities'}")
    for suffix in ("", "-wal"):
        if Path(f"{n8n.database}{suffix}").exists():
            shutil.copyfile(f"{n8n.database}{suffix}", f"{found.database}{suffix}")
    return found


def asked(base: str, call: Call) -> tuple[int, Any]:
    """Status, and the body where it is compared."""
    answer = httpx.request(
        call.method, base + call.path, json=call.json, headers=call.headers, auth=call.auth, trust_env=False, timeout=30
    )
    if not call.body:  # n8n refuses a wrong header with 403, and we with 401, as for any other credential
        return 401 if answer.status_code == 403 else answer.status_code, None
    try:
        return answer.status_code, answer.json()
    except ValueError:
        return answer.status_code, answer.text


def moved(daemon: Daemon, *arguments: str, key: str = "") -> tuple[int, dict[str, Any], str]:
    """Exit code, report, and everything that was printed."""
    program = Path(sys.executable).with_name("jackfield")
    command = [str(program), "import", "n8n", "--json", "--config-dir", str(daemon.config_dir), *arguments]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("JACKFIELD_", "N8N_"))}
    if key:
        env["N8N_ENCRYPTION_KEY"] = key
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, json.loads(done.stdout), done.stdout + done.stderr


def statuses(report: dict[str, Any]) -> set[tuple[str, str]]:
    return {(row["kind"], row["status"]) for row in report["results"]}


def test_the_database_moves_in_and_answers_as_in_n8n(left: Left, tmp_path: Path) -> None:
    assert len(workflows()) == 50
    before = left.database.read_bytes()
    daemon = Daemon(tmp_path, settings='[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n').start()
    try:
        code, report, printed = moved(daemon, str(left.database), "--activate", key=KEY)
        assert code == 0, printed
        assert statuses(report) == {("workflow", "created"), ("credential", "created")}
        assert report["counts"]["workflow"]["created"] == 50
        assert {row["name"]: row["problems"] for row in report["results"] if row["verdict"] not in ("runs", None)} == {}
        assert all(row["active"] is not False for row in report["results"] if row["wasActive"])
        answers = [asked(daemon.base_url, call) for call in calls()]
        wrong = [
            (call.path, theirs, ours)
            for call, theirs, ours in zip(calls(), left.answers, answers, strict=True)
            if theirs != ours
        ]
        assert wrong == []
        failed = error_runs(daemon)
        assert failed == 4
        again = moved(daemon, str(left.database), key=KEY)[1]
        assert statuses(again) == {("workflow", "unchanged"), ("credential", "unchanged")}
        for secret in (PASSWORD, TOKEN, KEY):
            assert secret not in printed + daemon.output.read_text()
    finally:
        daemon.close()
    assert left.database.read_bytes() == before


def error_runs(daemon: Daemon) -> int:
    """How often the error workflow has run."""
    api = daemon.admin()
    (row,) = [
        row for row in api.get("/workflows", params={"search": "Errors"}).json()["data"] if row["name"] == "Errors"
    ]

    def found() -> int:
        return int(api.get("/executions", params={"workflowId": row["id"], "status": "success"}).json()["total"])

    poll(lambda: found() >= 4, "every failure has run the error workflow")
    return found()


def test_every_way_brings_the_same(left: Left, tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        first = moved(daemon, str(left.exports))[1]
        assert statuses(first) == {("workflow", "created"), ("credential", "created")}
        sealed = moved(daemon, str(left.place / "sealed.json"), key=KEY)[1]
        assert statuses(sealed) == {("credential", "unchanged")}
        for source in (left.place / "entities" / "entities.zip", left.database):
            report = moved(daemon, str(source), key=KEY)[1]
            assert {kind for kind, _ in statuses(report)} == {"workflow", "credential"}
            changed = [row["name"] for row in report["results"] if row["status"] != "unchanged"]
            assert changed == [], source
        wrong = moved(daemon, str(left.database), key="another key")
        assert (wrong[0], len(wrong[1]["unreadable"])) == (1, len(CREDENTIALS))
    finally:
        daemon.close()


def test_half_a_database(left: Left, tmp_path: Path) -> None:
    half = tmp_path / "half.sqlite"
    content = left.database.read_bytes()
    half.write_bytes(content[: len(content) // 2])
    daemon = Daemon(tmp_path / "daemon").start()
    try:
        begun = time.monotonic()
        code, report, printed = moved(daemon, str(half), str(left.exports / "workflows.json"), key=KEY)
        assert (code, time.monotonic() - begun < 60) == (1, True)
        assert report["unreadable"], printed
        assert report["counts"]["workflow"]["created"] == 50
    finally:
        daemon.close()
