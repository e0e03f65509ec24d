"""Running by hand: execute, execute-async, run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from jackfield.api.nodes.items import LONG
from jackfield.testing.documents import chain, node, set_fields, webhook, wires, workflow
from jackfield_workflows.settings import WorkflowsSettings

DOCUMENT = chain("greet", webhook("hello"), set_fields("Greet", text="hi"))
FAILING = chain("fail", webhook("hello"), node("Stop", "stopAndError"))
HOLDING = chain("hold", webhook("hello"), node("Hold", "wait"))
ITEMS = [{"json": {"n": 1}}, {"json": {"n": 2}}]


async def start(api: Any, document: dict[str, Any], body: Any = ...) -> Any:
    """The request that the engine got."""
    saved = await api.save(document)
    await api.ok("POST", f"/workflows/{saved['id']}/execute", body)
    return api.engine.requests[-1]


@pytest.mark.parametrize("body", [ITEMS, {"inputData": ITEMS}])
async def test_execute_answers_with_the_finished_execution(api: Any, body: Any) -> None:
    saved = await api.save(DOCUMENT)
    found = await api.ok("POST", f"/workflows/{saved['id']}/execute", body)
    assert found["status"] == "success"
    assert found["mode"] == "manual"
    assert (found["workflowId"], found["workflowVersion"]) == (saved["id"], 1)
    assert found["data"] == ITEMS
    assert found["nodes"]["Webhook"][0]["outputs"] == [ITEMS]
    assert found == await api.ok("GET", f"/executions/{found['id']}")
    request = api.engine.requests[0]
    assert (request.start, request.items, request.use_pin_data, request.durability) == (
        "Webhook",
        ITEMS,
        True,
        "finish",
    )


async def test_execute_of_a_failing_workflow_is_an_answer(api: Any) -> None:
    saved = await api.save(FAILING)
    found = await api.ok("POST", f"/workflows/{saved['id']}/execute", ITEMS)
    assert (found["status"], found["error"]) == ("failed", {"message": "It stopped.", "node": "Stop"})
    assert found["data"] == []
    assert found["nodes"]["Stop"][0]["error"]["itemIndex"] == 0


@pytest.mark.parametrize("body", [..., {}, [], {"inputData": []}, {"inputData": None}])
async def test_no_input_is_one_empty_item(api: Any, body: Any) -> None:
    assert (await start(api, DOCUMENT, body)).items == [{"json": {}}]


async def test_no_input_takes_what_is_pinned_to_the_start(api: Any) -> None:
    pinned = {**DOCUMENT, "pinData": {"Webhook": [{"json": {"pinned": 1}}]}}
    assert (await start(api, pinned, {})).items == [{"json": {"pinned": 1}}]
    assert (await start(api, pinned, ITEMS)).items == ITEMS


async def test_items_may_carry_files(api: Any) -> None:
    item = {"json": {}, "binary": {"data": {"data": "aGk=", "mimeType": "text/plain"}}, "pairedItem": 3, "other": 1}
    assert (await start(api, DOCUMENT, [item])).items == [{"json": {}, "binary": item["binary"]}]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("text", "body"),
        (5, "body"),
        ([1], "[0]"),
        ([{"json": {}}, {"json": 5}], "[1]"),
        ([{"n": 1}], "[0]"),
        ({"inputData": "x"}, "inputData"),
        ({"inputData": {"json": {}}}, "json"),
        ({"inputData": [{}]}, "inputData[0]"),
        ({"name": "Ada"}, "name"),
        ([{"json": {}, "binary": {"a": {"data": 1}}}], "[0].binary"),
    ],
)
async def test_wrong_input_is_refused(api: Any, body: Any, path: str) -> None:
    saved = await api.save(DOCUMENT)
    for route in ("execute", "execute-async"):
        found = await api.refused("POST", f"/workflows/{saved['id']}/{route}", body)
        assert (found["code"], list(found["details"])) == ("VALIDATION_ERROR", [path])
    assert api.engine.requests == []


async def test_execute_async_answers_once_it_is_stored(api: Any) -> None:
    saved = await api.save(HOLDING)
    found = await api.ok("POST", f"/workflows/{saved['id']}/execute-async", ITEMS, 202)
    assert found["status"] == "queued"
    assert (await api.ok("GET", f"/executions/{found['executionId']}"))["status"] == "running"
    assert api.engine.requests[0].durability == "accept"


async def test_execute_gives_up_waiting_and_says_what_runs_on(make_api: Callable[..., Any]) -> None:
    api = make_api(WorkflowsSettings(execute_timeout=0.01))
    saved = await api.save(HOLDING)
    found = await api.refused("POST", f"/workflows/{saved['id']}/execute", ITEMS, status=504)
    assert found["code"] == "EXECUTION_TIMEOUT"
    api.engine.release()
    assert (await api.ok("GET", f"/executions/{found['executionId']}"))["status"] == "success"


async def test_a_caller_that_hangs_up_does_not_stop_the_run(api: Any) -> None:
    saved = await api.save(HOLDING)
    call = asyncio.ensure_future(api.call("POST", f"/workflows/{saved['id']}/execute", ITEMS))
    while not api.engine.held:
        await asyncio.sleep(0)
    ((execution, _),) = api.engine.held.values()
    call.cancel()
    await asyncio.wait({call})
    api.engine.release()
    assert (await execution.finished).status == "success"


async def test_run_takes_a_workflow_that_is_not_saved(api: Any) -> None:
    found = await api.ok("POST", "/workflows/run", {"workflow": DOCUMENT, "inputData": ITEMS})
    assert (found["status"], found["data"]) == ("success", ITEMS)
    assert (await api.ok("GET", "/workflows"))["total"] == 0
    stored = await api.ok("GET", f"/executions/{found['executionId']}")
    assert (stored["workflowId"], stored["status"]) == (None, "success")


async def test_run_tells_of_a_failure(api: Any) -> None:
    found = await api.ok("POST", "/workflows/run", {"workflow": FAILING})
    assert (found["status"], found["data"]) == ("failed", [])
    assert found["error"] == {"message": "It stopped.", "node": "Stop", "itemIndex": 0}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "workflow"),
        ({"workflow": "x"}, "workflow"),
        ({"workflow": {"nodes": "none"}}, "workflow.nodes"),
        ({"workflow": DOCUMENT, "inputData": 5}, "inputData"),
        ({"workflow": DOCUMENT, "inputData": [5]}, "inputData[0]"),
        ({"workflow": {}}, "nodes"),
    ],
)
async def test_run_names_the_mistake(api: Any, body: Any, path: str) -> None:
    assert list((await api.refused("POST", "/workflows/run", body))["details"]) == [path]


def disabled(part: dict[str, Any]) -> dict[str, Any]:
    return {**part, "disabled": True}


STARTS: dict[str, tuple[list[dict[str, Any]], str]] = {
    "manual-first": ([webhook("x"), node("Manual", "manualTrigger")], "Manual"),
    "webhook-first": ([node("Cron", "scheduleTrigger"), webhook("x")], "Webhook"),
    "any-trigger": ([node("Sub", "executeWorkflowTrigger"), node("Cron", "scheduleTrigger")], "Cron"),
    "sub": ([node("Error", "errorTrigger"), node("Sub", "executeWorkflowTrigger")], "Sub"),
    "disabled": ([disabled(node("Manual", "manualTrigger")), webhook("x")], "Webhook"),
    "root": ([node("Note", "stickyNote"), node("B", "noOp"), node("A", "noOp")], "A"),
    "error": ([node("B", "noOp"), node("Error", "errorTrigger")], "Error"),
}


@pytest.mark.parametrize(("nodes", "expected"), STARTS.values(), ids=STARTS)
async def test_where_a_run_starts(api: Any, nodes: list[dict[str, Any]], expected: str) -> None:
    assert (await start(api, workflow("w", nodes, wires(("A", "B"))))).start == expected


async def test_a_circle_starts_at_its_first_node(api: Any) -> None:
    circle = workflow("w", [node("B", "noOp"), node("A", "noOp")], wires(("A", "B"), ("B", "A")))
    assert (await start(api, circle)).start == "B"


async def test_nothing_to_start_is_refused(api: Any) -> None:
    saved = await api.save({"name": "w", "nodes": [node("Note", "stickyNote"), disabled(node("A", "noOp"))]})
    assert list((await api.refused("POST", f"/workflows/{saved['id']}/execute"))["details"]) == ["nodes"]


TWO_STARTS = workflow(
    "two",
    [node("First", "manualTrigger"), node("Second", "manualTrigger"), set_fields("A", n=1), set_fields("B", n=1)],
    wires(("First", "A"), ("Second", "B")),
)


async def test_a_run_may_end_early_and_starts_where_that_end_is_reached(api: Any) -> None:
    saved = await api.save(TWO_STARTS)
    await api.ok("POST", f"/workflows/{saved['id']}/execute-async?until=B", ITEMS, 202)
    assert (api.engine.requests[-1].start, api.engine.requests[-1].until) == ("Second", "B")
    await api.ok("POST", f"/workflows/{saved['id']}/execute?start=First&until=A", ITEMS)
    assert (api.engine.requests[-1].start, api.engine.requests[-1].until) == ("First", "A")
    found = await api.refused("POST", f"/workflows/{saved['id']}/execute?until=C", ITEMS, status=400)
    assert "until" in found["details"]


async def test_a_long_answer_is_what_a_short_one_is(api: Any) -> None:
    items = [{"json": {"n": place}} for place in range(LONG + 1)]
    found = await api.ok("POST", "/workflows/run", {"workflow": DOCUMENT, "inputData": items})
    assert found["data"] == items
    assert (found["status"], set(found)) == ("success", {"executionId", "status", "data"})
