"""Keys of installations before the master key, and of backups: what was sealed and signed with them stays good."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import httpx
import jwt
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node, webhook

MASTER, SIGNING = b"e" * 32, b"j" * 32
PLANTED = "planted-old-key-51c0"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    program = str(Path(sys.executable).with_name("jackfield"))
    plain = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, env=plain, timeout=60)


def put(directory: Path, name: str, key: bytes) -> None:
    """As versions before wrote it."""
    folder = directory / "keys"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark = hashlib.sha256(b"jackfield key" + key).hexdigest()[:8]
    (folder / f"{name}.key").write_text(f"{base64.b64encode(key).decode()}\n{mark}\n")
    (folder / f"{name}.key").chmod(0o600)


def guarded(daemon: Daemon) -> None:
    """A webhook that asks for a credential."""
    api = daemon.admin()
    given = {"name": "ours", "kind": "httpHeaderAuth", "values": {"name": "X-Key", "value": PLANTED}}
    ident = api.post("/credentials", json=given).json()["id"]
    hook = webhook("guarded", authentication="headerAuth")
    hook["credentials"] = {"httpHeaderAuth": {"id": ident, "name": "ours"}}
    daemon.live(chain("guarded", hook, node("End", "noOp")), api)


def opens(daemon: Daemon) -> bool:
    answer = daemon.client().post("/webhook/guarded", json={}, headers={"X-Key": PLANTED})
    return answer.status_code == httpx.codes.OK


def as_before(daemon: Daemon) -> None:
    """No fingerprint, and the credential in the form that had none."""
    values = json.dumps({"name": "X-Key", "value": PLANTED}).encode()
    sealed = b"n" * 12 + AESGCM(MASTER).encrypt(b"n" * 12, values, None)
    with closing(sqlite3.connect(daemon.config_dir / "jackfield.db")) as connection, connection:
        connection.execute("DELETE FROM facts")
        connection.execute("UPDATE credentials SET sealed = ?, digest = NULL", [sealed])


def signed_before(token: str) -> str:
    """The same claims under the key that versions before kept in a file."""
    claims = jwt.decode(token, options={"verify_signature": False})
    key = hashlib.sha256(SIGNING).hexdigest()[:16]
    return jwt.encode({**claims, "jti": "before"}, SIGNING, "HS256", {"kid": key})


def counts(daemon: Daemon, token: str) -> bool:
    answer = daemon.client().get("/api/v1/auth/me", headers={"Authorization": f"Bearer {token}"})
    return answer.status_code == httpx.codes.OK


def test_an_installation_of_before_goes_on(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    put(daemon.config_dir, "encryption", MASTER)
    put(daemon.config_dir, "jwt", SIGNING)
    try:
        guarded(daemon.start())
        token = daemon.login()
        before = signed_before(token)
        daemon.stop()
        as_before(daemon)
        daemon.start()
        assert opens(daemon)
        assert counts(daemon, token)
        assert counts(daemon, before)
        daemon.stop()
        shown = json.loads(run("keys", "show", "--json", "--config-dir", daemon.config_dir).stdout)
        assert shown["former"] == ["jwt"]
        for name in ("rotate", "forget --anyway"):
            done = run("keys", *name.split(), "--config-dir", daemon.config_dir)
            assert done.returncode == 0, done.stderr
        assert [path.name for path in (daemon.config_dir / "keys").glob("*.key")] == ["encryption.key"]
        daemon.start()
        assert opens(daemon)
        assert not counts(daemon, before)
    finally:
        daemon.close()


def test_a_backup_of_before_a_rotation_opens_and_one_without_keys_says_what_it_needs(tmp_path: Path) -> None:
    daemon, backups = Daemon(tmp_path / "a"), tmp_path / "backups"
    try:
        guarded(daemon.start())
        daemon.stop()
        kept = tmp_path / "kept"
        shutil.copytree(daemon.config_dir / "keys", kept)
        assert run("backup", backups / "bare", "--without-keys", "--config-dir", daemon.config_dir).returncode == 0
        assert run("backup", backups / "whole", "--config-dir", daemon.config_dir).returncode == 0
        assert run("keys", "rotate", "--config-dir", daemon.config_dir).returncode == 0
        for name in ("bare", "whole"):
            directory = tmp_path / name / "config"
            assert run("restore", backups / name, directory).returncode == 0
            if name == "bare":
                refused = run("keys", "show", "--config-dir", directory)
                assert (refused.returncode, "There is no master key" in refused.stderr) == (1, True), refused.stderr
                shutil.rmtree(directory / "keys", ignore_errors=True)
                shutil.copytree(kept, directory / "keys")
            again = Daemon(tmp_path / name)
            try:
                assert opens(again.start())
            finally:
                again.close()
    finally:
        daemon.close()
