"""`POST /api/v1/import` of a real daemon."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from n8n_documents import (
    ERRORS,
    HOOK,
    MAIN,
    SECRET,
    SUB,
    credential,
    error_workflow,
    header_values,
    main_workflow,
    node,
    sub_workflow,
    workflow,
)
from test_cipher import KEY, SEALED

from jackfield.testing.daemon import Daemon
from jackfield_migration.credentials import CredentialImport


def imported(api: httpx.Client, body: Any, **query: str) -> dict[str, Any]:
    answer = api.post("/import", json=body, params=query)
    assert answer.status_code == httpx.codes.OK, answer.text
    return answer.json()  # type: ignore[no-any-return]


def results(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["foreignId"]: row for row in report["results"]}


def test_linked_workflows_run_as_in_n8n_whatever_their_order(daemon: Daemon) -> None:
    api = daemon.admin()
    first = results(imported(api, [main_workflow()], source="linked"))[MAIN]
    assert (first["status"], first["verdict"]) == ("created", "attention")
    assert {problem["path"] for problem in first["problems"]} == {
        "nodes[1].parameters.workflowId", "settings.errorWorkflow",
    }  # fmt: skip
    report = imported(api, [main_workflow(), sub_workflow(), error_workflow()], source="linked", activate="true")
    rows = results(report)
    wanted = (MAIN, SUB, ERRORS)
    assert [(rows[ident]["status"], rows[ident]["verdict"], rows[ident]["active"]) for ident in wanted] == [
        ("unchanged", "runs", True), ("created", "runs", None), ("created", "runs", None),
    ]  # fmt: skip
    assert report["complete"] is True
    answer = httpx.get(f"{daemon.base_url}/webhook/{HOOK}/cust/42", trust_env=False)
    assert (answer.status_code, answer.json()) == (200, {"hello": "42"})
    shown = api.get(f"/workflows/{rows[MAIN]['id']}").json()
    assert shown["settings"]["callerIds"] == f"{rows[SUB]['id']},{rows[ERRORS]['id']}"


def test_twice_imported_is_once_there(daemon: Daemon) -> None:
    api, documents = daemon.admin(), [sub_workflow(), {**error_workflow(), "id": None}]
    first = imported(api, documents, source="twice")
    total = api.get("/workflows").json()["total"]
    second = imported(api, documents, source="twice")
    assert [row["status"] for row in first["results"]] == ["created", "created"]
    assert [row["status"] for row in second["results"]] == ["unchanged", "unchanged"]
    assert [row["id"] for row in first["results"]] == [row["id"] for row in second["results"]]
    third = imported(api, [{**sub_workflow(), "name": "Renamed"}], source="twice")
    assert (third["results"][0]["status"], third["results"][0]["id"]) == ("updated", first["results"][0]["id"])
    assert api.get("/workflows").json()["total"] == total


def test_a_dry_run_changes_nothing(daemon: Daemon) -> None:
    api = daemon.admin()
    before = [api.get(path).json()["total"] for path in ("/workflows", "/credentials", "/variables")]
    body = {
        "workflows": [sub_workflow()],
        "credentials": [credential(header_values())],
        "variables": [{"key": "dry", "value": "1"}],
    }
    report = imported(api, body, source="dry", dryRun="true")
    assert (report["dryRun"], [row["status"] for row in report["results"]]) == (True, ["created"] * 3)
    assert [api.get(path).json()["total"] for path in ("/workflows", "/credentials", "/variables")] == before
    assert [row["status"] for row in imported(api, body, source="dry")["results"]] == ["created"] * 3


async def test_a_dry_run_makes_no_key() -> None:
    async def nothing(offset: int, limit: int) -> SimpleNamespace:
        return SimpleNamespace(rows=[], total=0)

    context: Any = SimpleNamespace(store=SimpleNamespace(credentials=nothing), secrets=SimpleNamespace(key=pytest.fail))
    ids: Any = SimpleNamespace(owners=dict)
    assert await CredentialImport(context, ids, None, lambda result: None, dry_run=True).run([]) == []


def test_credentials_are_sealed_anew_and_found_by_their_nodes(daemon: Daemon) -> None:
    api = daemon.admin()
    named = {"httpHeaderAuth": {"id": "cred0001", "name": "Sealed"}}
    ask = node("Ask", "httpRequest", {"url": "http://127.0.0.1/"}, credentials=named)
    asking = workflow("Asks000000000001", "Asks", [ask])
    waiting = results(imported(api, [asking], source="sealed"))["Asks000000000001"]
    assert waiting["verdict"] == "setup"
    assert [(problem["severity"], problem["path"]) for problem in waiting["problems"]] == [
        ("activation", "nodes[0].credentials.httpHeaderAuth")
    ]
    answer = api.post("/import", json=[credential(header_values(), name="Sealed"), asking], params={"source": "sealed"})
    rows = results(answer.json())
    assert rows["Asks000000000001"]["verdict"] == "runs"
    own = rows["cred0001"]["id"]
    assert api.get(f"/workflows/{waiting['id']}").json()["nodes"][0]["credentials"]["httpHeaderAuth"]["id"] == own
    assert api.get(f"/credentials/{own}").json()["kind"] == "httpHeaderAuth"
    assert SECRET not in answer.text
    assert SECRET not in daemon.output.read_text()
    assert not any(SECRET.encode() in file.read_bytes() for file in daemon.config_dir.rglob("*") if file.is_file())


def test_encrypted_credentials_need_the_key(daemon: Daemon) -> None:
    api, sealed = daemon.admin(), credential(SEALED, "cred0002", "Basic", "httpBasicAuth")
    (without,) = imported(api, [sealed], source="keys")["results"]
    assert (without["status"], "no encryption key" in without["problems"][0]["message"]) == ("refused", True)
    wrong = imported(api, {"credentials": [sealed], "encryptionKey": "another-key-of-n8n"}, source="keys")["results"][0]
    assert (wrong["status"], "does not open it" in wrong["problems"][0]["message"]) == ("refused", True)
    right = imported(api, {"credentials": [sealed], "encryptionKey": KEY}, source="keys")["results"][0]
    assert right["status"] == "created"
    assert api.get(f"/credentials/{right['id']}").json()["values"] == {"user": "ada"}
    assert KEY not in daemon.output.read_text()


def test_a_credential_of_the_same_name_and_kind_stays_as_it_is(daemon: Daemon) -> None:
    api = daemon.admin()
    body = {"name": "Kept", "kind": "httpHeaderAuth", "values": {"name": "X-Own", "value": "own-secret-value"}}
    own = api.post("/credentials", json=body).json()["id"]
    given = credential(header_values(), "cred0003", "Kept")
    for _ in range(2):
        (row,) = imported(api, [given], source="names")["results"]
        assert (row["status"], row["id"]) == ("matched", own)
    assert api.get(f"/credentials/{own}").json()["values"] == {"name": "X-Own"}


def test_two_credentials_of_one_name_stay_two(daemon: Daemon) -> None:
    api, other = daemon.admin(), {"name": "X-Twin", "value": "the-secret-of-the-twin"}
    twins = [credential(header_values(), "twin0001", "Twin"), credential(other, "twin0002", "Twin")]
    rows = imported(api, twins, source="twins")["results"]
    assert [row["status"] for row in rows] == ["created", "created"]
    assert [api.get(f"/credentials/{row['id']}").json()["values"]["name"] for row in rows] == ["X-Key", "X-Twin"]


def test_imports_at_the_same_time_store_each_document_once(daemon: Daemon) -> None:
    api = daemon.admin()
    body = {
        "workflows": [sub_workflow()],
        "credentials": [credential(header_values(), f"rival{number}", "Rival") for number in range(5)],
    }
    with ThreadPoolExecutor(4) as clients:
        reports = list(clients.map(lambda _: imported(api, body, source="rivals"), range(4)))
    assert len({row["id"] for report in reports for row in report["results"]}) == 6
    assert sorted(report["counts"]["workflow"].get("created", 0) for report in reports) == [0, 0, 0, 1]


def test_one_bad_document_keeps_none_of_the_others_back(daemon: Daemon) -> None:
    circle = [
        workflow("Circle0000000001", "Round", [node("Call", "executeWorkflow", {"workflowId": "Circle0000000002"})]),
        workflow("Circle0000000002", "Round", [node("Call", "executeWorkflow", {"workflowId": "Circle0000000001"})]),
    ]
    broken = {**workflow("Broken0000000001", "Broken", [{"name": "No type"}]), "settings": 7}
    report = imported(daemon.admin(), [*circle, broken, circle[0], "no document", {"unknown": 1}], source="bad")
    assert [(row["foreignId"], row["status"]) for row in report["results"]] == [
        ("Circle0000000001", "skipped"), ("Circle0000000001", "created"), ("Circle0000000002", "created"),
        ("Broken0000000001", "refused"),
    ]  # fmt: skip
    assert [row["origin"] for row in report["unreadable"]] == ["body[4]", "body[5]"]
    messages = " ".join(problem["message"] for row in report["results"] for problem in row["problems"])
    for part in ("Round -> Round", "same name", "needs a type", "with the same content"):
        assert part in messages
    assert report["complete"] is False


def test_what_does_not_exist_here_is_said(daemon: Daemon) -> None:
    body = {
        "workflows": [workflow("Strange000000001", "Strange", [node("Odd", "noSuchNodeOfAnybody")])],
        "folders": [{"id": "f", "name": "Folder"}], "projects": [{"id": "p"}], "dataTables": [{"id": "d"}],
    }  # fmt: skip
    report = imported(daemon.admin(), body, source="left")
    assert report["results"][0]["verdict"] == "cannot"
    assert [(row["kind"], row["count"]) for row in report["notImported"]] == [
        ("dataTable", 1), ("project", 1),
    ]  # fmt: skip
    assert any("no counterpart" in step for step in report["next"])


def test_variables_take_the_value_of_n8n(daemon: Daemon) -> None:
    api, rows = daemon.admin(), [{"id": "1", "key": "region", "type": "string", "value": "eu"}]
    assert imported(api, rows)["results"][0]["status"] == "created"
    assert imported(api, [{**rows[0], "value": "us"}])["results"][0]["status"] == "updated"
    assert [row["value"] for row in api.get("/variables").json()["data"] if row["key"] == "region"] == ["us"]
    assert imported(api, [{"key": "no key", "value": "x"}])["results"][0]["status"] == "refused"


def test_a_credentials_export_is_no_workflow(daemon: Daemon) -> None:
    api = daemon.admin()
    for path in ("/workflows", "/workflows/import"):
        answer = api.post(path, json=credential(header_values()))
        assert (answer.status_code, "jackfield import n8n" in answer.text) == (400, True)


def test_nothing_to_import_is_refused(daemon: Daemon) -> None:
    api = daemon.admin()
    for body in ({}, [], {"workflows": []}, 7):
        assert api.post("/import", json=body).status_code == httpx.codes.BAD_REQUEST
    assert api.post("/import", json=[sub_workflow()], params={"source": "a b"}).status_code == httpx.codes.BAD_REQUEST


def test_whoever_may_not_write_credentials_brings_none(daemon: Daemon) -> None:
    admin = daemon.admin()
    made = admin.post("/api-keys", json={"name": "no credentials", "scopes": ["workflows:write"]})
    assert made.status_code == httpx.codes.CREATED, made.text
    api = daemon.client(headers={"X-API-Key": made.json()["key"]})
    answer = api.post("/api/v1/import", json=[credential(header_values())])
    assert (answer.status_code, "credentials:write" in answer.text) == (403, True)
    assert api.post("/api/v1/import", json=[sub_workflow()], params={"source": "scope"}).status_code == httpx.codes.OK


def test_out_again_with_the_names_and_ids_of_n8n(daemon: Daemon) -> None:
    api = daemon.admin()
    chosen = f"={{{{ $json.a ? '{SUB}' : '{MAIN}' }}}}"
    tool = {**node("Tool", "x"), "type": "@n8n/n8n-nodes-langchain.toolWorkflow", "parameters": {"workflowId": chosen}}
    documents = [main_workflow(), sub_workflow(), workflow("Tools00000000001", "Tools", [tool])]
    rows = results(imported(api, documents, source="out"))
    shown = {ident: api.get(f"/workflows/{rows[ident]['id']}/n8n", params={"source": "out"}).json() for ident in rows}
    for document in documents:
        found = shown[document["id"]]["workflow"]
        assert (found["id"], found["name"]) == (document["id"], document["name"])
        assert [one["type"] for one in found["nodes"]] == [one["type"] for one in document["nodes"]]
        assert shown[document["id"]]["warnings"] == []
    call = shown[MAIN]["workflow"]["nodes"][1]["parameters"]["workflowId"]
    assert call["value"] == SUB
    assert shown[MAIN]["workflow"]["settings"]["errorWorkflow"] == ERRORS
    assert shown["Tools00000000001"]["workflow"]["nodes"][0]["parameters"]["workflowId"] == chosen


def test_our_own_workflows_get_names_and_versions_that_n8n_knows(daemon: Daemon) -> None:
    api = daemon.admin()
    nodes = [
        {"id": str(index), "name": kind, "type": f"jackfield.{kind}", "position": [0, 0], "parameters": {}}
        for index, kind in enumerate(("set", "langchain.agent", "agent"))
    ]
    made = api.post("/workflows", json={"name": "Own", "nodes": nodes, "connections": {}}).json()
    found = api.get(f"/workflows/{made['id']}/n8n").json()
    assert [one["type"] for one in found["workflow"]["nodes"]] == [
        "n8n-nodes-base.set", "@n8n/n8n-nodes-langchain.agent", "jackfield.agent",
    ]  # fmt: skip
    assert found["workflow"]["nodes"][0]["typeVersion"] >= 3.4
    assert found["warnings"] == ["n8n has no node for agent (jackfield.agent)."]
    assert found["workflow"]["id"] == made["id"]
