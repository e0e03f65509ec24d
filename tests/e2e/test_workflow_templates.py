"""Every template of a workflow is taken as the browser takes it, and run: its addresses lead to loopback."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll

from .template_world import CUSTOMERS, FACTS, World, world

FOLDER = Path(__file__).resolve().parents[2] / "manifests" / "workflow-templates"
TEMPLATES = sorted(path.stem for path in FOLDER.glob("*.toml"))
SECRET = "a-secret-of-this-test"
AGENT = """#!/bin/sh
[ "$1" = --version ] && { echo 1.0; exit; }
echo "Read: $(head -c 40)"
"""
MANIFEST = """
id = "reader"
name = "Reader"
binary = "reader"
[detect]
commands = ["reader --version"]
[headless]
args = []
input = "stdin"
output = "text"
"""
VALUES: Mapping[str, Mapping[str, str]] = {
    "hmacAuth": {"secret": SECRET},
    "httpHeaderAuth": {"name": "X-API-Key", "value": SECRET},
    "openAiApi": {"apiKey": SECRET},
    "githubApi": {"accessToken": SECRET},
}


class Place:
    """A daemon, and the world around it."""

    def __init__(self, daemon: Daemon, around: World) -> None:
        self.daemon, self.world, self.api = daemon, around, daemon.admin()
        self.calls = daemon.client()
        self._credentials: dict[str, dict[str, str]] = {}

    def take(self, ident: str, change: Callable[[dict[str, Any]], None] | None = None, *, live: bool = False) -> str:
        """Save a template's workflow with credentials, its addresses replaced; its id."""
        shown = self.api.get(f"/workflow-templates/{ident}").raise_for_status().json()
        text = json.dumps(shown["workflow"])
        for host in ("https://api.example.com", "https://chat.example.com", "http://127.0.0.1:8765"):
            text = text.replace(host, self.world.url)
        document = json.loads(text)
        nodes = {node["name"]: node for node in document["nodes"]}
        for need in shown["credentials"]:
            nodes[need["node"]]["credentials"] = {need["kind"]: self.credential(need["kind"])}
        if change:
            change(nodes)
        found = self.api.post("/workflows/validate", json=document).json()
        assert not [problem for problem in found["problems"] if problem["severity"] != "activation"]
        assert self.api.post("/workflows", json=document).raise_for_status().json()["id"]
        saved = self.api.get("/workflows?limit=1").json()["data"][0]["id"]
        if live:
            answer = self.api.post(f"/workflows/{saved}/activate")
            assert answer.status_code == 200, answer.text
        return str(saved)

    def credential(self, kind: str) -> dict[str, str]:
        if kind not in self._credentials:
            urls = {"openAiApi": {"url": f"{self.world.url}/v1"}, "githubApi": {"server": self.world.url}}
            values = {**VALUES[kind], **urls.get(kind, {}), "allowedHosts": "127.0.0.1"}
            if kind == "hmacAuth":
                del values["allowedHosts"]
            answer = self.api.post("/credentials", json={"name": kind, "kind": kind, "values": values})
            assert answer.status_code == 201, answer.text
            self._credentials[kind] = {"id": answer.json()["id"], "name": kind}
        return self._credentials[kind]

    def run(self, ident: str, items: Any = None) -> list[Any]:
        """Run a saved workflow; the fields of the last node's items."""
        answer = self.api.post(f"/workflows/{ident}/execute", json={"inputData": items or [{"json": {}}]})
        done = answer.json()
        assert done.get("status") == "success", done
        return [item["json"] for item in done["data"]]

    def call(self, path: str, body: Any, status: int = 200, **headers: str) -> Any:
        answer = self.calls.post(f"/webhook/{path}", content=json.dumps(body), headers={**JSON, **headers})
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def signed(self, path: str, event: str, body: Any, status: int = 200) -> Any:
        proof = hmac.new(SECRET.encode(), json.dumps(body).encode(), hashlib.sha256).hexdigest()
        github = {"x-github-event": event, "x-hub-signature-256": f"sha256={proof}", "x-github-delivery": event}
        return self.call(path, body, status, **github)

    def hears(self, text: str) -> None:
        poll(lambda: [line for line in self.world.told() if text in line], f"the team hears {text}")


JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    directory = tmp_path_factory.mktemp("templates")
    programs = directory / "bin"
    programs.mkdir()
    (programs / "reader").write_text(AGENT)
    (programs / "reader").chmod(0o755)
    (directory / "home").mkdir()
    settings = '[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n[profiles]\nkey_store = "file"\n'
    env = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(directory / "home")}
    daemon = Daemon(directory, settings=settings, env=env)
    (daemon.config_dir / "agents.d").mkdir()
    (daemon.config_dir / "agents.d/reader.toml").write_text(MANIFEST)
    try:
        daemon.start()
        for alias in ("worker", "reviewer"):
            body = {"agent_id": "reader", "alias": alias, "provider_id": "self", "model": "m"}
            answer = daemon.client().post("/api/profiles", json=body)
            assert answer.status_code == 200, answer.text
        with world() as around:
            yield Place(daemon, around)
    finally:
        daemon.close()


@pytest.fixture(autouse=True)
def _quiet(place: Place) -> Iterator[None]:
    """Nothing is heard of an earlier test, and nothing stays live."""
    place.world.asked.clear()
    yield
    for row in place.api.get("/workflows?active=true&limit=100").json()["data"]:
        place.api.post(f"/workflows/{row['id']}/deactivate")


Check = Callable[[Place], None]
CHECKS: dict[str, Check] = {}


def template(ident: str) -> Callable[[Check], Check]:
    def kept(check: Check) -> Check:
        CHECKS[ident] = check
        return check

    return kept


def test_every_template_has_its_check() -> None:
    assert sorted(CHECKS) == TEMPLATES
    assert len(TEMPLATES) >= 30


@pytest.mark.parametrize("ident", TEMPLATES)
def test_the_template_does_what_it_says(place: Place, ident: str) -> None:
    CHECKS[ident](place)


def test_templates_are_listed_with_what_they_need(place: Place) -> None:
    listed = place.api.get("/workflow-templates").json()
    assert (listed["total"], listed["warnings"]) == (len(TEMPLATES), [])
    row = next(row for row in listed["data"] if row["id"] == "github-issue-agent")
    assert row["credentials"] == [{"node": "Webhook", "kind": "hmacAuth"}, {"node": "Comment", "kind": "githubApi"}]
    assert row["nodeTypes"][:2] == ["webhook", "if"]
    assert {row["category"] for row in listed["data"]} == {
        "AI",
        "Agents",
        "Code",
        "Data",
        "Flow",
        "Forms",
        "Schedules",
        "Webhooks",
    }
    assert (
        place.api.get("/workflow-templates/webhook-anser")
        .json()["message"]
        .endswith("did you mean webhook-answer or webhook-answer-first?")
    )


def test_a_user_adds_one_and_a_broken_file_is_told(place: Place) -> None:
    folder = place.daemon.config_dir / "workflow-templates.d"
    folder.mkdir()
    rest = 'description = "D"\ncategory = "Mine"\n'
    (folder / "mine.toml").write_text(
        f"""id = "mine"\n{rest}workflow = '{{"nodes": [{{"name": "A", "type": "set"}}]}}'\n"""
    )
    (folder / "bad.toml").write_text(f"""id = "bad"\n{rest}workflow = '{{"nodes": [{{"name": 1}}]}}'\n""")
    try:
        listed = place.api.get("/workflow-templates").json()
    finally:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    assert [row["category"] for row in listed["data"] if row["id"] in ("mine", "bad")] == ["Mine"]
    assert len(listed["warnings"]) == 1
    assert "bad.toml" in listed["warnings"][0]
    assert "each with the texts `name` and `type`" in listed["warnings"][0]


@template("webhook-answer")
def _(place: Place) -> None:
    place.take("webhook-answer", live=True)
    assert place.call("hello", {"name": "Ada"})["text"] == "Hello, Ada!"
    assert place.call("hello", {})["text"] == "Hello, stranger!"


@template("webhook-check-input")
def _(place: Place) -> None:
    place.take("webhook-check-input", live=True)
    assert place.call("sign-up", {"email": "ada@example.com"}, 201) == {"accepted": "ada@example.com"}
    assert "e-mail" in place.call("sign-up", {"email": "ada"}, 400)["error"]
    place.call("sign-up", {}, 400)


@template("webhook-answer-first")
def _(place: Place) -> None:
    place.take("webhook-answer-first", live=True)
    assert place.call("orders", {"order": 1}, 202) == {"accepted": True}
    poll(lambda: place.world.bodies("/orders") == [{"order": 1}], "the slow part is done")


@template("webhook-github-events")
def _(place: Place) -> None:
    place.take("webhook-github-events", live=True)
    place.signed("github", "push", {"pusher": {"name": "ada"}, "ref": "refs/heads/main"})
    place.hears("ada pushed to refs/heads/main")
    place.signed("github", "release", {"action": "published", "release": {"tag_name": "v1"}})
    place.hears("Release v1 was published")
    place.call("github", {}, 401)


@template("csv-to-json")
def _(place: Place) -> None:
    place.take("csv-to-json", live=True)
    rows = b"name,age\nAda,36\nMax,4\n"
    answer = place.calls.post("/webhook/csv", files={"file": ("rows.csv", rows, "text/csv")})
    assert [row["name"] for row in answer.json()] == ["Ada", "Max"]


@template("schedule-to-table")
def _(place: Place) -> None:
    ident = place.take("schedule-to-table", live=True)
    for _ in range(2):
        assert [row["order"] for row in place.run(ident)] == ["A1", "A3"]
    [table] = place.api.get("/data-tables").json()["data"]
    rows = place.api.get(f"/data-tables/{table['id']}/rows").json()["data"]
    assert [row["total"] for row in rows] == [150, 200, 150, 200]


@template("rss-to-chat")
def _(place: Place) -> None:
    ident = place.take("rss-to-chat", live=True)
    place.run(ident)
    place.run(ident)
    assert sorted(place.world.told()) == ["First https://news.example/1", "Second https://news.example/2"]


@template("watch-a-site")
def _(place: Place) -> None:
    ident = place.take("watch-a-site", live=True)
    place.run(ident)
    assert place.world.told() == []
    place.world.health = 500
    place.run(ident)
    place.world.health = 200
    assert place.world.told() == ["The site answers 500."]


@template("daily-summary")
def _(place: Place) -> None:
    place.run(place.take("daily-summary", live=True))
    assert place.world.told() == ["Said"]
    assert "- First\\n- Second" in json.dumps(place.world.bodies("/v1/chat/completions"))


@template("usage-report")
def _(place: Place) -> None:
    place.run(place.take("usage-report", live=True))
    assert place.world.told() == ["Usage of the last week\nm: 3 tokens, $1.50"]
    since = next(target for _, target, _ in place.world.asked)
    assert since == "/api/usage/report"
    real = place.daemon.client().get("/api/usage/report?kind=models&since=2026-01-31")
    assert real.json()["data"]["rows"] == []


@template("key-budgets")
def _(place: Place) -> None:
    place.run(place.take("key-budgets", live=True))
    assert place.world.told() == ["The key ci has used 90 % of its usd for month."]
    assert place.daemon.client().get("/api/gateway/keys").json()["data"] == []


@template("json-to-csv")
def _(place: Place) -> None:
    place.take("json-to-csv", live=True)
    answer = place.calls.get("/webhook/orders.csv")
    assert answer.text.lstrip("\ufeff").splitlines() == ["id,customer,total", "A1,7,150", "A2,8,50", "A3,7,200"]
    assert "orders.csv" in answer.headers["content-disposition"]


@template("merge-by-key")
def _(place: Place) -> None:
    rows = place.run(place.take("merge-by-key"))
    assert [(row["order"], row["customer"], row["total"]) for row in rows] == [("A1", "Ada", 150), ("A3", "Ada", 200)]


@template("remove-duplicates")
def _(place: Place) -> None:
    assert [row["email"] for row in place.run(place.take("remove-duplicates"))] == [
        "ada@example.com",
        "max@example.com",
    ]


@template("loop-in-batches")
def _(place: Place) -> None:
    [row] = place.run(place.take("loop-in-batches"))
    assert [one["stored"] for one in row["sent"]] == [True] * 3
    assert sorted(body["id"] for body in place.world.bodies("/orders") if body) == ["A1", "A2", "A3"]


@template("all-pages")
def _(place: Place) -> None:
    assert [row["n"] for row in place.run(place.take("all-pages"))] == [1, 2, 3, 4]


@template("totals-by-customer")
def _(place: Place) -> None:
    rows = place.run(place.take("totals-by-customer"))
    assert [(row["customer"], row["sum_total"], row["count_id"]) for row in rows] == [(7, 350, 2), (8, 50, 1)]


@template("compare-lists")
def _(place: Place) -> None:
    ident = place.take("compare-lists")
    place.run(ident)
    found = place.api.get(f"/executions?workflowId={ident}").json()["data"][0]["id"]
    nodes = place.api.get(f"/executions/{found}").json()["nodes"]
    told = {name: nodes[name][0]["outputs"][0][0]["json"] for name in ("Removed", "Changed", "Added")}
    assert (told["Removed"]["name"], told["Added"]["name"]) == ("Max", CUSTOMERS[1]["name"])
    assert told["Changed"]["different"]["name"] == {"inputA": "Ada L.", "inputB": "Ada"}


@template("code-javascript")
def _(place: Place) -> None:
    assert [row["share"] for row in place.run(place.take("code-javascript"))] == [38, 13, 50]


@template("code-python")
def _(place: Place) -> None:
    assert [row["share"] for row in place.run(place.take("code-python"))] == [38, 12, 50]


@template("links-of-a-page")
def _(place: Place) -> None:
    rows = place.run(place.take("links-of-a-page"))
    assert [(row["text"], row["address"]) for row in rows] == [("One", "/one"), ("Two", "/two")]


@template("retry-with-backoff")
def _(place: Place) -> None:
    def hurry(nodes: dict[str, Any]) -> None:
        nodes["Begin"]["parameters"]["assignments"]["assignments"][1]["value"] = 0.01

    place.world.failures = 2
    ident = place.take("retry-with-backoff", hurry)
    assert place.run(ident) == [{"ok": True}]
    assert len(place.world.bodies("/unreliable")) == 3
    place.world.failures = 9
    failed = place.api.post(f"/workflows/{ident}/execute").json()
    place.world.failures = 0
    assert (failed["status"], failed["error"]["message"]) == ("failed", "The service did not answer five times.")
    assert len(place.world.bodies("/unreliable")) == 8


@template("wait-for-a-call")
def _(place: Place) -> None:
    ident = place.take("wait-for-a-call", live=True)
    address = place.call("jobs", {}, 202)["goOn"]
    path = httpx.URL(address).path
    poll(lambda: place.api.get(f"/executions?workflowId={ident}&status=waiting").json()["total"], "the run waits")
    assert place.calls.post(path, json={"answer": "42"}).status_code == 200
    done = poll(lambda: place.api.get(f"/executions?workflowId={ident}&status=success").json()["data"], "it goes on")
    shown = place.api.get(f"/executions/{done[0]['id']}").json()
    assert shown["data"][0]["json"]["answer"] == "42"


@template("form-approval")
def _(place: Place) -> None:
    place.take("form-approval", live=True)
    sent = place.calls.post("/form/ask-for-leave", files={"field-0": (None, "Ada"), "field-1": (None, "3")})
    assert sent.status_code < 400, sent.text
    place.hears("Ada asks for 3 days")
    path = httpx.URL(place.world.told()[0].rsplit(" ", 1)[1]).path
    poll(lambda: "Ada asks for 3 days." in place.calls.get(path).text, "the second form is there")
    assert place.calls.post(path, files={"field-0": (None, "Yes")}).status_code < 400
    place.hears("Approved: Ada")


@template("error-workflow")
def _(place: Place) -> None:
    told = place.take("error-workflow", live=True)
    stop = {"id": "s", "name": "Stop", "type": "jackfield.stopAndError", "typeVersion": 1, "position": [200, 0]}
    hook = {"id": "h", "name": "H", "type": "jackfield.webhook", "position": [0, 0], "parameters": {"path": "failing"}}
    place.daemon.live(
        {
            "name": "Failing",
            "nodes": [hook, {**stop, "parameters": {"errorMessage": "too late"}}],
            "connections": {"H": {"main": [[{"node": "Stop", "type": "main", "index": 0}]]}},
            "settings": {"errorWorkflow": told},
        },
        place.api,
    )
    place.calls.post("/webhook/failing", json={})
    place.hears("Failing failed at Stop: too late")


@template("sub-workflow")
def _(place: Place) -> None:
    ident = place.take("sub-workflow", live=True)
    assert place.run(ident, [{"json": {"amount": 10, "rate": 0.19}}]) == [{"price": 11.9}]


@template("call-a-workflow")
def _(place: Place) -> None:
    assert place.run(place.take("call-a-workflow")) == [{"price": [178.5, 59.5, 238]}]


@template("chat-with-tools")
def _(place: Place) -> None:
    place.take("chat-with-tools", live=True)
    said = place.calls.post(
        "/chat/orders-chat", json={"sessionId": "s", "chatInput": "6 * 7?", "action": "sendMessage"}
    )
    assert "42" in said.json()["output"]


@template("read-mails")
def _(place: Place) -> None:
    place.take("read-mails", live=True)
    assert place.call("read-mail", {"text": "This is Ada; order A1 was broken."}) == FACTS


@template("coding-agent-webhook")
def _(place: Place) -> None:
    place.take("coding-agent-webhook", live=True)
    place.call("agent", {"prompt": "x"}, 401)
    place.call("agent", {"prompt": "Mend the test"}, 202, **{"x-api-key": SECRET})
    place.hears("Read: Mend the test")


@template("github-issue-agent")
def _(place: Place) -> None:
    place.take("github-issue-agent", live=True)
    issue = {"number": 5, "title": "Crash", "body": "It crashes."}
    repository = {"name": "tool", "owner": {"login": "ada"}}
    opened = {"action": "opened", "issue": issue, "repository": repository}
    assert place.signed("github-issues", "ping", {}) == {"ignored": True}
    assert place.signed("github-issues", "issues", opened, 202) == {"accepted": True}
    path = "/repos/ada/tool/issues/5/comments"
    [comment] = poll(lambda: place.world.bodies(path), "the comment is written")
    assert comment["body"].startswith("Read: A stranger has written")
