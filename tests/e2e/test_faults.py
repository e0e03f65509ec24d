"""Faults of disk and database: a clear error, 503, and recovery once the fault is over."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, set_fields, webhook

from ..chaos.disks import filled, mounted

StartDaemon = Callable[..., Daemon]
IMPATIENT = "[store.sqlite]\ntimeout = 1.0\nbusy_timeout = 100\n"


def database(daemon: Daemon) -> Path:
    """The store's file."""
    return next(path for path in daemon.config_dir.rglob("*") if path.is_file() and is_sqlite(path))


def is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


def call(daemon: Daemon, **body: object) -> httpx.Response:
    return httpx.post(f"{daemon.base_url}/webhook/fault", json=body, trust_env=False, timeout=60)


def serve(daemon: Daemon) -> str:
    """Make the webhook live and call it once; the workflow's id."""
    found = daemon.live(chain("fault", webhook("fault"), set_fields("Set", n="={{ $json.body.n }}")))
    assert call(daemon, n=0).status_code == 200
    return found


def refuses(answer: httpx.Response) -> bool:
    if answer.status_code != 503:
        return False
    body = answer.json()
    assert body["code"] == "STORE_UNAVAILABLE", body
    assert body["message"].endswith(".")
    assert "Traceback" not in answer.text
    return True


def ready(daemon: Daemon) -> httpx.Response:
    return httpx.get(f"{daemon.base_url}/ready", trust_env=False, timeout=60)


def assert_recovers(daemon: Daemon) -> None:
    poll(lambda: call(daemon, n=1).status_code == 200, "calls are taken again", timeout=30)
    poll(lambda: ready(daemon).status_code == 200, "the daemon is ready again", timeout=30)
    assert ready(daemon).json()["status"] == "ready", "nothing that was acknowledged is missing"


def test_a_full_disk_refuses_and_recovers(new_daemon: StartDaemon, tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "size=16m,mode=700") as place:
        daemon = new_daemon(IMPATIENT, directory=place, start=False)
        daemon.output = tmp_path / "output.log"
        daemon.start()
        try:
            found = serve(daemon)
            answered = [call(daemon, n=0).json()["executionId"]]
            filler = place / "filler"
            filled(filler)
            last = poll(lambda: take(daemon, answered), "a call is refused", timeout=60)
            assert refuses(last)
            assert httpx.get(f"{daemon.base_url}/health", trust_env=False).status_code == 200
            poll(lambda: ready(daemon).status_code == 503, "the daemon is not ready", timeout=30)
            assert "store" in ready(daemon).json()["checks"]
            filler.unlink()
            assert_recovers(daemon)
            daemon.kill()
            daemon.start()
            assert_recovers(daemon)
            api = daemon.admin()
            for ident in answered:
                assert api.get(f"/executions/{ident}").status_code == 200, "an answered call is lost"
            assert api.get("/executions", params={"workflowId": found}).json()["total"] >= len(answered)
        finally:
            daemon.close()


def take(daemon: Daemon, answered: list[str]) -> httpx.Response | None:
    """Call with a large body until the store is full; keeps what was answered. The refusal, or None."""
    answer = call(daemon, n=len(answered), filling="x" * 60_000)
    if answer.status_code == 200:
        answered.append(answer.json()["executionId"])
        return None
    return answer


def test_a_directory_that_cannot_be_written_is_named_at_the_start(new_daemon: StartDaemon, tmp_path: Path) -> None:
    with mounted(tmp_path / "readonly", "size=32m,mode=700") as place:
        daemon = new_daemon(directory=place, start=False)
        daemon.output = tmp_path / "output.log"
        daemon.start()
        serve(daemon)
        assert daemon.stop() == 0
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        assert daemon.start(wait=False).wait(30) == 1
        assert str(daemon.config_dir) in daemon.tail()
        assert "Traceback" not in daemon.tail()
        subprocess.run(["mount", "-o", "remount,rw", place], check=True)
        daemon.start()
        assert_recovers(daemon)
        daemon.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_write_permission_is_named_at_the_start(new_daemon: StartDaemon) -> None:
    daemon = new_daemon(start=False)
    daemon.config_dir.chmod(0o500)
    try:
        assert daemon.start(wait=False).wait(30) == 1
        assert str(daemon.config_dir) in daemon.tail()
    finally:
        daemon.config_dir.chmod(0o700)


@pytest.mark.parametrize("damage", ["head", "cut", "middle"])
def test_a_damaged_database_is_named_and_left_alone(new_daemon: StartDaemon, damage: str) -> None:
    daemon = new_daemon()
    serve(daemon)
    daemon.stop()
    file = database(daemon)
    whole = file.read_bytes()
    assert len(whole) > 3 * 4096
    broken = {
        "head": b"\xde\xad\xbe\xef" * 1024 + whole[4096:],
        "cut": whole[: len(whole) // 2],
        "middle": whole[:4096] + b"\xa5" * (len(whole) - 4096),
    }[damage]
    file.write_bytes(broken)
    assert daemon.start(wait=False).wait(30) == 1
    assert str(file) in daemon.tail()
    assert "Traceback" not in daemon.tail()
    assert file.read_bytes() == broken, "the evidence is kept"
    file.write_bytes(whole)
    daemon.start()
    assert_recovers(daemon)


def test_a_database_from_a_newer_program_is_refused(new_daemon: StartDaemon) -> None:
    daemon = new_daemon()
    serve(daemon)
    daemon.stop()
    file = database(daemon)
    with closing(sqlite3.connect(file)) as db:
        present = db.execute("PRAGMA user_version").fetchone()[0]
        db.execute(f"PRAGMA user_version = {present + 1000}")
        db.commit()
    assert daemon.start(wait=False).wait(30) == 1
    assert "newer" in daemon.tail()


def test_a_locked_database_refuses_and_recovers(new_daemon: StartDaemon) -> None:
    daemon = new_daemon(IMPATIENT)
    serve(daemon)
    with closing(sqlite3.connect(database(daemon), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert refuses(call(daemon, n=1))
        poll(lambda: ready(daemon).status_code == 503, "the daemon is not ready")
        assert httpx.get(f"{daemon.base_url}/health", trust_env=False).status_code == 200
        other.execute("ROLLBACK")
        assert_recovers(daemon)


def test_a_refused_call_did_not_run(new_daemon: StartDaemon) -> None:
    daemon = new_daemon(IMPATIENT)
    found = serve(daemon)
    with closing(sqlite3.connect(database(daemon), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for number in range(3):
            assert refuses(call(daemon, n=number))
        other.execute("ROLLBACK")
    assert_recovers(daemon)
    page = daemon.admin().get("/executions", params={"workflowId": found, "limit": 100}).json()
    assert all(row["status"] in ("success", "queued", "running") for row in page["data"])
    assert page["total"] <= 3, "the first call and those after the lock"
