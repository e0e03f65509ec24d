"""Projects at a real daemon: somebody of one project tries everything with the ids of another."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield.testing.websocket import TEXT, RawWebSocket

from .project_routes import INSTANCE, MACHINE, OWN, PROJECT
from .projects_lab import MARK, Person, ProjectLab, echo, made, manual, outcome

SECRET = "s3cret-of-bob-and-nobody-else"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProjectLab]:
    settings = "[integrations]\nexecute_command = true\n[nodes.http]\nallowed_networks = ['127.0.0.0/8']\n"
    daemon = Daemon(tmp_path_factory.mktemp("projects"), settings=settings)
    try:
        yield ProjectLab(daemon.start())
    finally:
        daemon.close()


class Belongings:
    """One of each, in Bob's project."""

    def __init__(self, lab: ProjectLab) -> None:
        api = self.api = lab.bob.client(lab.b)
        values = {"name": "Authorization", "value": SECRET}
        self.credential = str(
            made(api.post("/credentials", json={"name": f"C {MARK}", "kind": "httpHeaderAuth", "values": values}))["id"]
        )
        self.variable = str(made(api.post("/variables", json={"key": f"V_{MARK}", "value": f"value {MARK}"}))["id"])
        columns = [{"name": "text", "type": "string"}]
        self.table = str(made(api.post("/data-tables", json={"name": f"T {MARK}", "columns": columns}))["id"])
        rows = {"data": [{"text": f"row {MARK}"}]}
        assert api.post(f"/data-tables/{self.table}/rows", json=rows).status_code == 200
        self.folder = str(made(api.post("/folders", json={"name": f"F {MARK}"}))["id"])
        self.path = f"bob-{MARK}".lower()
        self.workflow = lab.daemon.live(echo(f"W {MARK}", self.path, own=f"answer {MARK}"), api)
        assert lab.daemon.client().post(f"/webhook/{self.path}", json={}).json()[0]["own"] == f"answer {MARK}"
        self.manual = str(made(api.post("/workflows", json=manual(f"M {MARK}", set_fields("Set", x=MARK))))["id"])
        self.execution = str(outcome(api.post(f"/workflows/{self.manual}/execute"))["id"])
        self.webhook = str(api.get("/webhooks").json()["data"][0]["id"])
        self.draft = str(made(api.post("/drafts", json={"workflowId": self.manual, "title": f"D {MARK}"}))["id"])
        new = {"title": f"N {MARK}", "document": manual(f"New {MARK}", set_fields("Set", x=MARK))}
        self.new_draft = str(made(api.post("/drafts", json=new))["id"])
        self.evaluation, self.run = self.evaluated()
        self.approval = self.asked()
        self.project = lab.b
        self.user = lab.bob.id

    def evaluated(self) -> tuple[str, str]:
        """An evaluation and one of its runs."""
        scorer = {"kind": "expression", "name": f"S {MARK}", "expression": "={{ 1 }}"}
        target = {"kind": "workflow", "workflowId": self.manual}
        asked = {"name": "bobs-own", "tableId": self.table, "target": target, "scorers": [scorer]}
        made(self.api.post("/evaluations", json=asked))
        started = self.api.post("/evaluations/bobs-own/runs", json={})
        assert started.status_code == 202, started.text
        run = str(started.json()["id"])
        poll(lambda: self.api.get(f"/evaluation-runs/{run}").json()["status"] != "running", "the evaluation's run")
        return "bobs-own", run

    def asked(self) -> str:
        """A question of an execution that waits for its answer."""
        fields = {"values": [{"fieldLabel": f"Reason {MARK}"}]}
        wait = node("Ask", "wait", {"resume": "form", "formTitle": f"Q {MARK}", "formFields": fields}, version=1.1)
        ident = made(self.api.post("/workflows", json=manual(f"Q {MARK}", wait)))["id"]
        assert self.api.post(f"/workflows/{ident}/execute-async").status_code == 202
        (found,) = poll(lambda: self.api.get("/approvals").json()["data"], "it waits")
        return str(found["id"])

    def values(self) -> dict[str, str]:
        """For parameters of paths, by their names."""
        return {
            "workflow_id": self.workflow, "credential_id": self.credential, "variable_id": self.variable,
            "table_id": self.table, "folder_id": self.folder, "execution_id": self.execution,
            "ident": self.webhook, "number": "1", "path": "x",
            "project_id": self.project, "resource_id": self.workflow, "kind": "workflow",
            "user_id": self.user, "version": "1", "draft_id": self.draft, "run_id": self.run, "other_id": self.run,
            "approval_id": self.approval,
        }  # fmt: skip

    def still_there(self) -> list[object]:
        """What Bob sees of all of it."""
        api = self.api
        return [
            api.get(f"/workflows/{self.workflow}").json(), api.get(f"/workflows/{self.manual}").json(),
            api.get(f"/credentials/{self.credential}").json(), api.get(f"/variables/{self.variable}").json(),
            api.get(f"/data-tables/{self.table}").json(), api.get(f"/data-tables/{self.table}/rows").json(),
            api.get("/folders").json(), api.get(f"/executions/{self.execution}").json(),
            api.get(f"/projects/{self.project}/members").json(),
            api.get(f"/drafts/{self.draft}").json(), api.get(f"/drafts/{self.new_draft}").json(),
            api.get("/evaluations").json(),
            api.get(f"/evaluations/{self.evaluation}").json(), api.get(f"/evaluation-runs/{self.run}").json(),
            api.get(f"/evaluation-runs/{self.run}/rows").json(), api.get(f"/approvals/{self.approval}").json(),
        ]  # fmt: skip


@pytest.fixture(scope="module")
def bobs(lab: ProjectLab) -> Belongings:
    return Belongings(lab)


def operations(lab: ProjectLab) -> list[tuple[str, str, dict[str, Any]]]:
    """Method, path and description of each."""
    paths = lab.admin.get(f"{lab.daemon.base_url}/openapi.json").json()["paths"]
    return [
        (method.upper(), path, one)
        for path, methods in sorted(paths.items())
        for method, one in methods.items()
        if method in ("get", "post", "put", "patch", "delete")
    ]


SELF_ENDING = ("/auth/", "/api/session", "/stream", "/events", "/shutdown", "/logs")
BODIES: list[dict[str, Any]] = [{}, {"name": "Ann's", "nodes": [], "connections": {}, "settings": {}}]


def test_every_operation_says_what_it_is_about(lab: ProjectLab) -> None:
    """Whoever adds an operation puts it into one of these sets."""
    sets = (PROJECT, OWN, INSTANCE, MACHINE)
    known = frozenset[str]().union(*sets)
    assert {one["operationId"] for _, _, one in operations(lab)} == known
    assert sum(map(len, sets)) == len(known)


def test_no_route_tells_or_changes_anything_of_another_project(lab: ProjectLab, bobs: Belongings) -> None:
    before = bobs.still_there()
    values = bobs.values()
    tried = 0
    clients = (lab.ann.client(base=""), lab.ann.client(lab.a, base=""))
    for method, path, one in operations(lab):
        if any(part in path for part in SELF_ENDING) or ("{" not in path and method != "GET"):
            continue
        address = path
        of_evaluations = {"name": bobs.evaluation} if "/evaluations/" in path else {}
        for name, value in {**values, **of_evaluations}.items():
            address = address.replace("{" + name + "}", value)
        if "{" in address:
            continue
        for client in clients:
            for body in BODIES if method in ("POST", "PUT", "PATCH") else [None]:
                answer = client.request(method, address, **({"json": body} if body is not None else {}))
                assert MARK not in answer.text, (method, path, answer.text[:2000])
                assert SECRET not in answer.text
                assert answer.status_code != 500, (method, path, answer.text)
                if "{" in path and one["operationId"] in PROJECT:
                    assert answer.status_code >= 400, (method, path, answer.text)
                tried += 1
    assert tried > 200
    assert bobs.still_there() == before


def test_a_draft_is_its_projects_alone(lab: ProjectLab, bobs: Belongings) -> None:
    body = {"revision": 1, "changes": None}
    for draft in (bobs.draft, bobs.new_draft):
        for method, path, more in (
            ("GET", "", {}),
            ("PUT", "", {"json": {"document": {"name": "x", "nodes": [], "connections": {}}}}),
            ("DELETE", "", {}),
            ("POST", "/accept", {"json": body}),
            ("POST", "/reject", {"json": body}),
            ("POST", "/merge", {"json": {"document": {"nodes": []}}}),
            ("POST", "/runs", {"json": {}}),
        ):
            answer = lab.ann.api.request(method, f"/drafts/{draft}{path}", **more)
            assert (answer.status_code, MARK in answer.text) == (404, False), (method, path)
    assert lab.ann.api.post("/drafts", json={"workflowId": bobs.manual}).status_code == 404
    assert lab.ann.api.get("/drafts").json()["total"] == 0
    assert {row["id"] for row in bobs.api.get("/drafts").json()["data"]} == {bobs.draft, bobs.new_draft}
    eve = Person(lab, "draft-viewer")
    lab.join(lab.b, eve, "project:viewer")
    assert eve.api.get(f"/drafts/{bobs.new_draft}").status_code == 200
    for draft in (bobs.draft, bobs.new_draft):
        assert eve.api.delete(f"/drafts/{draft}").status_code == 403
        assert eve.api.post(f"/drafts/{draft}/runs", json={}).status_code == 403
    gone = made(bobs.api.post("/drafts", json={}))["id"]
    assert bobs.api.delete(f"/drafts/{gone}").status_code == 204


@pytest.mark.parametrize("project", ["", "jackfield", "a"])
def test_who_runs_an_unsaved_workflow_finds_its_execution(lab: ProjectLab, project: str) -> None:
    """Where it is made, the shared project included, and nobody elsewhere."""
    api = lab.ann.client(lab.a if project == "a" else project)
    ran = api.post("/workflows/run", json={"workflow": manual("Unsaved", set_fields("Set", x="1"))}).json()
    path = f"/executions/{ran['executionId']}"
    assert api.get(path).status_code == 200
    assert lab.bob.api.get(path).status_code == (404 if project == "a" else 200)
    assert lab.bob.client(lab.b).get(path).status_code == 404


def test_an_unsaved_sub_workflow_is_nobody_elses(lab: ProjectLab, bobs: Belongings) -> None:
    """Although it has no project of its own."""
    inner = json.dumps(manual("Inner", set_fields("Set", x=MARK)))
    outer = manual("Outer", node("Call", "executeWorkflow", {"source": "parameter", "workflowJson": inner}))
    run(bobs.api, outer)
    rows = lab.admin.get("/executions", params={"mode": "sub"}).json()["data"]
    (sub,) = [row["id"] for row in rows if row.get("workflowId") is None]
    for answer in (lab.ann.api.get(f"/executions/{sub}"), lab.ann.api.post(f"/executions/{sub}/retry")):
        assert (answer.status_code, MARK in answer.text) == (404, False)
    assert lab.ann.api.delete(f"/executions/{sub}").status_code == 404
    assert lab.admin.get(f"/executions/{sub}").status_code == 200


def test_nobody_gets_the_executions_of_a_workflow_that_is_gone_with_its_id(lab: ProjectLab, bobs: Belongings) -> None:
    ident = made(bobs.api.post("/workflows", json=manual("Gone", set_fields("Set", x=MARK))))["id"]
    ran = outcome(bobs.api.post(f"/workflows/{ident}/execute"))["id"]
    assert bobs.api.delete(f"/workflows/{ident}").status_code == 204
    document = {**manual("Again"), "id": ident}
    for api in (lab.ann.client(lab.a), lab.ann.api):
        answer = api.post("/import", json=[document])
        assert "another project" in answer.text, answer.text
        assert api.get(f"/executions/{ran}").status_code == 404
    assert bobs.api.get(f"/executions/{ran}").status_code == 200


def test_lists_and_counts_are_those_of_the_caller(lab: ProjectLab, bobs: Belongings) -> None:
    ann = lab.ann.client(lab.a)
    mine = made(ann.post("/workflows", json=manual("Ann's")))["id"]
    ran = outcome(ann.post(f"/workflows/{mine}/execute"))["id"]
    assert [row["id"] for row in ann.get("/workflows").json()["data"]] == [mine]
    assert ann.get("/executions").json()["total"] == 1
    assert ann.get("/executions/stats").json()["total"] == 1
    assert ann.get("/executions").json()["data"][0]["id"] == ran
    bob = {row["id"] for row in lab.bob.api.get("/workflows").json()["data"]}
    assert {bobs.workflow, bobs.manual} <= bob
    assert mine not in bob
    everything = {row["id"] for row in lab.admin.get("/workflows").json()["data"]}
    assert {bobs.workflow, mine} <= everything


def run(api: httpx.Client, document: dict[str, Any]) -> dict[str, Any]:
    """Save and execute."""
    ident = made(api.post("/workflows", json=document))["id"]
    return outcome(api.post(f"/workflows/{ident}/execute"))


def http_with(credential: str, address: str) -> dict[str, Any]:
    asked = node(
        "Ask", "httpRequest",
        {"url": address, "authentication": "genericCredentialType", "genericAuthType": "httpHeaderAuth"},
    )  # fmt: skip
    asked["credentials"] = {"httpHeaderAuth": {"id": credential, "name": "C"}}
    return asked


def test_an_execution_uses_no_credential_of_another_project(lab: ProjectLab, bobs: Belongings) -> None:
    path = "echo-headers"
    lab.daemon.live(echo("Echo", path, got="={{ $json.headers.authorization }}"))
    address = f"{lab.daemon.base_url}/webhook/{path}"
    document = manual("Thief", {**http_with(bobs.credential, address)})
    document["nodes"][1]["parameters"] |= {"method": "POST"}
    # Bob's own workflow may.
    assert SECRET in json.dumps(run(bobs.api, document)) or run(bobs.api, document)["status"] == "success"
    for api in (lab.ann.client(lab.a), lab.ann.api, lab.ann.key(scopes=["workflows:write", "workflows:execute"])):
        found = run(api, document)
        assert found["status"] == "failed"
        assert "does not exist" in json.dumps(found["error"])
    unsaved = lab.ann.api.post("/workflows/run", json={"workflow": document})
    assert unsaved.json()["status"] == "failed"


def test_an_administrators_workflow_elsewhere_does_not_either(lab: ProjectLab, bobs: Belongings) -> None:
    """What counts is the workflow's project, not who starts it."""
    document = manual("Careless", http_with(bobs.credential, f"{lab.daemon.base_url}/health"))
    made_by_ann = made(lab.ann.client(lab.a).post("/workflows", json=document))["id"]
    assert outcome(lab.admin.post(f"/workflows/{made_by_ann}/execute"))["status"] == "failed"


def test_expressions_see_the_variables_of_their_project(lab: ProjectLab, bobs: Belongings) -> None:
    document = manual("Vars", set_fields("Set", x=f"={{{{ $vars.V_{MARK} ?? 'nothing' }}}}"))
    assert f"value {MARK}" in json.dumps(run(bobs.api, document))
    told = json.dumps(run(lab.ann.client(lab.a), document))
    assert f"value {MARK}" not in told
    assert "nothing" in told


def test_a_sub_workflow_of_another_project_does_not_run(lab: ProjectLab, bobs: Belongings) -> None:
    call = node("Call", "executeWorkflow", {"workflowId": bobs.manual})
    found = run(lab.ann.client(lab.a), manual("Caller", call))
    assert found["status"] == "failed"
    assert MARK not in json.dumps(found["error"])


def test_an_error_workflow_of_another_project_does_not_run(lab: ProjectLab, bobs: Belongings) -> None:
    watcher = made(bobs.api.post("/workflows", json=chain("Watch", node("Error", "errorTrigger"))))["id"]
    told = {"workflowId": watcher}
    for api, path, count in ((lab.ann.client(lab.a), "fails-a", 0), (bobs.api, "fails-b", 1)):
        failing = chain(
            "Fails",
            webhook(path, responseMode="lastNode"),
            node("Stop", "stopAndError", {"errorMessage": "on purpose"}),
        )
        lab.daemon.live({**failing, "settings": {"errorWorkflow": watcher}}, api)
        assert lab.daemon.client().post(f"/webhook/{path}", json={}).status_code == 500
        poll(
            lambda api=api: api.get("/executions", params={"status": "failed"}).json()["total"], "the failed execution"
        )  # type: ignore[misc]
        if count:
            poll(lambda: bobs.api.get("/executions", params=told).json()["total"], "Bob's error workflow")
        assert bobs.api.get("/executions", params=told).json()["total"] == count


def test_the_data_table_node_finds_tables_of_its_project(lab: ProjectLab, bobs: Belongings) -> None:
    read = node("Rows", "dataTable", {"resource": "row", "operation": "get", "dataTableId": bobs.table})
    told = json.dumps(run(lab.ann.client(lab.a), manual("Reader", read)))
    assert f"row {MARK}" not in told
    listing = node("List", "dataTable", {"resource": "table", "operation": "list"})
    assert MARK not in json.dumps(run(lab.ann.client(lab.a), manual("Lister", listing)))


def test_what_is_shared_is_used_and_not_changed(lab: ProjectLab, bobs: Belongings) -> None:
    share = f"/placements/credential/{bobs.credential}/shares/{lab.a}"
    assert lab.bob.api.put(share).status_code == 403  # an editor does not share
    lab.join(lab.b, lab.bob, "project:admin")
    assert lab.bob.api.put(share).json()["sharedWith"] == [lab.a]
    ann = lab.ann.client(lab.a)
    try:
        seen = ann.get(f"/credentials/{bobs.credential}")
        assert seen.status_code == 200
        assert SECRET not in seen.text
        assert ann.patch(f"/credentials/{bobs.credential}", json={"name": "Mine"}).status_code == 403
        assert ann.delete(f"/credentials/{bobs.credential}").status_code == 403
        assert ann.put(f"/placements/credential/{bobs.credential}", json={"projectId": lab.a}).status_code == 403
        document = manual("Borrower", http_with(bobs.credential, f"{lab.daemon.base_url}/health"))
        assert run(ann, document)["status"] == "success"
    finally:
        assert lab.bob.api.delete(share).status_code == 204
        lab.join(lab.b, lab.bob)
    assert ann.get(f"/credentials/{bobs.credential}").status_code == 404


def test_a_moved_workflow_takes_its_executions_along(lab: ProjectLab) -> None:
    lab.join(lab.a, lab.ann, "project:admin")
    third = lab.project("Third", lab.ann)
    ann = lab.ann.client(lab.a)
    ident = made(ann.post("/workflows", json=manual("Mover")))["id"]
    ran = outcome(ann.post(f"/workflows/{ident}/execute"))["id"]
    assert ann.put(f"/placements/workflow/{ident}", json={"projectId": lab.b}).status_code == 404
    answer = lab.ann.api.put(f"/placements/workflow/{ident}", json={"projectId": third})
    assert answer.json()["projectId"] == third
    assert ann.get(f"/workflows/{ident}").status_code == 404
    assert lab.ann.client(third).get(f"/executions/{ran}").status_code == 200
    lab.join(lab.a, lab.ann)


def test_commands_name_projects_by_their_names(lab: ProjectLab) -> None:
    ident = made(lab.bob.api.post("/workflows", json=manual("Shared by name")))["id"]

    def asked(*arguments: str) -> str:
        command = [lab.daemon.command()[0], "projects", *arguments, "--config-dir", str(lab.daemon.config_dir)]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    lab.project("Fourth")
    assert "bob is viewer" in asked("add", "Fourth", "bob", "--role", "viewer")
    asked("share", "workflow", ident, "Fourth")
    asked("share", "workflow", ident, lab.ann.id)
    asked("move", "workflow", ident, "Fourth")
    found = lab.admin.get(f"/placements/workflow/{ident}").json()
    assert lab.ann.id in found["sharedWith"]
    assert "bob" in asked("members", "Fourth")


def test_a_viewer_of_a_project_changes_and_starts_nothing(lab: ProjectLab, bobs: Belongings) -> None:
    eve = Person(lab, "eve")
    lab.join(lab.b, eve, "project:viewer")
    api = eve.client(lab.b)
    assert api.get(f"/workflows/{bobs.manual}").status_code == 200
    assert api.post(f"/workflows/{bobs.manual}/execute").status_code == 403
    assert api.post(f"/executions/{bobs.execution}/retry").status_code == 403
    assert api.delete(f"/executions/{bobs.execution}").status_code == 403
    assert api.patch(f"/workflows/{bobs.manual}", json={"name": "x"}).status_code == 403
    assert api.post(f"/workflows/{bobs.workflow}/deactivate").status_code == 403
    assert api.post("/workflows", json=manual("New")).status_code == 403
    assert api.put(f"/projects/{lab.b}/members/{eve.id}", json={"role": "project:admin"}).status_code == 403


def test_a_viewer_of_the_daemon_changes_no_project(lab: ProjectLab) -> None:
    """Whatever the role there."""
    eve = Person(lab, "viewer-of-all", "viewer")
    place = lab.project("Of a viewer", eve, role="project:admin")
    for answer in (
        eve.api.put(f"/projects/{place}/members/{lab.ann.id}", json={"role": "project:admin"}),
        eve.api.patch(f"/projects/{place}", json={"name": "Renamed"}),
        eve.api.delete(f"/projects/{place}/members/{eve.id}"),
    ):
        assert (answer.status_code, answer.json()["details"]) == (403, {"role": "member"}), answer.text


def test_a_key_moves_and_shares_what_its_scopes_change(lab: ProjectLab) -> None:
    place = lab.project("Of keys", lab.ann, role="project:admin")
    credential = {"name": "Of keys", "kind": "httpHeaderAuth", "values": {"name": "x", "value": "y"}}
    ident = made(lab.ann.client(place).post("/credentials", json=credential))["id"]
    path = f"/placements/credential/{ident}/shares/{lab.a}"
    refused = lab.ann.key(scopes=["workflows:write"]).put(path)
    assert (refused.status_code, refused.json()["details"]) == (403, {"scope": "credentials:write"}), refused.text
    profile = lab.ann.key(scopes=["workflows:write"]).put("/placements/profile/any", json={"projectId": place})
    assert (profile.status_code, profile.json()["details"]) == (403, {"scope": "agents:write"}), profile.text
    assert lab.ann.key(scopes=["workflows:write", "credentials:write"]).put(path).status_code == 200


def test_a_member_who_leaves_is_out_at_once(lab: ProjectLab) -> None:
    zoe = Person(lab, "zoe")
    place = lab.project("Leaving", zoe)
    api = zoe.client(place)
    ident = made(api.post("/workflows", json=manual("Zoe's")))["id"]
    assert zoe.api.get(f"/workflows/{ident}").status_code == 200
    lab.admin.delete(f"/projects/{place}/members/{zoe.id}").raise_for_status()
    assert zoe.api.get(f"/workflows/{ident}").status_code == 404
    assert api.get("/workflows").status_code == 404


def test_a_personal_project_is_its_users_alone(lab: ProjectLab) -> None:
    own = lab.ann.client(lab.ann.id)
    ident = made(own.post("/workflows", json=manual("Private")))["id"]
    assert lab.bob.api.get(f"/workflows/{ident}").status_code == 404
    assert lab.bob.client(lab.ann.id).get("/workflows").status_code == 404
    shared = lab.ann.api.put(f"/placements/workflow/{ident}/shares/{lab.bob.id}")
    assert shared.status_code == 200, shared.text
    assert lab.bob.api.get(f"/workflows/{ident}").status_code == 200
    assert lab.bob.api.patch(f"/workflows/{ident}", json={"name": "x"}).status_code == 403


def test_a_key_is_limited_to_its_projects(lab: ProjectLab, bobs: Belongings) -> None:
    key = lab.ann.key(projects=[lab.a])
    ident = made(key.post("/workflows", json=manual("By key")))["id"]
    assert lab.ann.client(lab.a).get(f"/workflows/{ident}").status_code == 200
    elsewhere = made(lab.ann.api.post("/workflows", json=manual("Elsewhere")))["id"]
    both = {"Authorization": f"Bearer {lab.ann.token}"}
    assert key.get(f"/workflows/{elsewhere}", headers=both).status_code == 404
    assert key.get(f"/workflows/{elsewhere}").status_code == 404
    assert key.put(f"/projects/{lab.a}/members/{lab.bob.id}", json={"role": "project:admin"}).status_code == 403
    named = lab.ann.key(projects=[lab.a], scopes=["agents:read"])
    for client, answers in ((key, 403), (lab.ann.key(), 200), (named, 200)):
        assert client.get(f"{lab.daemon.base_url}/api/profiles").status_code == answers
    agent = manual("Asks", node("Agent", "agent", {"profile": "p", "prompt": "x"}))
    assert key.post("/workflows/run", json={"workflow": agent}).status_code == 403
    refused = lab.ann.api.post("/api-keys", json={"name": "k", "projects": [lab.b]})
    assert refused.status_code == 400


def test_a_key_is_limited_before_anybody_uses_projects(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        lab = ProjectLab.__new__(ProjectLab)
        lab.daemon, lab.admin = daemon, daemon.admin()
        ann, bob = Person(lab, "ann"), Person(lab, "bob")
        ident = made(bob.api.post("/workflows", json=manual("Shared", set_fields("Set", x=MARK))))["id"]
        ran = outcome(bob.api.post(f"/workflows/{ident}/execute"))["id"]
        key = ann.key(projects=[ann.id])
        assert ann.api.get(f"/executions/{ran}").status_code == 200
        for path in (f"/workflows/{ident}", f"/executions/{ran}"):
            assert key.get(path).status_code == 404
        assert key.delete(f"/executions/{ran}").status_code == 404
    finally:
        daemon.close()


def test_the_shared_project_can_be_closed(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        lab = ProjectLab.__new__(ProjectLab)
        lab.daemon, lab.admin = daemon, daemon.admin()
        ann = Person(lab, "ann")
        ident = made(ann.api.post("/workflows", json=manual("Shared")))["id"]
        assert ann.api.get("/projects").json()["inUse"] is False
        bob = Person(lab, "bob")
        assert bob.api.patch(f"/workflows/{ident}", json={"name": "Everybody's"}).status_code == 200
        assert lab.admin.patch("/projects/jackfield", json={"isOpen": False}).json()["isOpen"] is False
        assert ann.api.get(f"/workflows/{ident}").status_code == 404
        lab.join("jackfield", ann, "project:viewer")
        assert ann.api.get(f"/workflows/{ident}").status_code == 200
        assert ann.api.patch(f"/workflows/{ident}", json={"name": "Mine"}).status_code == 403
        mine = made(ann.api.post("/workflows", json=manual("Own")))["id"]
        assert ann.api.get(f"/placements/workflow/{mine}").json()["projectId"] == ann.id
    finally:
        daemon.close()


def test_events_of_another_project_are_not_heard(lab: ProjectLab, bobs: Belongings) -> None:
    """Over `/ws` and as server-sent events; what Ann hears in between is her own."""
    headers = [f"Authorization: Bearer {lab.ann.token}"]
    with (
        RawWebSocket(lab.daemon.port, "/ws", headers) as socket,
        lab.ann.api.stream("GET", "/events") as stream,
    ):
        lines = stream.iter_lines()
        assert "connected" in next(lines)
        socket.send(TEXT, b'{"type": "subscribe", "topics": ["*"]}')
        assert b"subscribed" in socket.find(TEXT).payload
        outcome(bobs.api.post(f"/workflows/{bobs.manual}/execute"))
        bobs.api.patch(f"/workflows/{bobs.manual}", json={"name": f"M2 {MARK}"}).raise_for_status()
        bobs.api.patch(f"/variables/{bobs.variable}", json={"value": f"other {MARK}"}).raise_for_status()
        made(lab.ann.client(lab.a).post("/workflows", json=manual("Ann hears this")))
        heard = b""
        while b"Ann hears this" not in heard:
            heard += socket.find(TEXT).payload
        told = ""
        while "Ann hears this" not in told:
            told += next(lines)
    assert MARK not in heard.decode() + told
    assert bobs.manual not in heard.decode() + told


def test_tools_of_mcp_reach_what_their_caller_does(lab: ProjectLab, bobs: Belongings) -> None:
    """Every tool, with Bob's ids for whatever it takes."""
    client = lab.ann.client(base="", Accept="application/json, text/event-stream")

    def ask(method: str, **params: object) -> str:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = client.post("/mcp", json=body)
        assert answer.status_code == 200, answer.text
        return answer.text

    listed = ask("tools/list")
    tools = json.loads(listed[listed.index("{") :])["result"]["tools"]
    assert len(tools) > 10
    ids = [bobs.manual, bobs.execution, bobs.credential, bobs.table, bobs.variable, bobs.webhook]
    for tool in tools:
        wanted = [
            name for name in tool["inputSchema"].get("properties", {}) if name in ("id", "ids") or "id" in name.lower()
        ]
        for ident in ids if wanted else [""]:
            told = ask("tools/call", name=tool["name"], arguments=dict.fromkeys(wanted, ident))
            assert MARK not in told, (tool["name"], told[:1000])
    assert bobs.api.get(f"/workflows/{bobs.manual}").status_code == 200


def test_no_credential_of_another_project_opens_a_webhook(lab: ProjectLab, bobs: Belongings) -> None:
    """Nor tells, by what it opens, what it is."""
    for api, path, opened in ((bobs.api, "guard-b", 200), (lab.ann.client(lab.a), "guard-a", 401)):
        hook = webhook(path, authentication="headerAuth", responseMode="lastNode")
        hook["credentials"] = {"httpHeaderAuth": {"id": bobs.credential, "name": "C"}}
        made(api.post("/workflows", json=chain("Guarded", hook, set_fields("Set", x="1"))))
        call = lab.daemon.client()
        assert call.post(f"/webhook-test/{path}", json={}).status_code == 401
        answer = call.post(f"/webhook-test/{path}", json={}, headers={"Authorization": SECRET})
        assert answer.status_code == opened, answer.text


def test_nothing_goes_live_with_a_credential_of_another_project(lab: ProjectLab, bobs: Belongings) -> None:
    """Though whoever activates it is in both."""
    both = Person(lab, "both")
    lab.join(lab.a, both)
    lab.join(lab.b, both)
    document = chain("Live", webhook("both-live"), http_with(bobs.credential, f"{lab.daemon.base_url}/health"))
    ident = made(both.client(lab.a).post("/workflows", json=document))["id"]
    refused = both.api.post(f"/workflows/{ident}/activate")
    assert refused.status_code == 400, refused.text
    assert "does not exist" in json.dumps(refused.json()["details"])
    own = made(both.client(lab.b).post("/workflows", json=document))["id"]
    assert both.api.post(f"/workflows/{own}/activate").status_code == 200


def test_a_question_is_answered_in_its_project(lab: ProjectLab) -> None:
    """By who may start its workflow; a viewer sees it, without the address of its page."""
    fields = {"values": [{"fieldLabel": "Reason", "requiredField": True}]}
    wait = node("Ask", "wait", {"resume": "form", "formTitle": f"Ship {MARK}?", "formFields": fields}, version=1.1)
    bob = lab.bob.client(lab.b)
    lab.daemon.live(chain("Asking", webhook("asks-bob"), wait, set_fields("Done", done=True)), bob)
    lab.daemon.client().post("/webhook/asks-bob", json={}).raise_for_status()
    found = poll(
        lambda: next((each for each in bob.get("/approvals").json()["data"] if "Ship" in str(each)), None), "it waits"
    )
    path, body = f"/approvals/{found['id']}", {"fields": {"Reason": "It works"}}
    assert found["url"] is not None

    ann = lab.ann.api
    assert MARK not in ann.get("/approvals").text
    for answer in (ann.get(path), ann.post(path, json=body)):
        assert (answer.status_code, MARK in answer.text) == (404, False)

    lab.join(lab.b, lab.ann, "project:viewer")
    assert ann.get(path).json()["url"] is ann.get("/approvals").json()["data"][0]["url"] is None
    assert ann.post(path, json=body).status_code == 403
    lab.admin.delete(f"/projects/{lab.b}/members/{lab.ann.id}").raise_for_status()
    assert bob.post(path, json=body).status_code == 200


def test_a_workflow_that_calls_the_daemon_itself_is_not_its_owner(lab: ProjectLab) -> None:
    """Although the daemon's own process calls, where nodes may reach loopback."""
    assert lab.daemon.client().get("/api/logs").status_code == 200  # this process is the owner's
    sent = {"sendBody": True, "contentType": "json", "specifyBody": "json", "jsonBody": "{}"}
    for path, method, body in (("logs", "GET", {}), ("session", "POST", sent)):
        parameters = {"url": f"{lab.daemon.base_url}/api/{path}", "method": method, **body}
        found = run(lab.ann.api, manual(path, node("Ask", "httpRequest", parameters, version=4.2)))
        assert found["status"] == "failed", found
        assert "401" in json.dumps(found["error"]), found


def test_a_taken_path_tells_nothing_of_another_project(lab: ProjectLab, bobs: Belongings) -> None:
    ident = made(lab.ann.client(lab.a).post("/workflows", json=echo("Rival", bobs.path, own="Ann's")))["id"]
    refused = lab.ann.api.post(f"/workflows/{ident}/activate")
    assert (refused.status_code, "of another project" in refused.text) == (409, True)
    assert MARK not in refused.text
    assert bobs.workflow not in refused.text
    assert lab.ann.api.delete(f"/workflows/{ident}").status_code == 204
    own = made(bobs.api.post("/workflows", json=echo("Second", bobs.path, own="Bob's")))["id"]
    told = bobs.api.post(f"/workflows/{own}/activate")
    assert (told.status_code, told.json()["details"]["workflowId"]) == (409, bobs.workflow)
    assert bobs.api.delete(f"/workflows/{own}").status_code == 204
