"""`jackfield keys`: everything opens with the new key alone, and whatever interrupts it loses nothing.
JACKFIELD_TEST_ROTATIONS sets how many rotations are killed in a row of their own (1)."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node, webhook

PLANTED = "planted-rotation-77ab"
WORKFLOWS = 30
VARIABLE, PREVIOUS = "JACKFIELD_ENCRYPTION_KEY", "JACKFIELD_PREVIOUS_ENCRYPTION_KEY"
AUTH = {"authentication": "hmac", "authConfig": {"secret": PLANTED, "preset": "github"}}
FIRST, SECOND = "first key of the environment, 32 bytes and more", "second key of the environment, 32 bytes and more"


def rotate(daemon: Daemon, **env: str) -> subprocess.Popen[str]:
    return command(daemon, "keys rotate", env)


def command(daemon: Daemon, name: str, env: dict[str, str]) -> subprocess.Popen[str]:
    program = str(Path(sys.executable).with_name("jackfield"))
    plain = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
    asked = [program, *name.split(), "--config-dir", str(daemon.config_dir)]
    return subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**plain, **env})


def done(daemon: Daemon, name: str, **env: str) -> str:
    process = command(daemon, name, env)
    told, _ = process.communicate(timeout=60)
    assert process.returncode == 0, told
    return told


def refused(daemon: Daemon, name: str, **env: str) -> str:
    process = command(daemon, name, env)
    told, _ = process.communicate(timeout=60)
    assert process.returncode == 1, told
    return told


def shown(daemon: Daemon, **env: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done(daemon, "keys show --json", **env))
    return found


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
    return (daemon.config_dir / "keys/encryption.key").read_bytes()


def earlier(daemon: Daemon) -> list[str]:
    return [path.name for path in (daemon.config_dir / "keys").glob("earlier-*.key")]


def counts(daemon: Daemon, bearer: str) -> bool:
    answer = daemon.client().get("/api/v1/auth/me", headers={"Authorization": f"Bearer {bearer}"})
    return answer.status_code == httpx.codes.OK


def test_everything_opens_with_the_new_key_alone(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        filled(daemon)
        bearer = daemon.login()
        daemon.stop()
        before = key(daemon)
        told = done(daemon, "keys rotate")
        assert "credentials: 1 sealed anew" in told
        assert "keys of profiles and providers: 1 sealed anew" in told
        assert f"documents of workflows and runs: {WORKFLOWS + 1} sealed anew" in told
        assert key(daemon) != before
        daemon.start()
        sound(daemon)
        assert counts(daemon, bearer)
        daemon.stop()
        assert [one["role"] for one in shown(daemon)["keys"]] == ["seals", "opens"]
        assert "Tokens that they have signed expire until" in refused(daemon, "keys forget")
        assert "1 earlier keys are forgotten" in done(daemon, "keys forget --anyway")
        assert not earlier(daemon)
        daemon.start()
        sound(daemon)
        assert not counts(daemon, bearer)
    finally:
        daemon.close()


def test_a_running_daemon_goes_on_with_the_new_key(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        filled(daemon)
        bearer = daemon.login()
        done(daemon, "keys rotate")
        sound(daemon)
        assert counts(daemon, bearer)
        assert "Another daemon" in refused(daemon, "keys forget --anyway")
        made = daemon.admin().post(
            "/credentials", json={"name": "new", "kind": "httpHeaderAuth", "values": {"name": "X", "value": PLANTED}}
        )
        assert made.is_success, made.text
        fresh = daemon.login()
        daemon.stop()
        done(daemon, "keys forget --anyway")
        daemon.start()
        sound(daemon)
        assert counts(daemon, fresh)
        assert not counts(daemon, bearer)
    finally:
        daemon.close()


@pytest.mark.parametrize("seed", range(int(os.environ.get("JACKFIELD_TEST_ROTATIONS", "1"))))
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
        done(daemon, "keys rotate")
        assert key(daemon) != before
        assert not shown(daemon)["resealing"]
        process = command(daemon, "keys forget --anyway", {})
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moments.uniform(0.5, 2.5))
        process.kill()
        process.communicate()
        daemon.start()
        sound(daemon)
        daemon.stop()
        done(daemon, "keys forget --anyway")
        assert not earlier(daemon)
        daemon.start()
        sound(daemon)
    finally:
        daemon.close()


def test_a_kill_beside_a_running_daemon_loses_nothing(tmp_path: Path) -> None:
    daemon, moments = Daemon(tmp_path).start(), random.Random(7)
    try:
        filled(daemon)
        for daemon_too in (False, True):
            process = rotate(daemon)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(moments.uniform(1.0, 4.5))
            process.kill()
            process.communicate()
            if daemon_too:
                daemon.kill()
                daemon.start()
            sound(daemon)
        done(daemon, "keys rotate")
        assert not shown(daemon)["resealing"]
        daemon.stop()
        done(daemon, "keys forget --anyway")
        sound(daemon.start())
    finally:
        daemon.close()


def test_a_key_of_the_environment_is_replaced_by_another(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, env={VARIABLE: FIRST}).start()
    both = {VARIABLE: SECOND, PREVIOUS: FIRST}
    try:
        filled(daemon)
        daemon.stop()
        told = refused(daemon, "keys rotate", **{VARIABLE: FIRST})
        assert PREVIOUS in told
        assert FIRST not in told
        assert [one["role"] for one in shown(daemon, **both)["keys"]] == ["seals", "next"]
        told = done(daemon, "keys rotate", **both)
        assert "credentials: 1 sealed anew" in told
        assert PREVIOUS in done(daemon, "keys forget --anyway", **both)
        other = Daemon(tmp_path, env={VARIABLE: SECOND})
        try:
            sound(other.start(), **{VARIABLE: SECOND})
        finally:
            other.close()
        assert not (daemon.config_dir / "keys/encryption.key").exists()
    finally:
        daemon.close()


def test_another_key_refuses_the_start_and_every_command(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, env={VARIABLE: FIRST}).start()
    try:
        filled(daemon)
        daemon.stop()
        for name in ("serve", "keys show", "workflow list"):
            told = refused(daemon, name, **{VARIABLE: SECOND})
            assert f"{VARIABLE} is another master key" in told
            assert FIRST not in told
            assert SECOND not in told
            assert "There is no master key" in refused(daemon, name)
        assert not (daemon.config_dir / "keys/encryption.key").exists()
        assert "is another master key" in refused(daemon, "doctor", **{VARIABLE: SECOND})
    finally:
        daemon.close()
