"""/api/v1/workflows: what is saved, who may be live, and what follows."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import pytest

from jackfield.api.context import WorkflowReader
from jackfield.api.triggers import Registration
from jackfield.testing.documents import chain, node, set_fields, webhook

DOCUMENT = chain("greet", webhook("hello"), set_fields("Greet", text="=hi {{ $json.name }}"))
UNKNOWN = "00000000-0000-4000-8000-000000000000"
MALFORMED = ["not-a-uuid", "0", "-1", "%00", "a" * 3000, "%F0%9F%98%80"]


def keeps(read: dict[str, Any], written: dict[str, Any]) -> bool:
    return all(read[key] == value for key, value in written.items())


# ---------------------------------------------------------------------------------------------- create, read, replace


async def test_create_and_read(api: Any) -> None:
    answer = await api.call("POST", "/workflows", DOCUMENT)
    saved = await answer.get_json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/v1/workflows/{saved['id']}"
    assert answer.headers["ETag"] == '"1"'
    assert str(uuid.UUID(saved["id"])) == saved["id"]
    assert keeps(saved, {**DOCUMENT, "active": False, "version": 1})
    assert saved["createdAt"] == saved["updatedAt"]
    assert saved == await api.ok("GET", f"/workflows/{saved['id']}")
    assert api.published() == ["workflow.saved"]
    assert [change.action for change in api.trigger.followed] == ["saved"]


async def test_unknown_keys_come_back_and_service_keys_are_the_services(api: Any) -> None:
    document = {
        **DOCUMENT,
        "id": 7,
        "active": True,
        "createdAt": "once",
        "updatedAt": "once",
        "versionId": "abc",
        "meta": {"x": [1, None]},
        "staticData": None,
        "future": {"deep": [{"y": 1.5}]},
    }
    saved = await api.save(document)
    same = {key: document[key] for key in ("versionId", "meta", "staticData", "future", "nodes", "connections")}
    assert keeps(saved, same)
    assert saved["active"] is True
    assert saved["id"] != 7
    assert saved["createdAt"] != "once"


async def test_a_version_key_of_the_documents_own_stays(api: Any) -> None:
    saved = await api.save({**DOCUMENT, "version": "2024-06"})
    assert saved["version"] == "2024-06"
    answer = await api.call("GET", f"/workflows/{saved['id']}")
    assert answer.headers["ETag"] == '"1"'


async def test_what_was_read_can_be_written_back(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    again = await api.ok("PUT", f"/workflows/{saved['id']}", saved)
    assert again["version"] == 2
    assert keeps(again, {key: value for key, value in saved.items() if key not in ("version", "updatedAt")})


async def test_nodes_without_a_name_get_one(api: Any) -> None:
    saved = await api.save({"nodes": [], "connections": {}})
    assert saved["name"] == "Untitled workflow"
    renamed = await api.ok("PATCH", f"/workflows/{saved['id']}", {"name": "known"})
    kept = await api.ok("PUT", f"/workflows/{renamed['id']}", {"nodes": [], "connections": {}})
    assert kept["name"] == "known"


async def test_nodes_or_the_name_may_be_absent_but_not_both(api: Any) -> None:
    saved = await api.save({"name": "empty"})
    assert keeps(saved, {"name": "empty"})
    for name in ({}, {"name": ""}, {"name": "  "}, {"name": "x" * 256}, {"name": None}):
        found = await api.refused("POST", "/workflows", name)
        assert (found["code"], list(found["details"])) == ("VALIDATION_ERROR", ["name"])


@pytest.mark.parametrize("body", [[], "text", 1, None])
async def test_what_is_no_object_is_refused(api: Any, body: Any) -> None:
    saved = await api.save(DOCUMENT)
    for method, path in (
        ("POST", "/workflows"),
        ("PUT", f"/workflows/{saved['id']}"),
        ("PATCH", f"/workflows/{saved['id']}"),
        ("POST", "/workflows/validate"),
        ("POST", "/workflows/run"),
    ):
        await api.refused(method, path, body)
    assert await api.ok("GET", f"/workflows/{saved['id']}") == saved


async def test_patch_replaces_top_level_keys(api: Any) -> None:
    saved = await api.save({**DOCUMENT, "meta": {"a": 1}, "future": 1})
    path = f"/workflows/{saved['id']}"
    changed = await api.ok("PATCH", path, {"name": "other", "meta": {"b": 2}})
    assert keeps(changed, {**DOCUMENT, "name": "other", "meta": {"b": 2}, "future": 1, "version": 2})
    emptied = await api.ok("PATCH", path, {"nodes": [], "connections": {}})
    assert keeps(emptied, {"name": "other", "nodes": [], "connections": {}, "future": 1})
    for wrong in ({"nodes": None}, {"nodes": "x"}, {"connections": []}, {"name": None}):
        await api.refused("PATCH", path, wrong)
    assert await api.ok("GET", path) == emptied


async def test_a_refused_write_changes_nothing(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    for method in ("PUT", "PATCH"):
        await api.refused(method, f"/workflows/{saved['id']}", {"name": "x", "nodes": "none"})
    assert await api.ok("GET", f"/workflows/{saved['id']}") == saved
    assert api.published() == ["workflow.saved"]


# ------------------------------------------------------------------------------------------------------------ versions


@pytest.mark.parametrize("tag", ["1", '"1"', 'W/"1"', "*"])
async def test_if_match_with_the_present_version_passes(api: Any, tag: str) -> None:
    saved = await api.save(DOCUMENT)
    headers = {"If-Match": tag}
    assert (await api.ok("PATCH", f"/workflows/{saved['id']}", {"name": "b"}, headers=headers))["version"] == 2


async def test_if_match_with_another_version_is_a_conflict(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    path = f"/workflows/{saved['id']}"
    headers = {"If-Match": '"2"'}
    for method, target, body in (
        ("PUT", path, DOCUMENT),
        ("PATCH", path, {"name": "b"}),
        ("POST", f"{path}/activate", ...),
        ("POST", f"{path}/versions/1/restore", ...),
        ("DELETE", path, ...),
    ):
        found = await api.refused(method, target, body, status=409, headers=headers)
        assert found["code"] == "CONFLICT"
    assert await api.ok("GET", path) == saved
    await api.refused("DELETE", path, headers={"If-Match": "soon"})


async def test_versions_are_listed_read_and_restored(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    path = f"/workflows/{saved['id']}"
    await api.ok("PUT", path, {"name": "second", "nodes": [], "connections": {}})
    listed = await api.ok("GET", f"{path}/versions")
    assert (listed["total"], listed["offset"], listed["limit"]) == (2, 0, 20)
    assert [(row["version"], row["name"], row["author"]) for row in listed["data"]] == [
        (2, "second", "ada"),
        (1, "greet", "ada"),
    ]
    first = await api.ok("GET", f"{path}/versions/1")
    assert keeps(first, {**DOCUMENT, "version": 1})
    restored = await api.ok("POST", f"{path}/versions/1/restore")
    assert keeps(restored, {**DOCUMENT, "version": 3})
    assert await api.ok("GET", path) == restored
    for number in ("0", "9", "-1", "x", "1.5", "9" * 30):
        await api.refused("GET", f"{path}/versions/{number}", status=404)
        await api.refused("POST", f"{path}/versions/{number}/restore", status=404)


async def test_parallel_writes_leave_one_of_them_whole(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    path = f"/workflows/{saved['id']}"
    documents = [chain(f"n{n}", webhook(f"p{n}"), set_fields("S", text=str(n))) for n in range(8)]
    answers = await asyncio.gather(*(api.ok("PUT", path, document) for document in documents))
    assert sorted(answer["version"] for answer in answers) == list(range(2, 10))
    read = await api.ok("GET", path)
    assert keeps(read, next(document for document in documents if document["name"] == read["name"]))
    assert [change.workflow.version for change in api.trigger.followed] == list(range(1, 10))


# ---------------------------------------------------------------------------------------------------------------- list


async def test_the_list_pages_filters_and_searches(api: Any) -> None:
    ids = [(await api.save(chain(f"needle {n}", webhook(f"needle{n}"))))["id"] for n in range(5)]
    await api.save({"name": "other"})
    await api.ok("POST", f"/workflows/{ids[0]}/activate")
    page = await api.ok("GET", "/workflows?search=needle&limit=2&offset=4")
    assert (page["total"], page["offset"], page["limit"], len(page["data"])) == (5, 4, 2, 1)
    assert (await api.ok("GET", "/workflows"))["limit"] == 20
    assert (await api.ok("GET", "/workflows?limit=1000"))["limit"] == 100
    assert (await api.ok("GET", "/workflows?limit=-3&offset=-1"))["limit"] == 1
    live = await api.ok("GET", "/workflows?active=true")
    assert [row["id"] for row in live["data"]] == [ids[0]]
    assert (await api.ok("GET", "/workflows?active=false"))["total"] == 5
    assert live["data"][0]["nodeCount"] == 1
    assert "nodes" not in live["data"][0]


@pytest.mark.parametrize("query", ["limit=x", "limit=1e3", "limit=%FF", "offset=y", "limit=+-5", "active=maybe"])
async def test_nonsense_in_the_query_is_refused(api: Any, query: str) -> None:
    assert (await api.refused("GET", f"/workflows?{query}"))["code"] == "VALIDATION_ERROR"


@pytest.mark.parametrize("ident", [UNKNOWN, *MALFORMED], ids=range(7))
async def test_an_unknown_or_malformed_id_is_not_found(api: Any, ident: str) -> None:
    path = f"/workflows/{ident}"
    for method, target, body in (
        ("GET", path, ...),
        ("PUT", path, DOCUMENT),
        ("PATCH", path, {"name": "x"}),
        ("DELETE", path, ...),
        ("POST", f"{path}/activate", ...),
        ("POST", f"{path}/deactivate", ...),
        ("POST", f"{path}/duplicate", {}),
        ("POST", f"{path}/execute", [{"json": {}}]),
        ("POST", f"{path}/execute-async", [{"json": {}}]),
        ("GET", f"{path}/versions", ...),
        ("GET", f"{path}/versions/1", ...),
        ("POST", f"{path}/versions/1/restore", ...),
    ):
        found = await api.refused(method, target, body, status=404)
        assert found["code"] == "NOT_FOUND"


# ------------------------------------------------------------------------------------------------------------- activate


async def test_activate_and_deactivate(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    path = f"/workflows/{saved['id']}"
    for _ in range(2):
        assert await api.ok("POST", f"{path}/activate") == {"id": saved["id"], "active": True}
    assert (await api.ok("GET", path))["active"] is True
    assert (await api.context.port(WorkflowReader).load(saved["id"])).active is True
    assert await api.ok("POST", f"{path}/deactivate") == {"id": saved["id"], "active": False}
    assert (await api.ok("GET", path))["active"] is False
    assert (await api.context.port(WorkflowReader).load(saved["id"])).active is False
    assert [(c.action, c.workflow.active) for c in api.trigger.followed] == [
        ("saved", False),
        ("activated", True),
        ("activated", True),
        ("deactivated", False),
    ]
    assert (await api.ok("GET", path))["version"] == 1


async def test_a_workflow_without_a_trigger_is_never_live(api: Any) -> None:
    saved = await api.save({"name": "empty"})
    found = await api.refused("POST", f"/workflows/{saved['id']}/activate")
    assert list(found["details"]) == ["nodes"]


async def test_a_taken_route_is_a_conflict_that_names_the_holder(api: Any) -> None:
    holder, late = await api.save(DOCUMENT), await api.save({**DOCUMENT, "name": "late"})
    await api.ok("POST", f"/workflows/{holder['id']}/activate")
    found = await api.refused("POST", f"/workflows/{late['id']}/activate", status=409)
    assert found["code"] == "CONFLICT"
    assert holder["id"] in str(found) or holder["name"] in str(found)
    assert (await api.ok("GET", f"/workflows/{late['id']}"))["active"] is False
    other = chain("late", webhook("elsewhere"))
    assert (await api.ok("PUT", f"/workflows/{late['id']}", other))["version"] == 2
    await api.ok("POST", f"/workflows/{late['id']}/activate")
    found = await api.refused("PUT", f"/workflows/{late['id']}", DOCUMENT, status=409)
    read = await api.ok("GET", f"/workflows/{late['id']}")
    assert (read["version"], read["active"], read["nodes"]) == (2, True, other["nodes"])


async def test_what_a_trigger_refuses_is_not_live(api: Any) -> None:
    saved = await api.save(chain("closed", webhook("secret")))
    found = await api.refused("POST", f"/workflows/{saved['id']}/activate")
    assert found["details"] == {"nodes.Webhook.parameters.path": "This path needs a secret."}
    live = await api.save(DOCUMENT)
    await api.ok("POST", f"/workflows/{live['id']}/activate")
    await api.refused("PUT", f"/workflows/{live['id']}", chain("open", webhook("secret")))
    assert (await api.ok("GET", f"/workflows/{live['id']}"))["version"] == 1


async def test_a_live_workflow_stays_live_and_its_routes_follow(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    path = f"/workflows/{saved['id']}"
    await api.ok("POST", f"{path}/activate")
    changed = await api.ok("PUT", path, chain("greet", webhook("moved")))
    assert changed["active"] is True
    change = api.trigger.followed[-1]
    assert (change.action, change.workflow.active, change.workflow.version) == ("saved", True, 2)
    hooks = await api.store.webhooks(offset=0, limit=10, active=True, workflow_id=saved["id"])
    assert [hook.path for hook in hooks.rows] == ["/moved"]


async def test_a_switch_whose_document_another_daemon_has_changed_meanwhile_is_refused(api: Any) -> None:
    """Its lease ran out: the routes of the old version must not stand beside the new document."""
    saved = await api.save(DOCUMENT)
    switch = api.store.set_active

    async def late(ident: str, *given: Any, **more: Any) -> Any:
        moved = [Registration("n", "Hook", "webhook", "POST", "/moved", "/moved")]
        await api.store.change_workflow(ident, DOCUMENT, "W", moved, now=2, author="bob")
        return await switch(ident, *given, **more)

    api.store.set_active = late
    await api.refused("POST", f"/workflows/{saved['id']}/activate", status=409)
    hooks = await api.store.webhooks(offset=0, limit=10, active=None, workflow_id=saved["id"])
    assert [hook.path for hook in hooks.rows] == ["/moved"]


async def test_delete_is_final(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    path = f"/workflows/{saved['id']}"
    await api.ok("GET", path)
    await api.ok("DELETE", path, status=204)
    await api.refused("GET", path, status=404)
    await api.refused("DELETE", path, status=404)
    await api.refused("POST", f"{path}/execute", [{"json": {}}], status=404)
    assert (api.trigger.followed[-1].action, api.trigger.followed[-1].workflow) == ("deleted", None)
    assert api.published()[-1] == "workflow.deleted"


@pytest.mark.parametrize("document", [{"nodes": "none"}, {"nodes": [{"name": 1}]}, {}])
async def test_what_cannot_be_read_any_more_is_deleted_all_the_same(api: Any, document: dict[str, Any]) -> None:
    saved = await api.save(DOCUMENT)
    row = await api.store.workflow(saved["id"])
    await api.store.change_workflow(row.id, document, row.name, [], now=2, author="ada", expected_version=row.version)
    path = f"/workflows/{saved['id']}"
    await api.ok("DELETE", path, status=204)
    await api.refused("GET", path, status=404)
    assert (api.trigger.followed[-1].action, api.trigger.followed[-1].workflow_id) == ("deleted", saved["id"])
    assert api.published()[-1] == "workflow.deleted"


async def test_a_trigger_that_cannot_follow_fails_no_stored_change(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    api.trigger.broken = True
    answer = await api.call("PATCH", f"/workflows/{saved['id']}", {"name": "renamed"})
    assert answer.status_code == 200
    assert (await api.ok("GET", f"/workflows/{saved['id']}"))["name"] == "renamed"


async def test_a_caller_that_hangs_up_does_not_stop_the_change(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    started = asyncio.Event()
    held = asyncio.Event()
    follow = api.trigger.follow

    async def slow(change: Any) -> None:
        started.set()
        await held.wait()
        await follow(change)

    api.trigger.follow = slow
    call = asyncio.ensure_future(api.call("PATCH", f"/workflows/{saved['id']}", {"name": "renamed"}))
    await started.wait()
    call.cancel()
    await asyncio.wait({call})
    held.set()
    api.trigger.follow = follow
    await api.ok("PATCH", f"/workflows/{saved['id']}", {"name": "again"})
    assert [change.workflow.name for change in api.trigger.followed] == ["greet", "renamed", "again"]


# ------------------------------------------------------------------------------------------------------------ duplicate


async def test_a_copy_is_inactive_and_on_its_own(api: Any) -> None:
    saved = await api.save({**DOCUMENT, "meta": {"a": 1}})
    await api.ok("POST", f"/workflows/{saved['id']}/activate")
    copied = await api.ok("POST", f"/workflows/{saved['id']}/duplicate", {}, 201)
    assert copied["id"] != saved["id"]
    assert keeps(copied, {**DOCUMENT, "name": "greet (Copy)", "active": False, "version": 1, "meta": {"a": 1}})
    await api.refused("POST", f"/workflows/{copied['id']}/activate", status=409)
    named = await api.ok("POST", f"/workflows/{saved['id']}/duplicate", {"name": "mine"}, 201)
    assert named["name"] == "mine"
    assert (await api.ok("POST", f"/workflows/{saved['id']}/duplicate", status=201))["name"] == "greet (Copy)"
    for wrong in ({"name": ""}, {"name": 5}, {"other": 1}, []):
        await api.refused("POST", f"/workflows/{saved['id']}/duplicate", wrong)


async def test_the_name_of_a_copy_fits(api: Any) -> None:
    saved = await api.save({"name": "x" * 255})
    copied = await api.ok("POST", f"/workflows/{saved['id']}/duplicate", {}, 201)
    assert len(copied["name"]) == 255
    assert copied["name"].endswith(" (Copy)")


# ------------------------------------------------------------------------------------------------------------- validate


async def test_validate_saves_nothing(api: Any) -> None:
    found = await api.ok("POST", "/workflows/validate", chain("w", webhook("x")))
    assert found == {"valid": True, "activatable": True, "problems": [], "starts": []}
    assert (await api.ok("GET", "/workflows"))["total"] == 0


async def test_validate_tells_of_structure_nodes_wires_and_triggers(api: Any) -> None:
    broken = await api.ok("POST", "/workflows/validate", {"name": "w", "nodes": "none"})
    assert (broken["valid"], [p["path"] for p in broken["problems"]]) == (False, ["nodes"])
    no_path = await api.ok("POST", "/workflows/validate", chain("w", node("W", "webhook")))
    assert [p["path"] for p in no_path["problems"]] == ["nodes[0].parameters.path"]
    assert no_path["valid"] is False
    closed = await api.ok("POST", "/workflows/validate", chain("w", webhook("secret")))
    assert (closed["valid"], len(closed["problems"])) == (False, 1)
    foreign = await api.ok("POST", "/workflows/validate", chain("w", webhook("x"), node("B", "noSuchNode")))
    assert (foreign["valid"], foreign["activatable"]) == (True, False)
    told = [(p["path"], p["severity"]) for p in foreign["problems"]]
    assert told == [("nodes[1].type", "warning"), ("nodes[1].type", "activation")]


async def test_a_node_of_an_unknown_type_keeps_a_workflow_from_being_live(api: Any) -> None:
    document = chain("w", webhook("x"), node("B", "noSuchNode"))
    made = await api.ok("POST", "/workflows", document, status=201)
    refused = await api.refused("POST", f"/workflows/{made['id']}/activate", status=400)
    assert "noSuchNode' is not known" in refused["details"]["nodes[1].type"]
    document["nodes"][1]["disabled"] = True
    await api.ok("PUT", f"/workflows/{made['id']}", document)
    assert (await api.ok("POST", f"/workflows/{made['id']}/activate"))["active"] is True


@pytest.mark.parametrize("path", ["/workflows", "/workflows/validate", "/workflows/run"])
async def test_another_media_type_is_refused(api: Any, path: str) -> None:
    answer = await api.client.post(f"/api/v1{path}", data=b"{}", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415
