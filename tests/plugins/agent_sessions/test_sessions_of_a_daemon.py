"""The routes and events of a real daemon, and what becomes of sessions when it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from session_lab import PROGRAM
from websockets.sync.client import connect

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.processes import is_running

MANIFEST = """
id = "talker"
name = "Talker"
binary = "talker"
[detect]
commands = ["talker --version"]
[protocol]
name = "acp"
"""
PATH = "/api/agent-sessions"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "talker").write_text(f'#!/bin/sh\nexec {sys.executable} {PROGRAM} "$@"\n')
    (programs / "talker").chmod(0o755)
    (tmp_path / "home").mkdir()
    settings = '[profiles]\nkey_store = "file"\n[agent_sessions]\nleave_grace = 0.2\nkill_grace = 0.5\n'
    env = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path / "home")}
    made = Daemon(tmp_path, settings=settings, env=env)
    (made.config_dir / "agents.d").mkdir()
    (made.config_dir / "agents.d/talker.toml").write_text(MANIFEST)
    made.start()
    (tmp_path / "work").mkdir()
    body = {"agent_id": "talker", "alias": "one", "provider_id": "self", "model": "m"}
    answer = made.client().post("/api/profiles", json={**body, "working_dir": str(tmp_path / "work")})
    assert answer.status_code == 200, answer.text
    yield made
    made.close()


def data(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def opened(api: httpx.Client) -> str:
    return str(data(api.post(PATH, json={"profile_alias": "one"}))["id"])


def answered(api: httpx.Client, session: str, text: str) -> str:
    """What the agent says to this."""
    before = data(api.post(f"{PATH}/{session}/messages", json={"text": text}))["revision"]
    while True:
        found = data(api.get(f"{PATH}/{session}/messages", params={"since": before, "wait": 10}))
        if found["state"] == "idle":
            texts = [one["message"]["text"] for one in found["messages"] if one["message"]["type"] == "text"]
            return str(texts[-1])


def test_a_session_by_its_routes(daemon: Daemon) -> None:
    api = daemon.client(timeout=60)
    session = opened(api)
    assert [one["state"] for one in data(api.get(PATH))] == ["idle"]
    assert answered(api, session, "Hel|lo") == "Hello"
    data(api.post(f"{PATH}/{session}/messages", json={"text": "ask"}))
    found = data(api.get(f"{PATH}/{session}/messages", params={"wait": 10}))
    while found["state"] != "asking":
        found = data(api.get(f"{PATH}/{session}/messages", params={"since": found["revision"], "wait": 10}))
    refused = api.post(f"{PATH}/{session}/messages", json={"text": "more"})
    assert (refused.status_code, refused.json()["code"]) == (409, "AGENT_BUSY")
    wrong = api.post(f"{PATH}/{session}/permissions/99", json={"option": "perhaps"})
    assert (wrong.status_code, list(wrong.json()["details"])) == (400, ["option"])
    assert api.post(f"{PATH}/{session}/permissions/98", json={"option": "yes"}).status_code == 404
    data(api.post(f"{PATH}/{session}/interrupt"))
    poll(lambda: data(api.get(f"{PATH}/{session}"))["state"] == "idle", "it is interrupted")

    in_use = api.delete("/api/profiles/one")
    assert (in_use.status_code, in_use.json()["code"]) == (409, "PROFILE_IN_USE")
    assert api.delete(f"{PATH}/{session}").status_code == 200
    assert data(api.get(f"{PATH}/{session}"))["state"] == "ended"
    assert api.delete(f"{PATH}/{session}").status_code == 200
    assert api.get(f"{PATH}/{session}").status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "profile_alias"),
        ({"profile_alias": "one", "resume": "--help"}, "resume"),
        ({"profile_alias": "one", "colour": 1}, "colour"),
    ],
)
def test_a_bad_body_is_told_by_its_field(daemon: Daemon, body: dict[str, Any], field: str) -> None:
    answer = daemon.client().post(PATH, json=body)
    assert (answer.status_code, list(answer.json()["details"])) == (400, [field])


def test_events_tell_what_the_routes_tell(daemon: Daemon) -> None:
    api = daemon.client(timeout=60)
    with connect(f"ws://127.0.0.1:{daemon.port}/ws") as socket:
        socket.send(json.dumps({"type": "subscribe", "topics": ["agent_sessions"]}))
        socket.recv(timeout=10)
        session = opened(api)
        assert answered(api, session, "Hel|lo") == "Hello"
        assert api.delete(f"{PATH}/{session}").status_code == 200
        seen: list[Any] = []
        while not seen or seen[-1]["type"] != "session_ended":
            seen.append(json.loads(socket.recv(timeout=10))["event"])
    assert {one["data"]["session_id"] for one in seen} == {session}
    assert [one["data"]["text"] for one in seen if one["type"] == "message_delta"] == ["Hel", "lo"]
    told = [one["data"]["message"]["message"] for one in seen if one["type"] == "message"]
    assert [one["type"] for one in told] == ["user", "text", "turn_end", "end"]
    assert told[1]["text"] == "Hello"


def test_a_key_needs_the_scopes_of_agents(daemon: Daemon) -> None:
    admin = daemon.admin()
    keys = {
        scope: admin.post("/api-keys", json={"name": scope, "scopes": [scope]}).json()["key"]
        for scope in ("agents:read", "workflows:read")
    }
    for scope, look in (("agents:read", 200), ("workflows:read", 403)):
        with httpx.Client(base_url=daemon.base_url, headers={"X-API-Key": keys[scope]}) as api:
            assert api.get(PATH).status_code == look
            assert api.post(PATH, json={"profile_alias": "one"}).status_code == 403


def test_a_session_from_the_network_is_in_a_sandbox(daemon: Daemon) -> None:
    hidden = f"sees {daemon.config_dir}"
    api = daemon.client(timeout=60)
    session = opened(api)
    assert answered(api, session, hidden) == "True"
    key = daemon.admin().post("/api-keys", json={"name": "far"}).json()["key"]
    headers = {"X-API-Key": key, "X-Forwarded-For": "203.0.113.9"}
    with httpx.Client(base_url=daemon.base_url, headers=headers, timeout=60) as far:
        answer = far.post(PATH, json={"profile_alias": "one"})
        if answer.json().get("code") == "SANDBOX_UNAVAILABLE":
            pytest.skip("bubblewrap does not work here")
        assert answered(far, data(answer)["id"], hidden) == "False"


def test_the_network_reads_a_session_without_a_sandbox_and_does_nothing_to_it(daemon: Daemon) -> None:
    api = daemon.client(timeout=60)
    session = f"{PATH}/{opened(api)}"
    key = daemon.admin().post("/api-keys", json={"name": "far"}).json()["key"]
    headers = {"X-API-Key": key, "X-Forwarded-For": "203.0.113.9"}
    with httpx.Client(base_url=daemon.base_url, headers=headers, timeout=60) as far:
        for method, path, body in (
            ("POST", "/messages", {"text": "x"}),
            ("POST", "/permissions/1", {"option": "yes"}),
            ("POST", "/interrupt", None),
            ("DELETE", "", None),
        ):
            answer = far.request(method, f"{session}{path}", json=body)
            assert (answer.status_code, answer.json()["code"]) == (403, "SESSION_NOT_SANDBOXED")
            assert "agent_sessions.network_sandbox" in answer.json()["error"]
        assert data(far.get(session))["state"] == "idle"
        assert data(far.get(f"{session}/messages"))["messages"] == []


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_the_daemons_end_leaves_no_process(daemon: Daemon, end: str) -> None:
    api = daemon.client(timeout=60)
    pid = int(answered(api, opened(api), "spawn"))
    assert is_running(pid)
    if end == "stop":
        assert daemon.stop() == 0
    else:
        daemon.kill()
        daemon.start()
        poll(lambda: not is_running(pid), "the next daemon ends it")
    assert not is_running(pid)


def chat(daemon: Daemon, typed: str, *options: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("jackfield")
    command = [program, "chat", "one", "--config-dir", str(daemon.config_dir), *options]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=60)


def test_the_command_talks_line_by_line(daemon: Daemon) -> None:
    done = chat(daemon, "Hel|lo\n\nask\n2\ncrash\n")
    assert done.stdout.splitlines() == [
        "Hello",
        "[edit] Write a file",
        "May it use edit? Write a file",
        "  1  Yes",
        "  2  No",
        "no",
        "[failed]",
        "The agent has ended. the disk is gone",
    ]
    assert (done.returncode, "--resume s" in done.stderr) == (0, True)
    assert {one["state"] for one in data(daemon.client().get(PATH))} == {"ended"}


def test_the_command_tells_programs_messages(daemon: Daemon) -> None:
    done = chat(daemon, "Hel|lo\n", "--json")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["type"] for one in told] == ["user", "text", "turn_end"]
    assert told[1]["text"] == "Hello"
