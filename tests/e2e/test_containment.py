"""What ends, ends: a real daemon, agents that leave their session, and kill -9."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.processes import is_running

ROUNDS = int(os.environ.get("JACKFIELD_TEST_CANCELS", "8"))
"""Runs that are cancelled at random moments; 100 take some three minutes."""
AGENT = """#!/bin/sh
[ "$1" = --version ] && { echo 1.0; exit; }
exec /bin/sh -c "$1"
"""
MANIFEST = """
id = "sheller"
name = "Sheller"
binary = "sheller"
[detect]
commands = ["sheller --version"]
[headless]
args = ["{prompt}"]
output = "text"
"""
TOOL = (
    "i=0; while [ $i -lt 3 ]; do i=$((i+1)); "
    "setsid sh -c 'trap \"\" TERM HUP; echo $$ >> pids; while :; do date +%s%N >> effects; sleep 0.02; done' & "
    "(env -i /usr/bin/setsid /bin/sh -c 'echo $$ >> pids; while :; do date +%s%N >> effects; sleep 0.02; done' &) ; "
    "sleep 0.02; done; wait; sleep 300"
)
"""Six processes in sessions of their own, with effects until they are killed."""
METHODS = ["auto", "subreaper"]


@pytest.fixture(params=METHODS)
def daemon(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Daemon]:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "sheller").write_text(AGENT)
    (programs / "sheller").chmod(0o755)
    (tmp_path / "home").mkdir()
    settings = (
        f'[containers]\nmethod = "{request.param}"\n[profiles]\nkey_store = "file"\n[profiles.run]\ngrace = 0.1\n'
        "[terminal]\nhang_up_grace = 0.1\nkill_grace = 0.2\n"
    )
    env = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path / "home")}
    made = Daemon(tmp_path, settings=settings, env=env)
    (made.config_dir / "agents.d").mkdir()
    (made.config_dir / "agents.d/sheller.toml").write_text(MANIFEST)
    yield made.start()
    made.close()


@pytest.fixture
def work(tmp_path: Path, daemon: Daemon) -> Path:
    """A directory for an agent's effects; the profile `one` is made."""
    made = tmp_path / "work"
    made.mkdir()
    body = {"agent_id": "sheller", "alias": "one", "provider_id": "self", "model": "m", "working_dir": str(made)}
    answer = daemon.client().post("/api/profiles", json=body)
    assert answer.status_code == 200, answer.text
    return made


def workflow(path: str) -> dict[str, object]:
    return {
        "name": path,
        "nodes": [
            {"id": "1", "name": "Webhook", "type": "jackfield.webhook",
             "parameters": {"path": path, "httpMethod": "POST", "responseMode": "onReceived"}},
            {"id": "2", "name": "Agent", "type": "jackfield.agent",
             "parameters": {"profile": "one", "prompt": TOOL, "timeout": 300}},
        ],
        "connections": {"Webhook": {"main": [[{"node": "Agent", "type": "main", "index": 0}]]}},
    }  # fmt: skip


def pids(work: Path) -> list[int]:
    path = work / "pids"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def living(work: Path) -> list[int]:
    return [pid for pid in pids(work) if is_running(pid)]


def effects(work: Path) -> int:
    path = work / "effects"
    return path.stat().st_size if path.exists() else 0


def test_cancels_at_random_moments_leave_no_process_and_no_later_effect(daemon: Daemon, work: Path) -> None:
    api = daemon.admin(timeout=60)
    daemon.live(workflow("work"), api)
    chance = random.Random(17)  # the same moments each time
    for _ in range(ROUNDS):
        begun = daemon.client().post("/webhook/work", json={})
        assert begun.status_code == 200, begun.text
        moment = time.monotonic() + chance.uniform(0, 0.6)
        [execution] = poll(lambda: _open(api), "the execution is there")
        while time.monotonic() < moment:
            poll(lambda: True, "a moment")
        answer = api.post(f"/executions/{execution}/cancel")
        seen = effects(work)
        assert answer.status_code == 202, answer.text
        assert answer.json()["status"] == "cancelled"
        assert living(work) == []
        assert effects(work) == seen
    assert pids(work), "no run came as far as its tool"


def _open(api: httpx.Client) -> list[str]:
    found = api.get("/executions", params={"status": "running"}).json()["data"]
    return [one["id"] for one in found]


def test_the_time_limit_of_a_run_ends_its_tools(daemon: Daemon, work: Path) -> None:
    answer = daemon.client(timeout=60).post("/api/profiles/one/run", json={"prompt": TOOL, "timeout": 1})
    seen = effects(work)
    assert answer.json()["data"]["timed_out"] is True
    assert len(pids(work)) == 6
    assert living(work) == []
    assert effects(work) == seen


@pytest.mark.parametrize("persist", [False, True])
def test_the_deletion_of_a_session_ends_its_tools(daemon: Daemon, work: Path, persist: bool) -> None:
    api = daemon.client(timeout=60)
    body = {"profile_alias": "one", "args": [TOOL], "persist": persist}
    session = api.post("/api/terminal/sessions", json=body).json()["data"]["session_id"]
    poll(lambda: len(pids(work)) == 6, "the tools run")
    assert api.delete(f"/api/terminal/sessions/{session}").status_code == 200
    seen = effects(work)
    assert living(work) == []
    assert effects(work) == seen


def test_a_start_ends_what_a_killed_daemon_has_left(daemon: Daemon, work: Path) -> None:
    api = daemon.client(timeout=60)
    for session in (False, True):
        (work / "pids").unlink(missing_ok=True)
        api.post("/api/terminal/sessions", json={"profile_alias": "one", "args": [TOOL], "persist": session})
        poll(lambda: len(pids(work)) == 6, "the tools run")
        daemon.kill()
        daemon.start()
        if session:
            [kept] = daemon.client().get("/api/terminal/sessions").json()["data"]
            assert kept["state"] == "running"
            assert len(living(work)) == 6
            assert daemon.client().delete(f"/api/terminal/sessions/{kept['id']}").status_code == 200
            assert living(work) == []
        else:
            poll(lambda: not living(work), "what was left has ended")
            assert daemon.client().get("/api/terminal/sessions").json()["data"] == []
        api = daemon.client(timeout=60)


RESUMING = """#!{python}
import json, os, sys, time
if "--version" in sys.argv: print("1.0"); sys.exit()
session = sys.argv[sys.argv.index("--resume") + 1] if "--resume" in sys.argv else "own-7"
print(json.dumps({{"thread": session}}), flush=True)
open("starts", "a").write(json.dumps(sys.argv[1:]) + "\\n")
if "--resume" not in sys.argv: time.sleep(300)
print(json.dumps({{"text": "resumed " + session + ": " + sys.argv[-1]}}))
"""


@pytest.mark.parametrize("daemon", ["auto"], indirect=True)
def test_an_interrupted_run_goes_on_with_its_agents_session(daemon: Daemon, work: Path, tmp_path: Path) -> None:
    (tmp_path / "bin/sheller").write_text(RESUMING.format(python=sys.executable))
    lines = 'args = ["{prompt}"]\noutput = "json-lines"\nresult = "text"\nsession = "thread"\n'
    resume = '[headless.resume]\nargs = ["--resume", "{session}", "{prompt}"]\nprompt = "Go on."\n'
    text = MANIFEST.replace('args = ["{prompt}"]\noutput = "text"\n', lines + resume)
    (daemon.config_dir / "agents.d/sheller.toml").write_text(text)
    api = daemon.admin(timeout=60)
    daemon.live(workflow("work"), api)
    daemon.client().post("/webhook/work", json={})
    poll(lambda: list((daemon.config_dir / "runs").glob("*.json")), "the session is noted", timeout=30)
    poll(lambda: (work / "starts").exists(), "the agent works")
    daemon.kill()
    daemon.start()
    api = daemon.admin(timeout=60)
    [ended] = poll(lambda: api.get("/executions", params={"status": "success"}).json()["data"], "it ends", timeout=60)
    result = api.get(f"/executions/{ended['id']}").json()
    assert "resumed own-7: Go on." in str(result)
    assert len((work / "starts").read_text().splitlines()) == 2
    assert not list((daemon.config_dir / "runs").glob("*.json"))
