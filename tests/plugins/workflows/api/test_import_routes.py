"""`POST /workflows/import`: one document or a list, each with its fate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jackfield.api.errors import StoreUnavailable
from jackfield.testing.documents import chain, set_fields, webhook

GOOD = chain("greet", webhook("hello"), set_fields("Greet", text="hi"))
BAD = {"name": "bad", "nodes": [{"name": 5}]}


async def test_one_document_is_created_inactive(api: Any) -> None:
    found = await api.ok("POST", "/workflows/import", {**GOOD, "id": "12", "active": True})
    assert (found["imported"], found["created"], found["updated"], found["notImported"]) == (True, 1, 0, 0)
    (result,) = found["results"]
    assert (result["index"], result["status"], result["version"], result["name"]) == (0, "created", 1, "greet")
    assert [problem["path"] for problem in result["problems"] if problem["path"] == "active"] == ["active"]
    assert (await api.ok("GET", f"/workflows/{result['id']}"))["active"] is False
    assert api.published() == ["workflow.saved"]


async def test_a_known_id_becomes_a_new_version_and_stays_live(api: Any) -> None:
    saved = await api.save(GOOD)
    await api.ok("POST", f"/workflows/{saved['id']}/activate")
    found = await api.ok("POST", "/workflows/import", [{**saved, "name": "renamed"}, GOOD])
    assert [result["status"] for result in found["results"]] == ["updated", "created"]
    present = await api.ok("GET", f"/workflows/{saved['id']}")
    assert (present["name"], present["version"], present["active"]) == ("renamed", 2, True)


async def test_one_mistake_holds_back_the_whole_list(api: Any) -> None:
    found = await api.refused("POST", "/workflows/import", [GOOD, BAD, 5])
    assert [result["status"] for result in found["results"]] == ["skipped", "refused", "refused"]
    assert found["results"][1]["problems"][0]["path"].startswith("nodes[0]")
    assert (await api.ok("GET", "/workflows"))["total"] == 0


async def test_the_good_ones_alone_when_asked_for(api: Any) -> None:
    found = await api.ok("POST", "/workflows/import?partial=true", [BAD, GOOD], 207)
    assert (found["imported"], found["created"], found["notImported"]) == (False, 1, 1)
    assert [result["status"] for result in found["results"]] == ["refused", "created"]
    assert (await api.ok("GET", "/workflows"))["total"] == 1


async def test_a_conflict_fails_that_document_alone(api: Any) -> None:
    first, second = await api.save(GOOD), await api.save(chain("other", webhook("other")))
    for saved in (first, second):
        await api.ok("POST", f"/workflows/{saved['id']}/activate")
    taken = {**chain("other", webhook("hello")), "id": second["id"]}
    found = await api.ok("POST", "/workflows/import", [taken, GOOD], 207)
    assert [result["status"] for result in found["results"]] == ["failed", "created"]
    assert (await api.ok("GET", f"/workflows/{second['id']}"))["version"] == 1


async def test_a_store_that_does_not_answer(make_api: Callable[..., Any]) -> None:
    api = make_api()
    api.store.fail_with = StoreUnavailable()
    found = await api.refused("POST", "/workflows/import", GOOD)
    assert found["results"][0]["status"] == "failed"


async def test_nothing_to_import(api: Any) -> None:
    await api.refused("POST", "/workflows/import", [])
    await api.refused("POST", "/workflows/import", [GOOD] * 1001)


async def test_unsaved_workflows_start_without_waiting_for_their_end(api: Any) -> None:
    hold = chain("hold", webhook("hello"), {**set_fields("Hold"), "type": "jackfield.wait"})
    found = await api.ok("POST", "/workflows/run-async", {"workflow": hold}, 202)
    assert (await api.ok("GET", f"/executions/{found['executionId']}"))["status"] == "running"
    api.engine.release()


async def test_the_start_node_can_be_named(api: Any) -> None:
    saved = await api.save(GOOD)
    await api.ok("POST", f"/workflows/{saved['id']}/execute?start=Greet")
    assert api.engine.requests[-1].start == "Greet"
    found = await api.refused("POST", f"/workflows/{saved['id']}/execute?start=Nowhere")
    assert "Greet" in found["details"]["start"]
