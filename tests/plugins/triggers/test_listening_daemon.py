"""A daemon whose workflow listens: what it starts, how it stands, its test event, restarts and its end."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from trigger_lab import executions, until

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    made = tmp_path / "watched"
    made.mkdir()
    return made


@pytest.fixture
def daemon(tmp_path: Path, watched: Path) -> Iterator[Daemon]:
    settings = f'[nodes.files]\nroot = "{watched}"\n\n[triggers]\nbackoff = 0.2\nbackoff_most = 0.5\n'
    found = Daemon(tmp_path, settings=settings)
    try:
        yield found.start()
    finally:
        found.close()


def watching(path: Path) -> dict[str, Any]:
    start = node("Files", "localFileTrigger", {"triggerOn": "folder", "path": str(path), "events": ["add"]}, version=1)
    return chain("Watches", start, node("End", "noOp", version=1))


def standing(daemon: Daemon, workflow: str) -> dict[str, Any]:
    (row,) = daemon.admin().get(f"/workflows/{workflow}/triggers").raise_for_status().json()["data"]
    return dict(row)


def test_files_start_a_workflow_for_as_long_as_it_is_live(daemon: Daemon, watched: Path) -> None:
    workflow = daemon.live(watching(watched))
    api = daemon.admin()
    row = standing(daemon, workflow)
    assert (row["node"], row["kind"], row["state"], row["events"]) == ("Files", "listen", "connected", 0)
    assert row["connected"]
    (watched / "a.txt").write_text("x")
    until(lambda: len(executions(api, workflow)) == 1, "the first execution")
    (ident,) = executions(api, workflow)
    (item,) = api.get(f"/executions/{ident}").json()["data"]
    assert item["json"] == {"event": "add", "path": str(watched / "a.txt")}
    until(lambda: standing(daemon, workflow)["lastEvent"], "the last event")
    command = [str(Path(sys.executable).with_name("jackfield")), "trigger", "list", workflow]
    listed = subprocess.run(
        [*command, "--config-dir", str(daemon.config_dir)], capture_output=True, text=True, check=True, timeout=60
    )
    assert "connected" in listed.stdout
    daemon.kill()
    daemon.start()
    until(lambda: standing(daemon, workflow)["state"] == "connected", "the connection after the crash")
    (watched / "b.txt").write_text("x")
    api = daemon.admin()
    until(lambda: len(executions(api, workflow)) == 2, "the second execution")
    api.post(f"/workflows/{workflow}/deactivate").raise_for_status()
    (watched / "c.txt").write_text("x")
    assert standing(daemon, workflow)["state"] == "idle"
    assert len(executions(api, workflow)) == 2


def test_a_test_event_is_listened_for(daemon: Daemon, watched: Path) -> None:
    api = daemon.admin()
    workflow = api.post("/workflows", json=watching(watched)).raise_for_status().json()["id"]
    asked = {"node": "Files", "seconds": 0.2}
    none = api.post(f"/workflows/{workflow}/triggers/test", json=asked)
    assert (none.status_code, none.json()["code"]) == (404, "NO_TEST_EVENT")
    ended = threading.Event()

    def write() -> None:
        number = 0
        while not ended.wait(0.1):
            number += 1
            (watched / f"{number}.txt").write_text("x")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        found = api.post(f"/workflows/{workflow}/triggers/test", json={**asked, "seconds": 20})
    finally:
        ended.set()
        writer.join()
    (item,) = found.raise_for_status().json()["items"]
    assert item["json"]["event"] == "add"
    assert executions(api, workflow) == []


def test_a_connection_that_cannot_be_opened_is_told(daemon: Daemon, watched: Path) -> None:
    workflow = daemon.live(watching(watched / "later"))
    row = standing(daemon, workflow)
    assert row["state"] == "failing"
    assert "No such file" in row["lastError"]["message"]
    (watched / "later").mkdir()
    until(lambda: standing(daemon, workflow)["state"] == "connected", "the connection")


def test_what_cannot_listen_does_not_go_live(daemon: Daemon) -> None:
    api = daemon.admin()
    workflow = api.post("/workflows", json=watching(Path("/etc"))).raise_for_status().json()["id"]
    refused = api.post(f"/workflows/{workflow}/activate")
    assert refused.status_code == 400
    assert any("nodes.files.root" in str(text) for text in refused.json()["details"].values())
