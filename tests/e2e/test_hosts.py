"""Daemons on one PostgreSQL, each with what only it has."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from jackfield.api.auth import OWNER, Principal
from jackfield.api.clock import SystemClock
from jackfield.api.context import PluginContext
from jackfield.core.redaction import Redactor
from jackfield.core.secrets import FileSecrets
from jackfield.http.hosts.tokens import HEADER, ForwardedCaller, ForwardingTokens
from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield.testing.postgres import PostgresServer
from jackfield.testing.shell import add_shell
from jackfield.testing.websocket import BINARY, CLOSE, TEXT, RawWebSocket
from jackfield_approvals.asking.tokens import Asker, AskTokens

KEY = "an-encryption-key-that-both-daemons-have"


class Fleet:
    """Daemons over one schema. They live as long as the module, since their starts cost most."""

    def __init__(self, server: PostgresServer, directory: Path) -> None:
        self._server = server
        self._schema = server.new_name()
        self._dsn = server.dsn()
        self._directory = directory
        self.daemons: dict[str, Daemon] = {}

    def start(self, name: str, settings: str = "", roles: str = "") -> Daemon:
        text = (
            f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{self._schema}"\nreaders = 2\n'
            "[executions]\nlease = 2\nrenewal_interval = 0.2\nclaim_interval = 0.2\n"
            f'[hosts]\nname = "{name}"\nrenewal_interval = 0.2\n{settings}\n'
        )
        if roles:
            text += f"[daemon]\nroles = {roles}\n"
        env = {"JACKFIELD_STORE_POSTGRES_DSN": self._dsn, "JACKFIELD_ENCRYPTION_KEY": KEY}
        made = Daemon(self._directory / name, settings=text, env=env)
        add_shell(made)
        self.daemons[name] = made.start()
        return made

    def shared_days(self, host: str) -> int:
        """Days of usage that this host has told."""
        ((count,),) = self._server.run(
            f"SELECT count(*) FROM {self._schema}.ledger_days d "
            f"JOIN {self._schema}.ledgers l ON l.id = d.ledger_id WHERE l.name = '{host}'"
        )
        return int(count)

    def close(self) -> None:
        for daemon in self.daemons.values():
            daemon.close()


@pytest.fixture(scope="module")
def fleet(jackfield_postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """`alpha`, with everything; and `beta`, which takes calls and has agents, and runs no executions."""
    made = Fleet(jackfield_postgres, tmp_path_factory.mktemp("hosts"))
    try:
        made.start("alpha", 'labels = ["gpu", "zone=eu"]')
        made.start("beta", 'labels = ["big"]', roles='["ingress", "agents"]')
        client = made.daemons["alpha"].client()
        poll(lambda: len(hosts(client)) == 2, "alpha knows beta", timeout=20)
        yield made
    finally:
        made.close()


@pytest.fixture
def alpha(fleet: Fleet) -> Daemon:
    return fleet.daemons["alpha"]


@pytest.fixture
def beta(fleet: Fleet) -> Daemon:
    return fleet.daemons["beta"]


def hosts(client: httpx.Client) -> Mapping[str, Any]:  # Any: JSON
    return {row["name"]: row for row in client.get("/api/hosts").json()["data"]}


def use(daemon: Daemon, tokens: int) -> None:
    """An agent's log on that host says so, and is counted."""
    usage = {"input_tokens": tokens, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    name = daemon.directory.name
    message = {"type": "message", "role": "assistant", "model": f"m-{name}", "usage": usage, "id": name}
    moment = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    line = {"type": "assistant", "timestamp": moment, "sessionId": name, "requestId": name, "message": message}
    logs = daemon.directory / "logs"
    (logs / "projects" / "-w").mkdir(parents=True)
    (logs / "projects" / "-w" / "a.jsonl").write_text(json.dumps(line) + "\n")
    asked = {"agent": "claude", "agent_dir": str(logs)}
    assert daemon.client().post("/api/usage/import-agent", params=asked).status_code == 200


def counted(client: httpx.Client) -> tuple[int, list[str]]:
    """Input tokens at all hosts, and those that did not answer."""
    found = client.get("/api/usage", params={"period": "all"}).json()
    return found["data"]["total_tokens"]["input_tokens"], found.get("missing_hosts", [])


def test_each_host_lists_all(alpha: Daemon, beta: Daemon) -> None:
    here, there = hosts(alpha.client()), hosts(beta.client())
    for found in (here, there):
        assert {name: row["state"] for name, row in found.items()} == {"alpha": "ready", "beta": "ready"}
        assert found["alpha"]["labels"] == ["gpu", "zone=eu"]
        assert found["beta"]["roles"] == ["ingress", "agents"]
        assert found["beta"]["address"] == beta.base_url
        assert found["alpha"]["slots"]["flows"]["used"] == 0
    assert [name for name, row in there.items() if row["here"]] == ["beta"]


def test_a_host_without_flows_has_its_calls_run_by_another(alpha: Daemon, beta: Daemon) -> None:
    api = alpha.admin()
    alpha.live(chain("Elsewhere", webhook("elsewhere"), set_fields("Set", done=True)), api)
    accepted = beta.client().post("/webhook/elsewhere", json={})
    assert accepted.status_code == 200
    poll(lambda: [row["status"] for row in api.get("/executions").json()["data"]] == ["success"], "alpha runs it")
    assert beta.client().get("/ui").status_code == 503
    assert beta.client().get("/").json()["code"] == "ROLE_MISSING"


def test_a_host_without_ingress_says_so(fleet: Fleet) -> None:
    worker = fleet.start("gamma", roles='["flows"]')
    answer = worker.client().post("/webhook/elsewhere", json={})
    assert (answer.status_code, answer.json()["code"]) == (503, "ROLE_MISSING")
    assert "ingress" in answer.json()["message"]
    worker.stop()
    client = fleet.daemons["alpha"].client()
    assert poll(lambda: hosts(client)["gamma"]["state"] == "gone", "it has left in order", timeout=1)
    assert client.get("/api/session").json()["data"]["hosts"] == len(hosts(client)), "a page of hosts still shows it"


def test_a_host_that_is_drained_takes_no_work_until_it_is_resumed(fleet: Fleet, alpha: Daemon, beta: Daemon) -> None:
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": 0, "unit": "seconds"}, version=1.1)
    alpha.live(chain("Drained", webhook("drained"), wait, set_fields("Set", done=True)))
    api, client = alpha.admin(), beta.client()

    def statuses() -> set[str]:
        return {row["status"] for row in api.get("/executions", params={"limit": 1}).json()["data"]}

    assert client.post("/api/hosts/alpha/drain").json()["data"] == {"name": "alpha", "draining": True}
    poll(lambda: hosts(alpha.client())["alpha"]["state"] == "draining", "alpha has heard of it")
    assert alpha.client().post("/webhook/drained", json={}).status_code == 200
    for refused in (alpha.client().post("/api/profiles", json={}), client.post("/api/profiles?host=alpha", json={})):
        assert (refused.status_code, refused.json()["code"]) == (503, "HOST_DRAINING")
    assert statuses() == {"queued"}, "nobody else runs executions"
    assert client.post("/api/hosts/alpha/resume").status_code == 200
    poll(lambda: statuses() == {"success"}, "alpha runs it now")
    assert client.post("/api/hosts/nobody/drain").json()["code"] == "HOST_NOT_FOUND"


def create(client: httpx.Client, alias: str, host: str = "") -> None:
    body = {"agent_id": "shell", "alias": alias, "provider_id": "self", "model": "none"}
    answer = client.post("/api/profiles", json=body, params={"host": host} if host else None)
    assert answer.status_code == 200, answer.text


def aliases(daemon: Daemon) -> set[str]:
    return {path.stem for path in (daemon.config_dir / "profiles").glob("*.*")}


def test_a_profile_of_one_host_is_reached_through_the_other(alpha: Daemon, beta: Daemon) -> None:
    client = beta.client()
    create(client, "far", "alpha")
    assert "far" in aliases(alpha)
    assert "far" not in aliases(beta)
    create(client, "near")
    listed = client.get("/api/profiles").json()
    assert {row["alias"]: row["host"] for row in listed["data"]} == {"far": "alpha", "near": "beta"}
    assert "missing_hosts" not in listed
    shown = client.get("/api/profiles/far")
    assert shown.json()["data"]["alias"] == "far"
    assert shown.headers["x-jackfield-host"] == "alpha"
    assert "x-jackfield-host" not in client.get("/api/profiles/near").headers
    assert client.patch("/api/profiles/far", json={"args": ["-u"]}).json()["data"]["args"] == ["-u"]
    assert alpha.client().get("/api/profiles/far").json()["data"]["args"] == ["-u"]
    assert client.get("/api/profiles/nowhere").json()["code"] == "PROFILE_NOT_FOUND"
    assert client.get("/api/profiles/far", params={"host": "nobody"}).json()["code"] == "HOST_NOT_FOUND"
    ran = client.post("/api/profiles/far/run", json={"args": ["-c", "pwd"]}).json()
    assert str(alpha.directory) in ran["data"]["output"]


def test_a_name_of_a_profile_is_given_once_unless_the_host_is_named(alpha: Daemon, beta: Daemon) -> None:
    body = {"agent_id": "shell", "alias": "once", "provider_id": "self", "model": "none"}
    with ThreadPoolExecutor(6) as pool:
        clients = [daemon.client(timeout=30) for daemon in (alpha, beta) * 3]
        answers = list(pool.map(lambda client: client.post("/api/profiles", json=body), clients))
    assert sorted(answer.status_code for answer in answers) == [200, *[409] * 5]
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} >= {"EXISTS_AT_HOST"}
    other = next(daemon for daemon in (alpha, beta) if "once" not in aliases(daemon))
    refused = other.client().post("/api/profiles", json=body)
    assert "?host=NAME" in refused.json()["error"]
    create(other.client(), "once", other.directory.name)
    assert "once" in aliases(other)
    counted = {
        daemon.client().get("/api/daemon/status", params=query).json()["data"]["profiles_count"]
        for daemon, query in ((alpha, {}), (beta, {}))
    }
    each = [len(aliases(daemon)) for daemon in (alpha, beta)]
    assert counted == {sum(each)}
    rows = beta.client().get("/api/agents").json()["data"]
    assert next(row for row in rows if row["id"] == "shell")["profile_count"] == sum(each)


def told(socket: RawWebSocket, *kinds: str) -> list[Mapping[str, Any]]:  # Any: JSON
    """The data of the next event of each type, in whatever order they come."""
    found: dict[str, Mapping[str, Any]] = {}  # Any: JSON
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        frame = socket.receive()
        if frame is None or frame.opcode != TEXT:
            continue
        message = json.loads(frame.payload)
        if message["type"] == "event" and message["event"]["type"] in kinds:
            found.setdefault(message["event"]["type"], message["event"]["data"])
        if len(found) == len(kinds):
            return [found[kind] for kind in kinds]
    raise AssertionError(f"of {kinds} only {list(found)}")


def test_what_happens_at_one_host_is_told_at_the_other(alpha: Daemon, beta: Daemon) -> None:
    """Over no bus: it is at most a look late."""
    alpha.live(chain("Told", webhook("told"), set_fields("Set", done=True)), alpha.admin())
    with RawWebSocket(beta.port, "/ws") as socket:
        topics = ["profiles", "terminal", "workflows"]
        socket.send(TEXT, json.dumps({"type": "subscribe", "topics": topics}).encode())
        assert json.loads(socket.find(TEXT).payload)["topics"] == topics
        create(alpha.client(), "talked", "alpha")
        assert told(socket, "profile_created") == [
            {"alias": "talked", "agent_id": "shell", "provider_id": "self", "host": "alpha"}
        ]
        asked = {"profile_alias": "talked", "args": ["-c", "true"]}
        session = alpha.client().post("/api/terminal/sessions", json=asked).json()["data"]["session_id"]
        assert told(socket, "session_created")[0]["session_id"] == session
        assert told(socket, "session_ended")[0]["host"] == "alpha"
        assert alpha.client().post("/api/terminal/cleanup").status_code == 200
        assert alpha.client().post("/webhook/told", json={}).status_code == 200
        kinds = ("execution.started", "execution.nodes", "execution.finished")  # each by a look of its own
        started, nodes, finished = told(socket, *kinds)
        assert nodes["nodes"], nodes
        assert nodes["id"] == started["id"] == finished["id"]


def test_the_ledgers_of_all_hosts_are_one(alpha: Daemon, beta: Daemon) -> None:
    create(alpha.client(), "counted")
    run = {"args": ["-c", "true"]}
    assert beta.client().post("/api/profiles/counted/run", json=run).json()["data"]["exit_code"] == 0

    def sessions(daemon: Daemon, **query: str) -> int:
        found = daemon.client().get("/api/usage", params=query)
        assert found.status_code == 200, found.text
        return int(found.json()["data"]["total_sessions"])

    own = poll(lambda: sessions(alpha, host="alpha", period="all") or None, "the run is recorded")
    for daemon in (alpha, beta):
        answers = daemon.client().get("/api/usage/answers").json()
        assert "missing_hosts" not in answers
        assert answers["data"]["left_out"] == 0
        report = daemon.client().get("/api/usage/report", params={"kind": "session"}).json()
        assert "missing_hosts" not in report
        assert report["data"]["kind"] == "session"
        exported = daemon.client().get("/api/usage/export", params={"period": "all"})
        assert exported.json()["success"] is True
        assert "x-jackfield-host" not in exported.headers
    assert sessions(beta, period="all") >= own


def test_a_terminal_of_one_host_is_used_through_the_other(alpha: Daemon, beta: Daemon) -> None:
    here, there = alpha.client(), beta.client()
    create(here, "shelled")
    made = there.post("/api/terminal/sessions", json={"profile_alias": "shelled", "args": ["-c", "exec cat"]})
    assert made.status_code == 200, made.text
    session = made.json()["data"]["session_id"]
    assert [row["id"] for row in here.get("/api/terminal/sessions", params={"host": "alpha"}).json()["data"]] == [
        session
    ]
    assert {row["host"] for row in there.get("/api/terminal/sessions").json()["data"]} == {"alpha"}
    with RawWebSocket(beta.port, f"/ws/terminal/{session}") as socket:
        socket.send(BINARY, b"\x00" + b"hello\n")
        heard = b""
        while b"hello" not in heard:
            frame = socket.receive()
            assert frame is not None, heard
            heard += frame.payload
        assert there.delete(f"/api/terminal/sessions/{session}").status_code == 200
        assert socket.find(CLOSE).code != 1012
    assert there.get("/api/terminal/sessions/unknown").json()["code"] == "SESSION_NOT_FOUND"


def shared(daemon: Daemon, token: str) -> RawWebSocket:
    """What a link shows at this host, with the protocol begun."""
    socket = RawWebSocket(daemon.port, "/ws/shared")
    socket.send(TEXT, json.dumps({"token": token}).encode())
    return socket


def test_a_link_to_a_session_shows_it_at_every_host_and_ends_at_all(alpha: Daemon, beta: Daemon) -> None:
    create(alpha.client(), "looked")
    there = beta.client()
    asked = {"profile_alias": "looked", "args": ["-c", "echo seen; exec cat"]}
    session = there.post("/api/terminal/sessions", json=asked).json()["data"]["session_id"]
    link = there.post(f"/api/terminal/sessions/{session}/share", json={}).json()["data"]["token"]
    sockets = [shared(daemon, link) for daemon in (alpha, beta)]
    try:
        for socket in sockets:
            heard = b""
            while b"seen" not in heard:
                frame = socket.receive()
                assert frame is not None, heard
                heard += frame.payload
        assert there.delete(f"/api/terminal/sessions/{session}/share").json()["data"]["ended"] == 1
        assert [socket.find(CLOSE).code for socket in sockets] == [4401, 4401]
    finally:
        for socket in sockets:
            socket.close()
    with shared(beta, f"{link[:-20]}made-up.{link.rpartition('.')[2]}") as socket:
        assert socket.find(CLOSE).code == 4401
    assert there.delete(f"/api/terminal/sessions/{session}").status_code == 200


def test_every_host_forgets_the_sessions_that_have_ended(alpha: Daemon, beta: Daemon) -> None:
    for daemon, alias in ((alpha, "endsa"), (beta, "endsb")):
        create(daemon.client(), alias)
        asked = {"profile_alias": alias, "args": ["-c", "true"]}
        made = (alpha if daemon is beta else beta).client().post("/api/terminal/sessions", json=asked)
        assert made.headers["x-jackfield-host"] == daemon.directory.name

    def ended() -> list[str]:
        rows = beta.client().get("/api/terminal/sessions").json()["data"]
        return [row["profile_alias"] for row in rows if row["state"] == "terminated"]

    poll(lambda: {"endsa", "endsb"} <= {*ended()}, "both have ended", timeout=30)
    assert beta.client().post("/api/terminal/cleanup").json() == {"success": True}
    assert ended() == []


def test_the_caller_is_the_same_behind_the_other_host(alpha: Daemon, beta: Daemon) -> None:
    api = alpha.admin()
    user = {"username": "looker", "password": "correct-horse-battery", "role": "viewer"}
    assert api.post("/users", json=user).status_code == 201
    login = {name: user[name] for name in ("username", "password")}
    token = beta.client().post("/api/v1/auth/login", json=login).json()["token"]
    viewer = beta.client(headers={"Authorization": f"Bearer {token}"})
    create(alpha.client(), "guarded")
    assert viewer.get("/api/profiles/guarded").status_code == 200
    assert viewer.delete("/api/profiles/guarded").status_code == 403
    assert "guarded" in aliases(alpha)


def forwarded(daemon: Daemon, token: str, path: str = "/api/profiles") -> tuple[int, str]:
    answer = daemon.client().get(path, headers={HEADER.decode(): token})
    return answer.status_code, answer.json().get("code", "")


def test_only_a_fresh_token_for_this_request_at_this_host_counts(alpha: Daemon, tmp_path: Path) -> None:
    def made(host: str = "alpha", method: str = "GET", key: str = KEY, principal: Principal | None = OWNER) -> str:
        caller = ForwardedCaller(principal, "127.0.0.1", ("127.0.0.1", 1))
        secrets = FileSecrets(tmp_path, Redactor(), {"JACKFIELD_ENCRYPTION_KEY": key})
        return ForwardingTokens(secrets, SystemClock(), "test").make(host, method, b"/api/profiles", caller)

    refused = (401, "FORWARDING_REFUSED")
    good = made()
    assert forwarded(alpha, good) == (200, "")
    assert forwarded(alpha, good) == refused, "it counts once"
    assert forwarded(alpha, made(), "/api/profiles?agent=shell") == refused
    assert forwarded(alpha, made("beta")) == refused
    assert forwarded(alpha, made(method="POST")) == refused
    assert forwarded(alpha, made(key=KEY[::-1])) == refused
    assert forwarded(alpha, "nonsense") == refused
    assert forwarded(alpha, made(principal=None)) == (401, "AUTH_REQUIRED")
    viewer = Principal("u", "u", "viewer", "api_key", frozenset({"workflows:read"}))
    assert forwarded(alpha, made(principal=viewer)) == (403, "ACCESS_DENIED"), "scopes count there too"


def agent(path: str, profile: str, script: str, *labels: str) -> Mapping[str, object]:
    parameters: dict[str, Any] = {"profile": profile, "args": ["-c", script], "labels": list(labels)}
    return chain(path, webhook(path), node("Agent", "agent", parameters))


def outcome(api: httpx.Client) -> Mapping[str, Any] | None:
    """Of the newest execution, once it is over."""
    rows = api.get("/executions", params={"limit": 1}).json()["data"]
    found: Mapping[str, Any] = api.get(f"/executions/{rows[0]['id']}").json() if rows else {}
    return found if found.get("status") in ("success", "failed") else None


def test_an_agent_of_a_workflow_runs_on_the_host_with_the_labels(alpha: Daemon, beta: Daemon) -> None:
    api, caller = alpha.admin(), alpha.client()
    for daemon in (alpha, beta):
        create(daemon.client(), "pool", daemon.directory.name)
    for path, labels, home in (("onbeta", ["big"], beta), ("onalpha", ["gpu"], alpha)):
        alpha.live(agent(path, "pool", "pwd", *labels), api)
        assert caller.post(f"/webhook/{path}", json={}).status_code == 200
        ended = poll(partial(outcome, api), "the agent has run", timeout=30)
        assert ended["status"] == "success", ended
        assert str(home.directory) in json.dumps(ended), ended
    alpha.live(agent("nowhere", "pool", "pwd", "none"), api)
    assert caller.post("/webhook/nowhere", json={}).status_code == 200
    failed = poll(lambda: found if (found := outcome(api)) and found["status"] == "failed" else None, "none")
    assert "labels none" in json.dumps(failed)


def used(client: httpx.Client) -> dict[str, int]:
    """Slots of agents, as this daemon knows them: the others tell theirs once a second."""
    return {name: hosts(client)[name]["slots"]["agents"]["used"] for name in ("alpha", "beta")}


def ran_at(client: httpx.Client, home: Daemon, **query: str) -> bool:
    ran = client.post("/api/profiles/either/run", json={"args": ["-c", "pwd"]}, params=query)
    assert ran.status_code == 200, ran.text
    return str(home.directory) in ran.json()["data"]["output"]


def test_a_run_that_the_api_asks_for_begins_on_the_host_with_the_labels_and_a_free_slot(
    alpha: Daemon, beta: Daemon
) -> None:
    here, there = alpha.client(timeout=30), beta.client(timeout=30)
    for client, name in ((here, "alpha"), (there, "beta")):
        create(client, "either", name)
    assert ran_at(here, beta, labels="big")
    assert ran_at(there, alpha, labels="zone=eu,gpu")
    assert ran_at(here, beta, host="beta")
    refused = here.post("/api/profiles/either/run", params={"labels": "none"})
    assert (refused.status_code, refused.json()["code"]) == (409, "NO_HOST")
    refused = here.post("/api/profiles/either/run", params={"labels": "big", "host": "alpha"})
    assert (refused.status_code, refused.json()["code"]) == (409, "NO_HOST")
    assert here.post("/api/profiles/nobodys/run").json()["code"] == "PROFILE_NOT_FOUND"
    at_alpha = {"params": {"host": "alpha"}}
    place = here.post("/api/profiles/either/run", json={"args": ["-c", "pwd"]}, **at_alpha).json()["data"]["output"]
    until_told = {"args": ["-c", "until [ -e enough ]; do sleep 0.05; done"]}
    busy = threading.Thread(
        target=here.post, args=("/api/profiles/either/run",), kwargs={"json": until_told, **at_alpha}
    )
    busy.start()
    try:
        poll(lambda: used(here) == {"alpha": 1, "beta": 0}, "alpha is busy, and beta has told that it is not")
        assert ran_at(here, beta)
    finally:
        (Path(place.strip()) / "enough").touch()
        busy.join()


def test_a_host_that_dies_fails_its_runs_and_is_missing_in_lists(fleet: Fleet, alpha: Daemon) -> None:
    third = fleet.start("delta", "lease = 60\n[telemetry]\nshare_interval = 1", roles='["agents"]')
    client = alpha.client(timeout=30)
    poll(lambda: hosts(client).get("delta", {}).get("state") == "ready", "alpha knows it")
    create(client, "lost", "delta")
    before, _ = counted(client)
    use(third, 4000)
    poll(lambda: fleet.shared_days("delta"), "the store has what delta has used")
    both = poll(lambda: answered_by(client, {"beta", "delta"}), "both answer in time", timeout=30)
    assert both == (before + 4000, [])
    api = alpha.admin()
    alpha.live(agent("dies", "lost", "touch running; exec sleep 300"), api)
    assert client.post("/webhook/dies", json={}).status_code == 200
    poll(lambda: list(third.directory.rglob("running")), "the agent runs there", timeout=30)
    third.kill()
    ended = poll(lambda: found if (found := outcome(api)) and found["status"] == "failed" else None, "told")
    assert "delta does not answer" in json.dumps(ended)
    found = client.get("/api/profiles").json()
    assert found["missing_hosts"] == ["delta"]
    there = poll(lambda: answered_by(client, {"beta"}), "beta answers in time", timeout=30)
    assert there == (before + 4000, ["delta"])
    report = client.get("/api/usage/report", params={"kind": "models"}).json()
    (row,) = (row for row in report["data"]["rows"] if row["model"] == "m-delta")
    assert (row["tokens"]["input_tokens"], row["as_of"]) == (4000, report["data"]["as_of"])
    assert "delta" in report["missing_hosts"]
    assert "in here as of" in " ".join(report["warnings"])
    assert client.get("/api/profiles/lost").json()["code"] == "HOST_UNAVAILABLE"


def test_what_a_host_has_used_stays_when_it_is_gone_and_counts_once_under_another_name(
    fleet: Fleet, alpha: Daemon
) -> None:
    fourth = fleet.start("zeta", roles='["agents"]')
    client = alpha.client(timeout=30)
    poll(lambda: hosts(client).get("zeta", {}).get("state") == "ready", "alpha knows it")
    before, missing = poll(lambda: answered_by(client, {"beta", "zeta"}), "both answer in time", timeout=30)
    use(fourth, 700)
    fourth.stop()  # it tells the last of it at its end, long before telemetry.share_interval
    poll(lambda: hosts(client)["zeta"]["state"] == "gone", "alpha has heard of it")
    expect(client, before + 700, [*missing, "zeta"])
    config = fourth.config_dir / "config.toml"
    config.write_text(config.read_text().replace('name = "zeta"', 'name = "eta"'))
    fourth.start()
    poll(lambda: hosts(client).get("eta", {}).get("state") == "ready", "alpha knows it by its new name")
    expect(client, before + 700, missing)


def answered_by(client: httpx.Client, names: set[str]) -> tuple[int, list[str]] | None:
    """What was used, and who is missing, once these hosts are not."""
    found = counted(client)
    return None if names & {*found[1]} else found


def expect(client: httpx.Client, tokens: int, missing: list[str]) -> None:
    """Hosts that take longer than `hosts.answer_timeout` change nothing of the sum: they count by what they have told,
    and never by both."""

    def answered() -> bool:
        found, absent = counted(client)
        assert found == tokens
        return sorted(absent) == sorted(missing)

    poll(answered, "whoever is there answers in time", timeout=30)


def approvals(api: httpx.Client) -> list[Any]:  # Any: JSON
    return list(api.get("/approvals").raise_for_status().json()["data"])


def test_a_question_is_answered_once_at_whichever_host(alpha: Daemon, beta: Daemon) -> None:
    fields = {"values": [{"fieldLabel": "Reason", "requiredField": True}]}
    wait = node("Ask", "wait", {"resume": "form", "formTitle": "Ship it?", "formFields": fields}, version=1.1)
    here, there = alpha.admin(), beta.admin()
    alpha.live(chain("Asking", webhook("asking"), wait, set_fields("Done", done=True)), here)
    beta.client().post("/webhook/asking", json={}).raise_for_status()
    poll(lambda: approvals(here), "it waits", timeout=20)
    (found,) = approvals(there)
    assert (found["kind"], found["title"], found["node"]) == ("form", "Ship it?", "Ask")
    wrong = there.post(f"/approvals/{found['id']}", json={})
    assert (wrong.status_code, list(wrong.json()["details"])) == (400, ["fields.Reason"])

    def answer(api: httpx.Client) -> int:
        return api.post(f"/approvals/{found['id']}", json={"fields": {"Reason": "Why not"}}).status_code

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(answer, (here, there))) == [200, 409]
    poll(lambda: here.get(f"/executions/{found['executionId']}").json()["status"] == "success", "it ends", timeout=20)
    assert approvals(here) == approvals(there) == []


def test_a_request_of_an_agent_is_answered_from_another_host(alpha: Daemon, beta: Daemon, tmp_path: Path) -> None:
    secrets = FileSecrets(tmp_path, Redactor(), {"JACKFIELD_ENCRYPTION_KEY": KEY})
    asker = Asker("work", "terminal_session", "s1", "standard")
    token = AskTokens(cast("PluginContext", SimpleNamespace(secrets=secrets))).make(asker)
    event = {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "make"}}
    headers = {"Authorization": f"Bearer {token}"}
    assert beta.client().post("/ask-approval/hook", json=event).status_code == 401
    api = alpha.admin()
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(beta.client(timeout=60).post, "/ask-approval/hook", json=event, headers=headers)
        (found,) = poll(lambda: approvals(api), "it is asked", timeout=20)
        assert (found["host"], found["profile"], found["input"]) == ("beta", "work", {"command": "make"})
        path = f"/approvals/{found['id']}"
        assert api.post(path, json={"option": "perhaps"}).status_code == 400
        answered = api.post(path, json={"option": "reject", "note": "Use ninja."})
        assert (answered.status_code, answered.json()["answeredBy"]) == (200, "admin")
        decision = asking.result().json()["hookSpecificOutput"]["decision"]
    assert decision == {"behavior": "deny", "message": "Use ninja."}
    assert api.post(path, json={"option": "allow"}).json()["code"] == "APPROVAL_CLOSED"
    assert [row["state"] for row in api.get("/approvals", params={"state": "all"}).json()["data"]] == ["answered"]
