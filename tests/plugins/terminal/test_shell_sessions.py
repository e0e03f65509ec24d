"""Sessions without an agent: the user's shell, beside a real daemon."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.processes import is_running
from jackfield_terminal.sandbox.bubblewrap import problem_of_sandbox
from jackfield_terminal.settings import SandboxSettings

PROGRAM = str(Path(sys.executable).with_name("jackfield"))
SHELL = "/api/terminal/shell"
needs_sandbox = pytest.mark.skipif(
    problem_of_sandbox(SandboxSettings()) is not None, reason="no bubblewrap sandbox works here"
)


class Shells:
    """A daemon whose user has a home and `/bin/sh`."""

    def __init__(self, root: Path) -> None:
        self.home = root / "user"
        self.home.mkdir()
        (self.home / ".profile").write_text("PS1='ready> '\n")
        env = {"HOME": str(self.home), "SHELL": "/bin/sh", "OPENAI_API_KEY": "canary-of-the-daemon"}
        self.daemon = Daemon(root, env=env).start()
        self.api = self.daemon.client(timeout=30)

    def start(self, api: httpx.Client | None = None, **body: Any) -> str:
        answer = (api or self.api).post(SHELL, json=body)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["data"]["session_id"])

    def session(self, id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.api.get(f"/api/terminal/sessions/{id}").json()["data"]
        return found

    def type(self, id: str, text: str) -> None:
        assert self.api.post(f"/api/terminal/sessions/{id}/input", json={"text": text}).status_code == 200

    def shows(self, id: str, text: str) -> str:
        def probe() -> str | None:
            found = str(self.api.get(f"/api/terminal/sessions/{id}/screen").json()["data"]["text"])
            return found if text in found else None

        return poll(probe, f"the screen shows {text}")

    def command(self, *args: str) -> str:
        env = {**os.environ, "HOME": str(self.home), "JACKFIELD_CONFIG_DIR": str(self.daemon.config_dir)}
        done = subprocess.run(
            [PROGRAM, "terminal", *args], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=30, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture(scope="module")
def shells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shells]:
    made = Shells(tmp_path_factory.mktemp("shells"))
    yield made
    made.daemon.close()


def test_a_login_shell_in_the_users_home_without_the_daemons_secrets(shells: Shells) -> None:
    session = shells.start(cols=100, rows=30)
    shells.shows(session, "ready>")
    found = shells.session(session)
    assert (found["kind"], found["profile_alias"], found["state"]) == ("shell", None, "running")
    assert (found["cols"], found["rows"]) == (100, 30)
    secrets = "${OPENAI_API_KEY:-none} ${JACKFIELD_ADMIN_PASSWORD:-none}"
    shells.type(session, f'echo "in $PWD, $TERM"; echo "keys {secrets}"\n')
    assert f"in {shells.home}, xterm-256color" in shells.shows(session, "keys none none")
    shells.type(session, "exit 3\n")
    poll(lambda: shells.session(session)["state"] == "terminated", "the shell has ended")
    assert shells.session(session)["exit_code"] == 3


def test_the_end_takes_what_the_shell_has_started_elsewhere(shells: Shells) -> None:
    session = shells.start()
    shells.shows(session, "ready>")
    mark = shells.home / "pid"
    shells.type(session, f"setsid sh -c 'echo $$ > {mark}; exec sleep 300' &\n")
    pid = int(poll(lambda: mark.is_file() and mark.read_text().strip(), "the process runs"))
    assert is_running(pid)
    assert shells.api.delete(f"/api/terminal/sessions/{session}").status_code == 200
    assert not is_running(pid)


def test_a_profile_that_is_called_shell_has_nothing_to_do_with_it(shells: Shells) -> None:
    body = {"agent_id": "claude", "alias": "shell", "provider_id": "self", "allow_missing": True}
    assert shells.api.post("/api/profiles", json=body).status_code == 200
    session = shells.start()
    assert shells.api.delete("/api/profiles/shell").status_code == 200
    assert shells.session(session)["state"] == "running"


def test_the_end_of_a_shell_is_no_usage(shells: Shells) -> None:
    session = shells.start()
    shells.api.delete(f"/api/terminal/sessions/{session}")
    lines = shells.daemon.config_dir.rglob("*.jsonl")
    assert [path for path in lines if session in path.read_text() or '"shell"' in path.read_text()] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"shell": "/bin/cat"}, "shell"),
        ({"working_dir": "nowhere"}, "working_dir"),
        ({"working_dir": "CONFIG"}, "working_dir"),
        ({"sandbox": "none"}, "sandbox"),
        ({"persist": "sometimes"}, "persist"),
        ({"profile_alias": "x"}, "profile_alias"),
    ],
)
def test_a_mistake_names_its_field(shells: Shells, body: dict[str, str], field: str) -> None:
    given = {name: value.replace("CONFIG", str(shells.daemon.config_dir)) for name, value in body.items()}
    answer = shells.api.post(SHELL, json=given)
    assert answer.status_code == 400
    assert field in answer.json()["details"]


def test_it_needs_what_starting_an_agent_needs(shells: Shells) -> None:
    admin = shells.daemon.admin()
    for scopes, status in ((["agents:read"], 403), (["workflows:write"], 403), (["agents:write"], 200)):
        made = admin.post("/api-keys", json={"name": "k", "scopes": scopes}).json()
        headers = {"X-API-Key": made["key"], "X-Forwarded-For": "203.0.113.9"}
        wanted = {"sandbox": "off"}
        if status == 200 and problem_of_sandbox(SandboxSettings()) is not None:
            status = 400  # never without a sandbox
        answer = httpx.post(f"{shells.daemon.base_url}{SHELL}", json=wanted, headers=headers, timeout=30)
        assert answer.status_code == status, answer.text
    assert httpx.post(f"{shells.daemon.base_url}{SHELL}", json={}, headers={"Via": "x"}).status_code == 401


@needs_sandbox
def test_one_from_the_network_is_in_a_sandbox_with_a_home_of_its_own(shells: Shells) -> None:
    (shells.home / "secret").write_text("of the user")
    key = shells.daemon.admin().post("/api-keys", json={"name": "k", "scopes": ["agents:write"]}).json()["key"]
    headers = {"X-API-Key": key, "X-Forwarded-For": "203.0.113.9"}
    with httpx.Client(base_url=shells.daemon.base_url, headers=headers, timeout=30) as stranger:
        session = shells.start(stranger, cols=200)
    shells.type(session, f"echo home=$HOME; cat {shells.home}/secret; ls {shells.daemon.config_dir}/keys; echo over\n")
    text = shells.shows(session, "\nover\n")
    assert f"home={shells.daemon.config_dir}/shell" in text
    assert "of the user" not in text
    assert text.count("No such file") == 2


@pytest.fixture(scope="module")
def far(shells: Shells) -> dict[str, str]:
    """Headers of a caller behind a proxy who may read and drive agents."""
    body = {"name": "far", "scopes": ["agents:read", "agents:write"]}
    key = shells.daemon.admin().post("/api-keys", json=body).json()["key"]
    return {"X-API-Key": key, "X-Forwarded-For": "203.0.113.9"}


def test_nobody_from_the_network_reaches_the_owners_shell(shells: Shells, far: dict[str, str]) -> None:
    session = shells.start(record=True)
    shells.shows(session, "ready>")
    mark = shells.home / "from-the-network"
    typed = f"touch {mark}\n"
    tries: list[tuple[str, str, dict[str, Any] | None]] = [
        ("POST", "/input", {"text": typed}),
        ("POST", "/message", {"content": typed}),
        ("POST", "/message", {"content": typed, "type": "raw"}),
        ("POST", "/record", None),
        ("DELETE", "/record", None),
        ("POST", "/share", {}),
        ("DELETE", "", None),
        *(("GET", path, None) for path in ("/screen", "/wait", "/messages", "/status", "/events", "/recording")),
    ]
    with httpx.Client(base_url=shells.daemon.base_url, headers=far, timeout=30) as stranger:
        for method, path, body in tries:
            answer = stranger.request(method, f"/api/terminal/sessions/{session}{path}", json=body)
            assert (answer.status_code, answer.json()["code"]) == (403, "SESSION_NOT_SANDBOXED"), f"{method} {path}"
        assert "terminal.network_sandbox" in answer.json()["error"]
        assert stranger.get(f"/api/terminal/sessions/{session}").json()["data"]["state"] == "running"
    for query in ("", "?mode=ro"):
        url = f"ws://127.0.0.1:{shells.daemon.port}/ws/terminal/{session}{query}"
        with connect(url, additional_headers=far, proxy=None) as stranger_socket:
            assert "terminal.network_sandbox" in str(stranger_socket.recv(10))
            with pytest.raises(ConnectionClosed):
                stranger_socket.recv(10)
            assert stranger_socket.close_code == 4403
    shells.type(session, "echo still $((40 + 2))\n")
    shells.shows(session, "still 42")
    assert not mark.exists()


def test_a_recording_of_a_forgotten_session_stays_here(shells: Shells, far: dict[str, str]) -> None:
    file = shells.daemon.config_dir / "recordings/0b7f3ad4-1f3e-4a52-9d4a-2f1df2a5b1aa.cast"
    file.parent.mkdir(exist_ok=True)
    file.write_text('{"version": 2}\n')
    path = f"/api/terminal/sessions/{file.stem}/recording"
    assert shells.api.get(path).status_code == 200
    assert httpx.get(f"{shells.daemon.base_url}{path}", headers=far).status_code == 404


def test_the_command_starts_and_lists_one(shells: Shells, tmp_path: Path) -> None:
    session = shells.command("shell", "--detached", "--directory", str(tmp_path))
    shells.type(session, "pwd\n")
    shells.shows(session, str(tmp_path))
    [line] = [line for line in shells.command("list").splitlines() if session in line]
    assert "(shell)" in line
