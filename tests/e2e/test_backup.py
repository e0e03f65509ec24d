"""`jackfield backup`, `restore` and `verify` beside a daemon that works, and kill -9 in a backup's middle."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import httpx

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, webhook

StartDaemon = Callable[..., Daemon]
LARGE = b"name,n\n" + b"".join(f"row-{number},{number}\n".encode() for number in range(20_000))
CLIENTS = 4


def command(daemon: Daemon, *arguments: str | Path) -> list[str]:
    return [daemon.command()[0], *map(str, arguments)]


def run(daemon: Daemon, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(daemon, *arguments), capture_output=True, text=True, env=daemon.environment(), timeout=120, check=False
    )


class Callers:
    """They call the webhook until they are stopped, and know which executions were acknowledged."""

    def __init__(self, daemon: Daemon) -> None:
        self.acknowledged: list[str] = []
        self._daemon = daemon
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._call) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _call(self) -> None:
        with httpx.Client(base_url=self._daemon.base_url, trust_env=False, timeout=20) as client:
            while not self._stopped.is_set():
                answer = client.post("/webhook/count", json={"n": 1})
                if answer.status_code == 200:
                    self.acknowledged.append(answer.json()["executionId"])

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join(30)


def test_a_backup_under_load_holds_all_that_was_acknowledged(new_daemon: StartDaemon, tmp_path: Path) -> None:
    daemon = new_daemon()
    api = daemon.admin()
    daemon.live(chain("count", webhook("count"), node("Keep", "noOp")), api)
    daemon.live(
        chain("upload", webhook("upload", responseMode="lastNode", responseData="firstEntryBinary",
                                responseBinaryPropertyName="f")), api)  # fmt: skip
    values = {"name": "X-Key", "value": "s3cret-value"}
    secret = api.post("/credentials", json={"name": "c", "kind": "httpHeaderAuth", "values": values})
    assert secret.status_code == 201, secret.text
    answer = daemon.client().post("/webhook/upload", files={"f": ("rows.csv", LARGE, "text/csv")})
    assert answer.content == LARGE
    backups, restored = tmp_path / "backups", tmp_path / "restored"
    callers = Callers(daemon)
    try:
        for _ in range(3):
            poll(lambda: len(callers.acknowledged) > 20, "calls are acknowledged")
            before = list(callers.acknowledged)
            made = run(daemon, "backup", backups, "--json", "--config-dir", daemon.config_dir)
            assert made.returncode == 0, made.stderr
            assert json.loads(made.stdout)["left_out"] == []
    finally:
        callers.stop()
    assert len(callers.acknowledged) > len(before)
    told = run(daemon, "verify", backups)
    assert (told.returncode, told.stdout.count("whole")) == (0, 3), told.stdout + told.stderr
    assert b"s3cret-value" not in b"".join(path.read_bytes() for path in backups.rglob("*") if path.is_file())

    done = run(daemon, "restore", backups, restored / "config")
    assert done.returncode == 0, done.stderr
    assert daemon.stop() == 0
    shutil.rmtree(daemon.config_dir)
    again = Daemon(restored)
    try:
        api = again.start().admin()
        missing = [each for each in before if api.get(f"/executions/{each}").status_code != 200]
        assert missing == []
        answer = again.client().post("/webhook/upload", files={"f": ("rows.csv", LARGE, "text/csv")})
        assert answer.content == LARGE
        assert secret.json()["id"] in api.get("/credentials").text
        assert again.stop() == 0
        told = run(again, "verify", again.config_dir)
        assert told.returncode == 0, told.stdout + told.stderr
    finally:
        again.close()


def test_kill_9_in_the_middle_leaves_no_half_backup(new_daemon: StartDaemon, tmp_path: Path) -> None:
    daemon = new_daemon()
    for number in range(400):
        path = daemon.config_dir / "scripts" / f"s{number}.rhai"
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_text(f"// {number}")
    backups = tmp_path / "backups"
    arguments = command(daemon, "backup", backups, "--config-dir", daemon.config_dir)

    def objects() -> int:
        return sum(1 for _ in (backups / "objects").rglob("*")) if backups.exists() else 0

    for wanted in (1, 100, 300):
        with subprocess.Popen(arguments, env=daemon.environment(), stderr=subprocess.DEVNULL) as child:
            poll(lambda wanted=wanted: objects() >= wanted, "pieces are written", timeout=60)  # type: ignore[misc]
            os.kill(child.pid, signal.SIGKILL)
        if not any((backups / "manifests").iterdir()):
            told = run(daemon, "verify", backups)
            assert (told.returncode, "no whole backup" in told.stderr) == (1, True), told.stdout + told.stderr
            assert run(daemon, "restore", backups, tmp_path / "r").returncode == 1
            assert not (tmp_path / "r").exists()
    assert run(daemon, "backup", backups, "--config-dir", daemon.config_dir).returncode == 0
    assert list((backups / "incoming").iterdir()) == []
    assert run(daemon, "verify", backups).returncode == 0
    assert run(daemon, "restore", backups, tmp_path / "r").returncode == 0
    assert len(list((tmp_path / "r" / "scripts").iterdir())) == 400


def test_exit_codes(new_daemon: StartDaemon, tmp_path: Path) -> None:
    daemon = new_daemon(settings="[backup]\ninterval = 86400\n")
    backups = daemon.config_dir / "backups"
    poll(lambda: list((backups / "manifests").glob("2*")), "the daemon makes its first backup", timeout=20)
    assert run(daemon, "verify", backups).returncode == 0
    assert run(daemon, "verify", tmp_path).returncode == 2
    assert run(daemon, "verify", backups, "--backup", "none").returncode == 1
    for path in (backups / "objects").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-1] + b"\0")
    told = run(daemon, "verify", backups)
    assert (told.returncode, "is damaged or missing" in told.stdout) == (1, True), told.stdout + told.stderr
    assert run(daemon, "restore", backups, tmp_path / "r").returncode == 1
    assert list((tmp_path / "r").iterdir()) == []
    assert "backup" in run(daemon, "doctor", "--config-dir", daemon.config_dir).stdout


def test_a_terminal_shows_how_far_it_is(tmp_path: Path) -> None:
    program = Daemon(tmp_path / "daemon").command()[0]
    here, backups = ["--config-dir", str(tmp_path / "daemon" / "config")], str(tmp_path / "backups")
    for arguments, label in (
        (["backup", backups, *here], b"Backing up"),
        (["verify", backups], b"Verifying"),
        (["restore", backups, str(tmp_path / "restored")], b"Restoring"),
    ):
        reading, terminal = pty.openpty()
        with os.fdopen(reading, "rb", buffering=0) as shown:
            done = subprocess.run([program, *arguments], stderr=terminal, stdout=subprocess.DEVNULL, check=False)
            os.close(terminal)
            assert (done.returncode, label in shown.read(4096)) == (0, True)
    piped = subprocess.run([program, "verify", backups], capture_output=True, text=True, check=False)
    assert (piped.returncode, piped.stderr) == (0, "")
