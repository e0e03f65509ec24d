"""A real n8n from npm, with a directory of its own.

`JACKFIELD_TEST_N8N_REAL` names a directory in which `npm install n8n@2` has been done, with its native part
(`npm rebuild sqlite3`); `JACKFIELD_TEST_N8N_NODE` names the `node` that it needs.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import httpx

from jackfield.testing.daemon import HOST, free_port, poll

KEY = "key-of-the-n8n-that-is-left"
OWNER = {"email": "owner@example.com", "firstName": "O", "lastName": "W", "password": "Correct-horse-1"}
START, COMMAND = 300, 300
"""Seconds."""


class RealN8n:
    """Its commands and its server. database: variables that name another database than SQLite's file."""

    def __init__(self, installed: Path, place: Path, database: Mapping[str, str] | None = None) -> None:
        self._program = installed / "node_modules" / "n8n" / "bin" / "n8n"
        self.port = free_port()
        self.database = place / ".n8n" / "database.sqlite"
        self.output = place / "n8n.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._env = {
            "PATH": os.environ["PATH"],
            "HOME": str(place),
            "N8N_USER_FOLDER": str(place),
            "N8N_ENCRYPTION_KEY": KEY,
            "N8N_PORT": str(self.port),
            "N8N_HOST": HOST,
            "N8N_LISTEN_ADDRESS": HOST,
            "N8N_RUNNERS_BROKER_PORT": str(free_port()),
            "N8N_SECURE_COOKIE": "false",
            "N8N_DIAGNOSTICS_ENABLED": "false",
            "N8N_VERSION_NOTIFICATIONS_ENABLED": "false",
            "N8N_TEMPLATES_ENABLED": "false",
            "TZ": "UTC",
            **(database or {}),
        }

    @property
    def base(self) -> str:
        return f"http://{HOST}:{self.port}"

    def run(self, *arguments: str) -> None:
        """One of n8n's commands."""
        done = subprocess.run(
            self._command(*arguments), env=self._env, capture_output=True, text=True, timeout=COMMAND, check=False
        )
        assert done.returncode == 0, f"n8n {arguments[0]}: {done.stdout[-2000:]}{done.stderr[-2000:]}"

    def start(self) -> None:
        """Returns when its REST API is served."""
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                self._command("start"), env=self._env, stdout=output, stderr=output, start_new_session=True
            )
        poll(self._serves, "n8n serves its API", timeout=START)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
            self._process = None

    def publish(self, idents: Sequence[str]) -> None:
        """As its owner. n8n wants sub-workflows to be published before those that call them."""
        for ident in idents:
            version = self._owner.get(f"/workflows/{ident}").json()["data"]["versionId"]
            answer = self._owner.post(f"/workflows/{ident}/activate", json={"versionId": version})
            assert answer.status_code == 200, f"{ident}: {answer.text[:500]}"

    def api_key(self) -> str:
        """For the public API, with every scope of its owner."""
        scopes = self._owner.get("/api-keys/scopes").json()["data"]
        made = self._owner.post("/api-keys", json={"label": "tests", "expiresAt": None, "scopes": scopes})
        assert made.status_code == 200, made.text
        return str(made.json()["data"]["rawApiKey"])

    @cached_property
    def _owner(self) -> httpx.Client:
        """Signed in as the owner, who is made for it."""
        api = httpx.Client(base_url=f"{self.base}/rest", headers={"browser-id": "test"}, trust_env=False, timeout=START)
        poll(lambda: self._set_up(api), "n8n has an owner", timeout=START)
        return api

    def _set_up(self, api: httpx.Client) -> bool:
        """While it starts, n8n answers everything with 200 and a text, or with an error, or breaks off."""
        try:
            answer = api.post("/owner/setup", json=OWNER)
        except httpx.TransportError:
            return False
        return answer.status_code == 200 and "json" in answer.headers["content-type"]

    def _serves(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.output.read_text(errors="replace")[-3000:]
        try:
            return httpx.get(f"{self.base}/rest/settings", trust_env=False, timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def _command(self, *arguments: str) -> list[str]:
        return [os.environ.get("JACKFIELD_TEST_N8N_NODE", "node"), str(self._program), *arguments]
