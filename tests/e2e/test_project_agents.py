"""Profiles and what comes of them belong to projects: somebody of another one finds no session, proxy or key."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import node
from jackfield.testing.websocket import CLOSE, TEXT, RawWebSocket

from .projects_lab import MARK, ProjectLab, made, manual, outcome
from .test_projects import operations

ALIAS = f"work-{MARK}".lower()
AGENT = """
id = "parrot"
name = "Parrot"
binary = "parrot"
version_flag = "--version"
[detect]
commands = ["parrot --version"]
files = []
[profile]
strategy = "home-wrapper"
source_home = "{homes}/{{alias}}"
script = "plain.rhai"
[models]
default = "small"
supported = ["small"]
[headless]
args = ["-p"]
output = "text"
[usage]
reader = "claude"
directory = "{{home}}/.claude"
"""
PROVIDER = """
id = "house"
name = "House"
type = "anthropic-compatible"
[endpoints]
main = "http://127.0.0.1:9/house"
default = "main"
[auth]
required = false
[models]
available = ["small"]
default = "small"
"""
PROGRAM = """#!{python}
import datetime, json, os, pathlib, sys, uuid
if "--version" in sys.argv:
    print("1.0.0")
elif "-p" in sys.argv:
    print("said " + sys.stdin.read())
    now, name = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"), str(uuid.uuid4())
    used = {{"input_tokens": 5, "output_tokens": 7}}
    said = {{"type": "message", "role": "assistant", "id": "msg_" + name, "model": "small", "usage": used}}
    line = {{"type": "assistant", "timestamp": now, "sessionId": name, "cwd": "/", "requestId": name, "message": said}}
    log = pathlib.Path.home() / ".claude/projects/p" / (name + ".jsonl")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(json.dumps(line) + "\\n")
else:
    (pathlib.Path.home() / "token").write_text(os.environ.get("JACKFIELD_TOOLS_TOKEN", ""))
    print("ready", flush=True)
    for line in sys.stdin:
        print("heard " + line, end="", flush=True)
"""


class AgentsLab(ProjectLab):
    def agents(self, who: httpx.Client) -> httpx.Client:
        """The same caller below `/api`."""
        client = self.daemon.client(headers=dict(who.headers))
        client.base_url = httpx.URL(f"{self.daemon.base_url}/api")
        return client


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentsLab]:
    directory = tmp_path_factory.mktemp("project-agents")
    program = directory / "bin" / "parrot"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    env = {"HOME": str(directory / "user"), "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    (directory / "user").mkdir()
    daemon = Daemon(directory / "daemon", env=env)
    files = {
        "agents.d/parrot.toml": AGENT.format(homes=directory / "homes"),
        "providers.d/house.toml": PROVIDER,
        "scripts/plain.rhai": "#{ files: #{}, env: #{}, args: [] }\n",
    }
    for name, text in files.items():
        path = daemon.config_dir / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(text)
    try:
        yield AgentsLab(daemon.start())
    finally:
        daemon.close()


class AgentsOfBob:
    """A profile, a terminal session of it, and a virtual key, in Bob's project."""

    def __init__(self, lab: AgentsLab) -> None:
        self.api = lab.agents(lab.bob.client(lab.b))
        body = {"alias": ALIAS, "agent_id": "parrot", "provider_id": "house"}
        answer = self.api.post("/profiles", json=body)
        assert answer.status_code < 300, answer.text
        answer = self.api.post("/terminal/sessions", json={"profile_alias": ALIAS})
        assert answer.status_code == 200, answer.text
        self.session = str(answer.json()["data"]["session_id"])
        answer = self.api.post("/gateway/keys", json={"label": f"K {MARK}", "profiles": [ALIAS]})
        assert answer.status_code == 200, answer.text
        self.key = str(answer.json()["data"]["id"])
        answer = self.api.post("/terminal/shell", json={})
        assert answer.status_code == 200, answer.text
        self.shell = str(answer.json()["data"]["session_id"])

    def listed(self, api: httpx.Client) -> tuple[bool, bool, bool, bool]:
        """Whether the caller's lists have the profile, the session, the key, the shell."""
        aliases = [one["alias"] for one in api.get("/profiles").json()["data"]]
        sessions = [one["id"] for one in api.get("/terminal/sessions").json()["data"]]
        keys = [one["id"] for one in api.get("/gateway/keys").json()["data"]]
        return ALIAS in aliases, self.session in sessions, self.key in keys, self.shell in sessions


@pytest.fixture(scope="module")
def bobs(lab: AgentsLab) -> AgentsOfBob:
    return AgentsOfBob(lab)


def test_lists_have_what_is_in_the_callers_projects(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    nothing, everything = (False,) * 4, (True,) * 4
    assert bobs.listed(bobs.api) == everything
    assert bobs.listed(lab.agents(lab.bob.api)) == everything
    assert bobs.listed(lab.agents(lab.bob.client("jackfield"))) == nothing, "the header limits them, too"
    assert bobs.listed(lab.agents(lab.ann.api)) == nothing
    assert bobs.listed(lab.agents(lab.admin)) == everything
    key = lab.bob.key(projects=[lab.b], scopes=["agents:read"])
    assert bobs.listed(lab.agents(key)) == everything
    other = lab.bob.key(projects=["jackfield"], scopes=["agents:read"])
    assert bobs.listed(lab.agents(other)) == nothing


def test_no_route_of_agents_tells_or_changes_anything_of_another_project(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    tried = set()
    places = {"{alias}": ALIAS, "{session_id}": bobs.session, "{key_id}": bobs.key, "{hook}": "pre_run"}
    ann = lab.ann.client(base="")
    for method, path, one in operations(lab):
        if not path.startswith(("/api/profiles", "/api/proxy", "/api/terminal", "/api/gateway", "/api/agent-sessions")):
            continue
        address = path
        for name, value in places.items():
            address = address.replace(name, value)
        if address == path or "{" in address:
            continue
        bodies: list[dict[str, Any]] = [{}, {"alias": ALIAS, "prompt": "x", "data": "x", "content": "x"}]
        for body in bodies if method in ("POST", "PUT", "PATCH") else [None]:
            answer = ann.request(method, address, **({"json": body} if body is not None else {}))
            assert answer.status_code in (400, 404, 405, 422), (method, path, answer.status_code, answer.text)
            assert f"K {MARK}" not in answer.text, (method, path)
        tried.add(one["operationId"])
    assert {"updateProfile", "deleteProfile", "runProfile", "startProxy", "sendTerminalInput", "shareTerminal"} <= tried
    assert {"getVirtualKey", "rotateVirtualKey", "deleteTerminalSession", "getProfileEnvironment"} <= tried
    assert bobs.listed(bobs.api) == (True,) * 4


def test_a_viewer_looks_and_an_editor_drives(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    lab.join(lab.b, lab.ann, "project:viewer")
    ann = lab.agents(lab.ann.client(lab.b))
    try:
        assert bobs.listed(ann) == (True,) * 4
        assert ann.get(f"/profiles/{ALIAS}").status_code == 200
        assert ann.get(f"/terminal/sessions/{bobs.session}/screen").status_code == 200
        for method, path, body in (
            ("POST", f"/profiles/{ALIAS}/run", {"prompt": "hi"}),
            ("PATCH", f"/profiles/{ALIAS}", {"model": "small"}),
            ("DELETE", f"/profiles/{ALIAS}", None),
            ("POST", f"/terminal/sessions/{bobs.session}/input", {"data": "x"}),
            ("DELETE", f"/terminal/sessions/{bobs.session}", None),
            ("DELETE", f"/gateway/keys/{bobs.key}", None),
            ("POST", f"/proxy/{ALIAS}/start", {}),
            ("POST", "/terminal/sessions", {"profile_alias": ALIAS}),
        ):
            answer = ann.request(method, path, **({"json": body} if body is not None else {}))
            assert answer.status_code == 403, (method, path, answer.text)
            assert answer.json()["details"]["role"] == "project:editor"
    finally:
        lab.admin.delete(f"/projects/{lab.b}/members/{lab.ann.id}").raise_for_status()
    assert bobs.listed(lab.agents(lab.ann.api)) == (False,) * 4
    ran = bobs.api.post(f"/profiles/{ALIAS}/run", json={"prompt": "hi"})
    assert ran.json()["data"]["output"] == "said hi\n", ran.text


def test_a_terminals_websocket_is_its_projects(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    for person, code in ((lab.ann, 4404), (lab.bob, 0)):
        headers = [f"Authorization: Bearer {person.token}", f"Origin: {lab.daemon.base_url}"]
        with RawWebSocket(lab.daemon.port, f"/ws/terminal/{bobs.session}?mode=ro", headers) as socket:
            if code:
                assert socket.find(CLOSE).code == code
            else:
                first = socket.receive()
                assert first is not None
                assert b"no terminal session" not in first.payload


def test_events_tell_of_the_callers_profiles(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    mine = f"seen-by-{lab.ann.name}"
    heard = []
    headers = [f"Authorization: Bearer {lab.ann.token}", f"Origin: {lab.daemon.base_url}"]
    with RawWebSocket(lab.daemon.port, "/ws", headers) as socket:
        socket.send(TEXT, b'{"type":"subscribe","topics":["profiles","terminal","proxy"]}')
        socket.send(TEXT, b'{"type":"ping"}')
        while b"pong" not in (frame := socket.find(TEXT).payload):
            heard.append(frame)
        assert bobs.api.patch(f"/profiles/{ALIAS}", json={"args": ["--loud"]}).status_code == 200
        body = {"alias": mine, "agent_id": "parrot", "provider_id": "house"}
        lab.agents(lab.ann.api).post("/profiles", json=body).raise_for_status()
        while mine.encode() not in (frame := socket.find(TEXT).payload):
            heard.append(frame)
    assert ALIAS.encode() not in b"".join(heard)
    assert bobs.api.patch(f"/profiles/{ALIAS}", json={"args": []}).status_code == 200


def test_metrics_of_workflows_are_for_who_sees_every_project(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    bob = lab.bob.client(lab.b)
    ident = made(bob.post("/workflows", json=manual("Counted")))["id"]
    outcome(bob.post(f"/workflows/{ident}/execute"))
    address = f"{lab.daemon.base_url}/metrics"
    poll(lambda: f'workflow="{ident}"' in lab.admin.get(address).text, "it is counted")
    told = lab.ann.api.get(address)
    assert (told.status_code, ident in told.text, "jackfield_http_requests_total" in told.text) == (200, False, True)


def test_a_provider_that_a_hidden_profile_names_stays(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    body: dict[str, Any] = {"id": "mill", "name": "Mill", "type": "openai-compatible"}
    body |= {"endpoints": {"main": "http://127.0.0.1:9/v1"}, "models": {"available": ["small"], "default": "small"}}
    admin = lab.agents(lab.admin)
    added = admin.post("/custom-providers", json={**body, "auth": {"kind": "api-key", "header": "x-key"}})
    assert added.status_code == 200, added.text
    proxy = {"enabled": True, "model_aliases": {"fast": "mill/small"}}
    named = {"alias": "grinds", "agent_id": "parrot", "provider_id": "house", "proxy_config": proxy}
    assert bobs.api.post("/profiles", json=named).status_code == 200
    refused = lab.agents(lab.ann.api).delete("/custom-providers/mill")
    assert (refused.status_code, refused.json()["code"]) == (409, "PROVIDER_IN_USE"), refused.text
    assert "grinds" not in refused.text
    assert bobs.api.delete("/profiles/grinds").status_code == 200
    assert admin.delete("/custom-providers/mill").status_code == 200


def agent(profile: str) -> dict[str, Any]:
    return node("Agent", "agent", {"profile": profile, "prompt": "from the workflow"})


def test_an_execution_uses_profiles_of_its_workflows_project(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    share = f"/placements/profile/{ALIAS}/shares/{lab.a}"
    ann, bob = lab.ann.client(lab.a), lab.bob.client(lab.b)
    own = made(bob.post("/workflows", json=manual("Own", agent(ALIAS))))["id"]
    foreign = made(ann.post("/workflows", json=manual("Foreign", agent(ALIAS))))["id"]
    assert outcome(bob.post(f"/workflows/{own}/execute"))["status"] == "success"
    for caller in (ann, lab.admin):  # whoever starts it
        found = outcome(caller.post(f"/workflows/{foreign}/execute"))
        assert found["status"] == "failed"
        assert "no profile" in str(found["error"]), found["error"]
    lab.admin.put(share).raise_for_status()
    try:
        assert outcome(ann.post(f"/workflows/{foreign}/execute"))["status"] == "success"
        assert lab.agents(ann).patch(f"/profiles/{ALIAS}", json={"model": "small"}).status_code == 403
    finally:
        lab.admin.delete(share).raise_for_status()
    assert outcome(ann.post(f"/workflows/{foreign}/execute"))["status"] == "failed"


async def listed_by_agent(lab: AgentsLab, api: httpx.Client, alias: str) -> str:
    """Which workflows an agent of the profile is told of, when this caller has started it."""
    from .profile_probes import connected

    home = lab.daemon.directory.parent / "homes" / alias
    home.joinpath("token").unlink(missing_ok=True)
    started = await asyncio.to_thread(api.post, "/terminal/sessions", json={"profile_alias": alias})
    assert started.status_code == 200, started.text
    await asyncio.to_thread(poll, lambda: home.joinpath("token").exists() and home.joinpath("token").read_text(), alias)
    async with connected(lab.daemon, home.joinpath("token").read_text()) as client:
        found = await client.call_tool("list_workflows", {"limit": 100})
    assert not found.is_error, found
    assert api.delete(f"/terminal/sessions/{started.json()['data']['session_id']}").status_code == 200
    return str(found)


async def test_an_agent_is_told_of_its_projects_workflows_alone(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    """Although its token is the daemon's own user's."""
    pytest.importorskip("mcp")
    ann, bob, shared = lab.agents(lab.ann.client(lab.a)), lab.agents(lab.bob.client(lab.b)), lab.agents(lab.ann.api)
    made(lab.ann.client(lab.a).post("/workflows", json=manual("Of A")))
    made(lab.bob.client(lab.b).post("/workflows", json=manual("Of B")))
    made(lab.ann.api.post("/workflows", json=manual("Of everybody")))
    tools = {"agent_id": "parrot", "provider_id": "house", "daemon_tools": {"tools": ["list_workflows"]}}
    for api, alias in ((bob, "tools-b"), (shared, "tools-shared")):
        assert api.post("/profiles", json={"alias": alias, **tools}).status_code < 300
    everything = {"Of A", "Of B", "Of everybody"}
    share = f"/placements/profile/tools-b/shares/{lab.a}"
    lab.admin.put(share).raise_for_status()
    for api, alias, seen in (
        (bob, "tools-b", "Of B"),
        (lab.agents(lab.admin), "tools-b", "Of B"),
        (shared, "tools-shared", "Of everybody"),
        (ann, "tools-b", "Of A"),
    ):
        told = await listed_by_agent(lab, api, alias)
        assert {name for name in everything if name in told} == {seen}, (alias, seen)
    lab.admin.delete(share).raise_for_status()
    assert bob.delete("/profiles/tools-b").status_code == 200


def test_usage_is_that_of_the_callers_profiles(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    bobs.api.post(f"/profiles/{ALIAS}/run", json={"prompt": "once more"}).raise_for_status()
    report = {"kind": "daily", "breakdown": "profile"}
    poll(lambda: ALIAS in bobs.api.get("/usage").text, "the run is counted")
    for path, query in (("/usage", {}), ("/usage/report", report), ("/usage/export", {}), ("/usage/answers", {})):
        poll(lambda path=path, query=query: ALIAS in bobs.api.get(path, params=query).text, path)  # type: ignore[misc]
        answer = lab.agents(lab.ann.api).get(path, params=query)
        assert (answer.status_code, ALIAS in answer.text) == (200, False), path


def test_usage_of_each_project_adds_up(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    """A shared profile counts where it belongs, and usage of none in the shared project."""
    admin, ann = lab.agents(lab.admin), lab.agents(lab.ann.api)
    common = {"alias": "common", "agent_id": "parrot", "provider_id": "house"}
    assert admin.post("/profiles", json=common).status_code < 300
    for api, alias in ((bobs.api, ALIAS), (admin, "common")):
        api.post(f"/profiles/{alias}/run", json={"prompt": "hello"}).raise_for_status()
        poll(lambda api=api, alias=alias: alias in api.get("/usage").text, "the run is counted")  # type: ignore[misc]  # no type for a default
    share = f"/placements/profile/{ALIAS}/shares/{lab.a}"
    lab.admin.put(share).raise_for_status()

    def output(project: str = "", who: httpx.Client = admin) -> int:
        data = who.get("/usage", params={"period": "all", "project_id": project}).raise_for_status().json()["data"]
        return int(data["total_tokens"]["output_tokens"])

    parts = {project: output(project) for project in ("jackfield", lab.a, lab.b)}
    assert parts[lab.a] == 0
    assert min(parts["jackfield"], parts[lab.b]) >= 7
    assert sum(parts.values()) == output()
    assert output(lab.b, bobs.api) == parts[lab.b]
    assert output(lab.a, ann) == 0
    for path in ("/usage", "/usage/report", "/usage/answers", "/usage/export"):
        more = {"breakdown": "profile"} if path.endswith("report") else {}
        assert ALIAS in admin.get(path, params={"project_id": lab.b, **more}).text, path
        assert ALIAS not in admin.get(path, params={"project_id": "jackfield", **more}).text, path
        assert ann.get(path, params={"project_id": lab.b}).status_code == 404, path
        assert admin.get(path, params={"project_id": "0192"}).status_code == 404, path
    lab.admin.delete(share).raise_for_status()
    assert admin.delete("/profiles/common").status_code == 200


def test_the_command_tells_usage_of_one_project(lab: AgentsLab, bobs: AgentsOfBob, tmp_path: Path) -> None:
    """Beside the daemon, and from elsewhere."""
    key = made(lab.admin.post("/api-keys", json={"name": "elsewhere"}))["key"]
    far = {"JACKFIELD_DAEMON_ENDPOINT": lab.daemon.base_url, "JACKFIELD_API_KEY": key}
    poll(lambda: ALIAS in bobs.api.get("/usage", params={"period": "all"}).text, "there is usage")
    for directory, more in ((lab.daemon.config_dir, {}), (tmp_path, far)):

        def told(*words: str, directory: Path = directory, more: Mapping[str, str] = more) -> tuple[int, str, str]:
            command = [lab.daemon.command()[0], "usage", *words, "--config-dir", str(directory)]
            env = lab.daemon.environment() | more
            done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)
            return done.returncode, done.stdout, done.stderr

        for words in (("-p", "all"), ("daily", "-b", "profile"), ("answers",), ("export",)):
            for named, has in ((f"Team {MARK}", True), (lab.b, True), ("Shared", False), (lab.a, False)):
                status, out, err = told(*words, "--in-project", named, "--json")
                assert (status, ALIAS in out) == (0, has), (words, named, err)
        status, out, err = told("--in-project", "Team C")
        assert (status, out) == (1, ""), directory
        assert "There is no project with the id or name Team C" in err


def test_a_virtual_key_opens_what_its_maker_sees(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    ann, admin = lab.agents(lab.ann.api), lab.agents(lab.admin)
    for body in ({"label": "all"}, {"label": "bob's", "profiles": [ALIAS]}):
        refused = ann.post("/gateway/keys", json=body)
        assert (refused.status_code, "profiles" in refused.json()["details"]) == (400, True), refused.text
    wide = admin.post("/gateway/keys", json={"label": "wide"}).json()["data"]["id"]
    assert ann.get(f"/gateway/keys/{wide}").status_code == 200, "it is in the shared project"
    assert ann.post(f"/gateway/keys/{wide}/rotate").status_code == 400, "its secret opens every profile"
    assert bobs.api.post(f"/gateway/keys/{bobs.key}/rotate").status_code == 200


def test_a_profile_moves(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    place = f"/placements/profile/{ALIAS}"
    assert lab.bob.api.put(place, json={"projectId": "jackfield"}).status_code == 403, "an editor moves nothing"
    holds = lab.admin.get(f"/projects/{lab.b}").json()["holds"]
    assert holds["profile"] >= 1
    assert holds["virtual-key"] == 1
    assert lab.admin.put("/placements/profile/absent", json={"projectId": lab.a}).status_code == 404
    lab.admin.put(place, json={"projectId": "jackfield"}).raise_for_status()
    assert bobs.listed(lab.agents(lab.ann.api)) == (True, True, False, False)
    lab.admin.put(place, json={"projectId": lab.b}).raise_for_status()
    assert bobs.listed(lab.agents(lab.ann.api)) == (False,) * 4


def test_what_a_deleted_profile_leaves_stays_in_its_project(lab: AgentsLab, bobs: AgentsOfBob) -> None:
    assert bobs.api.delete(f"/profiles/{ALIAS}", params={"force": "true"}).status_code == 200
    ann, body = lab.agents(lab.ann.api), {"alias": ALIAS, "agent_id": "parrot", "provider_id": "house"}
    for api, seen in ((ann, False), (bobs.api, True)):
        assert (bobs.session in [one["id"] for one in api.get("/terminal/sessions").json()["data"]]) is seen
        assert (api.get(f"/terminal/sessions/{bobs.session}/screen").status_code != 404) is seen
        assert (ALIAS in api.get("/usage").text) is seen
    refused = ann.post("/profiles", json=body)
    assert (refused.status_code, "another project" in refused.json()["error"]) == (409, True), refused.text
    assert bobs.api.post("/profiles", json=body).status_code < 300
    assert lab.admin.get(f"/placements/profile/{ALIAS}").json()["projectId"] == lab.b
