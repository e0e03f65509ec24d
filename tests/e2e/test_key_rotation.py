"""`jackfield rotate-key`: everything opens with the new key alone, and whatever interrupts it loses nothing."""

from __future__ import annotations

import hashlib
import hmac
import os
import random
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node, webhook

PLANTED = "planted-rotation-77ab"
WORKFLOWS = 30
KEYS = ("keys/encryption.key", "keys/encryption-previous.key")
AUTH = {"authentication": "hmac", "authConfig": {"secret": PLANTED, "preset": "github"}}
FIRST, SECOND = "first key of the environment, 32 bytes and more", "second key of the environment, 32 bytes and more"


def rotate(daemon: Daemon, **env: str) -> subprocess.Popen[str]:
    return command(daemon, "rotate-key", env)


def command(daemon: Daemon, name: str, env: dict[str, str]) -> subprocess.Popen[str]:
    program = str(Path(sys.executable).with_name("jackfield"))
    plain = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
    asked = [program, name, "--config-dir", str(daemon.config_dir)]
    return subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**plain, **env})


def rotated(daemon: Daemon, **env: str) -> str:
    process = rotate(daemon, **env)
    told, _ = process.communicate(timeout=60)
    assert process.returncode == 0, told
    return told


def filled(daemon: Daemon) -> None:
    """Secrets of every kind."""
    api = daemon.admin()
    for number in range(WORKFLOWS):
        daemon.live(chain(f"r{number}", webhook(f"r{number}", **AUTH), node("End", "noOp")), api)
    given = {"name": "ours", "kind": "httpHeaderAuth", "values": {"name": "X-Key", "value": PLANTED}}
    made = api.post("/credentials", json=given)
    assert made.is_success, made.text
    guarded = webhook("guarded", authentication="headerAuth")
    guarded["credentials"] = {"httpHeaderAuth": {"id": made.json()["id"], "name": "ours"}}
    daemon.live(chain("guarded", guarded, node("End", "noOp")), api)
    put = api.put(f"{daemon.base_url}/api/providers/openai/key", json={"api_key": PLANTED})
    assert put.is_success, put.text


def sound(daemon: Daemon, **env: str) -> None:
    """Each workflow verifies calls with its secret, the credential is as it was, and no key is unreadable."""
    signature = hmac.new(PLANTED.encode(), b"{}", hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-Hub-Signature-256": f"sha256={signature}"}
    client = daemon.client()
    statuses = {client.post(f"/webhook/r{n}", content=b"{}", headers=headers).status_code for n in range(WORKFLOWS)}
    assert statuses == {httpx.codes.OK}
    for value, status in ((PLANTED, httpx.codes.OK), ("another", httpx.codes.UNAUTHORIZED)):
        assert client.post("/webhook/guarded", json={}, headers={"X-Key": value}).status_code == status
    told, _ = command(daemon, "doctor", env).communicate(timeout=60)
    assert "ok   store" in told
    assert "cannot be opened" not in told
    assert not [
        entry for entry in daemon.logs() if "key" in str(entry.get("message", "")) and entry["level"] == "error"
    ]


def key(daemon: Daemon) -> bytes:
    return (daemon.config_dir / KEYS[0]).read_bytes()


def earlier_is_there(daemon: Daemon) -> bool:
    return (daemon.config_dir / KEYS[1]).exists()


def test_everything_opens_with_the_new_key_alone(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        filled(daemon)
        daemon.stop()
        before = key(daemon)
        told = rotated(daemon)
        assert "credentials: 1 sealed anew" in told
        assert "keys of profiles and providers: 1 sealed anew" in told
        assert f"documents of workflows and runs: {WORKFLOWS + 1} sealed anew" in told
        assert key(daemon) != before
        assert not earlier_is_there(daemon)
        daemon.start()
        sound(daemon)
    finally:
        daemon.close()


def test_a_running_daemon_is_left_alone(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        filled(daemon)
        before = key(daemon)
        process = rotate(daemon)
        told, _ = process.communicate(timeout=60)
        assert process.returncode == 1
        assert "Another daemon" in told
        assert key(daemon) == before
        assert not earlier_is_there(daemon)
    finally:
        daemon.close()


@pytest.mark.parametrize("seed", range(2))
def test_a_kill_at_any_moment_loses_nothing(tmp_path: Path, seed: int) -> None:
    daemon, moments = Daemon(tmp_path).start(), random.Random(seed)
    try:
        filled(daemon)
        daemon.stop()
        before = key(daemon)
        for _ in range(3):
            process = rotate(daemon)
            try:
                process.wait(moments.uniform(0.3, 2.5))
            except subprocess.TimeoutExpired:
                process.kill()
            process.communicate()
            daemon.start()
            sound(daemon)
            daemon.stop()
        rotated(daemon)
        assert key(daemon) != before
        assert not earlier_is_there(daemon)
        daemon.start()
        sound(daemon)
    finally:
        daemon.close()


def test_a_key_of_the_environment_is_replaced_by_another(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, env={"JACKFIELD_ENCRYPTION_KEY": FIRST}).start()
    try:
        filled(daemon)
        daemon.stop()
        process = rotate(daemon, JACKFIELD_ENCRYPTION_KEY=FIRST)
        told, _ = process.communicate(timeout=60)
        assert process.returncode == 1
        assert "JACKFIELD_PREVIOUS_ENCRYPTION_KEY" in told
        assert FIRST not in told
        told = rotated(daemon, JACKFIELD_ENCRYPTION_KEY=SECOND, JACKFIELD_PREVIOUS_ENCRYPTION_KEY=FIRST)
        assert "credentials: 1 sealed anew" in told
        other = Daemon(tmp_path, env={"JACKFIELD_ENCRYPTION_KEY": SECOND})
        try:
            sound(other.start(), JACKFIELD_ENCRYPTION_KEY=SECOND)
        finally:
            other.close()
    finally:
        daemon.close()
