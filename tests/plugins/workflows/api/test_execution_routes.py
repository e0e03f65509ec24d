"""/api/v1/executions: list, read, delete, retry, cancel, count."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from jackfield.api.auth import Principal
from jackfield.api.storage import ExecutionRow, FinishedExecution, NewExecution, StoredExecution
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield_workflows.history.retries import before_failure
from jackfield_workflows.history.views import execution_view, items_body

DOCUMENT = chain("greet", webhook("hello"), set_fields("Greet", text="hi"))
FAILING = chain("fail", webhook("hello"), node("Stop", "stopAndError"))
HOLDING = chain("hold", webhook("hello"), node("Hold", "wait"))
ITEMS = [{"json": {"n": 1}}]
UNKNOWN = "00000000-0000-4000-8000-000000000000"


async def executed(api: Any, document: dict[str, Any]) -> Any:
    saved = await api.save(document)
    return await api.ok("POST", f"/workflows/{saved['id']}/execute", ITEMS)


async def started(api: Any) -> str:
    saved = await api.save(HOLDING)
    return str((await api.ok("POST", f"/workflows/{saved['id']}/execute-async", ITEMS, 202))["executionId"])


# ---------------------------------------------------------------------------------------------------------------- read


def stored(*chunks: list[dict[str, Any]], output: int = 0, **row: Any) -> StoredExecution:
    given = {"start": "W", "items": ITEMS, "output": output, "pin": False}
    defaults: dict[str, Any] = {"workflow_id": "w", "workflow_version": 3, "mode": "webhook", "status": "success"}
    times = {"created_at": 1_000, "started_at": 2_000, "finished_at": 3_500, "error": None, "retry_of": None}
    return StoredExecution(
        row=ExecutionRow(id="e", **{**defaults, **times, **row}),
        input=orjson.dumps(given),
        steps=[orjson.dumps(chunk) for chunk in chunks],
        document=None,
        call=None,
    )


def record(name: str, index: int, outputs: Any = None, **more: Any) -> dict[str, Any]:
    base = {"node": name, "index": index, "startedAt": 2_000 + index, "duration": 5, "status": "success"}
    return {**base, **({"outputs": outputs} if outputs is not None else {}), **more}


def test_an_execution_is_shown_as_agreed() -> None:
    out = [{"json": {"a": 1}, "pairedItem": {"item": 0}}]
    view = execution_view(stored([record("W", 0, inputOutput=0)], [record("A", 1, [[], out]), record("A", 2, [out])]))
    assert view == {
        "id": "e",
        "workflowId": "w",
        "workflowVersion": 3,
        "status": "success",
        "mode": "webhook",
        "startedAt": "1970-01-01T00:00:02.000Z",
        "finishedAt": "1970-01-01T00:00:03.500Z",
        "data": out,
        "nodes": {
            "W": [
                {
                    "index": 0,
                    "startedAt": "1970-01-01T00:00:02.000Z",
                    "duration": 5,
                    "status": "success",
                    "outputs": [ITEMS],
                }
            ],
            "A": [
                {
                    "index": 1,
                    "startedAt": "1970-01-01T00:00:02.001Z",
                    "duration": 5,
                    "status": "success",
                    "outputs": [[], out],
                },
                {
                    "index": 2,
                    "startedAt": "1970-01-01T00:00:02.002Z",
                    "duration": 5,
                    "status": "success",
                    "outputs": [out],
                },
            ],
        },
    }


def test_a_run_without_any_output_is_shown_to_nobody() -> None:
    out: Any = [{"json": {"n": 1}}]
    view: Any = execution_view(stored([record("W", 0, inputOutput=0)], [record("A", 1, [out]), record("A", 2, [])]))
    assert [[run["index"] for run in runs] for runs in view["nodes"].values()] == [[0], [1]]
    assert view["data"] == out


def test_the_input_stands_at_the_output_that_it_came_by() -> None:
    view = execution_view(stored([record("W", 0, inputOutput=2)], output=2))
    assert view["nodes"]["W"][0]["outputs"] == [[], [], ITEMS]  # type: ignore[index,call-overload]
    assert view["data"] == ITEMS


def test_an_open_execution_has_no_end() -> None:
    view = execution_view(stored(status="queued", started_at=None, finished_at=None))
    assert "finishedAt" not in view
    assert "error" not in view
    assert (view["startedAt"], view["data"], view["nodes"]) == ("1970-01-01T00:00:01.000Z", [], {})


def test_a_failed_retry_says_why_and_of_what() -> None:
    error = orjson.dumps({"message": "no", "node": "A", "itemIndex": 2})
    failed = record("A", 1, [], status="failed", error={"message": "no", "itemIndex": 2})
    view = execution_view(stored([record("W", 0, inputOutput=0), failed], status="failed", error=error, retry_of="r"))
    assert (view["error"], view["retryOf"]) == ({"message": "no", "node": "A", "itemIndex": 2}, "r")
    assert view["nodes"]["A"][0]["error"] == {"message": "no", "itemIndex": 2}  # type: ignore[index,call-overload]


async def test_a_large_execution_is_shown_too(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    items = [{"json": {"text": "x" * 1000, "n": n}} for n in range(200)]
    found = await api.ok("POST", f"/workflows/{saved['id']}/execute", items)
    assert found["data"] == items


# ---------------------------------------------------------------------------------------------------------------- list


async def test_the_list_filters(api: Any) -> None:
    good, bad = await executed(api, DOCUMENT), await executed(api, FAILING)

    async def ids(query: str) -> set[str]:
        page = await api.ok("GET", f"/executions?{query}")
        assert page["total"] == len(page["data"])
        assert all("nodes" not in row and "data" not in row for row in page["data"])
        return {row["id"] for row in page["data"]}

    assert await ids("") == {good["id"], bad["id"]}
    assert await ids(f"workflowId={good['workflowId']}") == {good["id"]}
    assert await ids("status=failed") == {bad["id"]}
    assert await ids("mode=webhook") == set()
    assert await ids("since=1970-01-01T00:00:01Z&until=1970-01-01T00:00:01Z") == {good["id"], bad["id"]}
    assert await ids("since=1970-01-01T00:00:02Z") == set()
    assert await ids("until=1970-01-01T01:00:01+01:00") == {good["id"], bad["id"]}
    assert await ids("workflowId=%00") == set()
    page = await api.ok("GET", "/executions?limit=1&offset=1")
    assert (page["total"], page["limit"], page["offset"], len(page["data"])) == (2, 1, 1, 1)
    failed = await api.ok("GET", "/executions?status=failed")
    assert failed["data"][0]["error"]["message"] == "It stopped."


@pytest.mark.parametrize(
    "query", ["status=nope", "mode=nope", "since=yesterday", "until=9999999999999999999", "limit=x", "since=%00"]
)
@pytest.mark.parametrize("path", ["/executions", "/executions/stats"])
async def test_nonsense_in_the_query_is_refused(api: Any, path: str, query: str) -> None:
    if path.endswith("stats") and query.startswith("limit"):
        return
    found = await api.refused("GET", f"{path}?{query}")
    assert (found["code"], list(found["details"])) == ("VALIDATION_ERROR", [query.split("=")[0]])


async def test_stats_count_every_status(api: Any) -> None:
    await executed(api, DOCUMENT)
    await executed(api, FAILING)
    await started(api)
    found = await api.ok("GET", "/executions/stats")
    assert found == {"total": 3, "queued": 0, "running": 1, "waiting": 0, "success": 1, "failed": 1, "cancelled": 0}
    assert (await api.ok("GET", "/executions/stats?status=failed"))["total"] == 1


@pytest.mark.parametrize("ident", [UNKNOWN, "stats2", "%00", "a" * 3000], ids=["unknown", "word", "nul", "long"])
async def test_an_unknown_or_malformed_id_is_not_found(api: Any, ident: str) -> None:
    for method, action in (("GET", ""), ("DELETE", ""), ("POST", "/retry"), ("POST", "/cancel")):
        found = await api.refused(method, f"/executions/{ident}{action}", status=404)
        assert found["code"] == "NOT_FOUND"


# -------------------------------------------------------------------------------------------------- delete and cancel


async def test_delete_forgets_what_is_over(api: Any) -> None:
    found = await executed(api, DOCUMENT)
    await api.ok("DELETE", f"/executions/{found['id']}", status=204)
    await api.refused("GET", f"/executions/{found['id']}", status=404)


async def test_an_open_execution_is_not_deleted_nor_retried(api: Any) -> None:
    ident = await started(api)
    await api.refused("DELETE", f"/executions/{ident}", status=409)
    await api.refused("POST", f"/executions/{ident}/retry", status=409)


async def test_cancel(api: Any) -> None:
    ident = await started(api)
    found = await api.ok("POST", f"/executions/{ident}/cancel", status=202)
    assert found["executionId"] == ident
    assert (await api.ok("GET", f"/executions/{ident}"))["status"] == "cancelled"
    await api.refused("POST", f"/executions/{ident}/cancel", status=409)


# --------------------------------------------------------------------------------------------------------------- retry


async def test_a_retry_starts_from_the_original_input_with_the_present_workflow(api: Any) -> None:
    first = await executed(api, FAILING)
    await api.ok("PUT", f"/workflows/{first['workflowId']}", DOCUMENT)
    answer = await api.ok("POST", f"/executions/{first['id']}/retry", status=201)
    assert answer["executionId"] != first["id"]
    assert (answer["mode"], answer["retryOf"]) == ("retry", first["id"])
    again = await api.ok("GET", f"/executions/{answer['executionId']}")
    assert (again["status"], again["mode"], again["retryOf"]) == ("success", "retry", first["id"])
    assert (again["workflowVersion"], again["data"]) == (2, ITEMS)
    request = api.engine.requests[-1]
    assert (request.items, request.start, request.use_pin_data, list(request.replay)) == (ITEMS, "Webhook", True, [])


async def test_a_retry_from_the_failed_node_takes_over_what_was_done(api: Any) -> None:
    first = await executed(api, FAILING)
    await api.ok("PUT", f"/workflows/{first['workflowId']}", DOCUMENT)
    await api.ok("POST", f"/executions/{first['id']}/retry?from=failed", status=201)
    request = api.engine.requests[-1]
    assert request.workflow.version == 1
    replayed = [item for chunk in request.replay for item in orjson.loads(chunk)]
    assert [item["node"] for item in replayed] == ["Webhook"]
    assert replayed[0]["inputOutput"] == 0


async def test_nothing_failed_nothing_to_go_on_from(api: Any) -> None:
    first = await executed(api, DOCUMENT)
    await api.refused("POST", f"/executions/{first['id']}/retry?from=failed", status=409)
    await api.refused("POST", f"/executions/{first['id']}/retry?from=middle")


async def test_a_retry_of_an_unsaved_workflow_takes_the_document_that_ran(api: Any) -> None:
    ran = await api.ok("POST", "/workflows/run", {"workflow": DOCUMENT, "inputData": ITEMS})
    answer = await api.ok("POST", f"/executions/{ran['executionId']}/retry", status=201)
    assert (await api.ok("GET", f"/executions/{answer['executionId']}"))["data"] == ITEMS


async def test_a_retry_without_the_workflow_is_not_possible(api: Any) -> None:
    first = await executed(api, DOCUMENT)
    await api.ok("DELETE", f"/workflows/{first['workflowId']}", status=204)
    found = await api.refused("POST", f"/executions/{first['id']}/retry", status=404)
    assert "deleted" in found["message"]


async def test_a_retry_of_a_workflow_that_lost_its_start_starts_elsewhere(api: Any) -> None:
    first = await executed(api, DOCUMENT)
    await api.ok("PUT", f"/workflows/{first['workflowId']}", chain("other", node("Manual", "manualTrigger")))
    await api.ok("POST", f"/executions/{first['id']}/retry", status=201)
    assert (api.engine.requests[-1].start, api.engine.requests[-1].start_output) == ("Manual", 0)


async def test_a_cancelled_execution_goes_on_where_it_was(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    given = orjson.dumps({"start": "Webhook", "items": ITEMS, "output": 1, "pin": False, "depth": 2})
    new = NewExecution(UNKNOWN, saved["id"], 1, "webhook", "running", 1_000, given)
    steps = orjson.dumps([record("Webhook", 0, inputOutput=1)])
    await asyncio.gather(
        api.store.add_execution(new),
        api.store.finish_execution(FinishedExecution(UNKNOWN, "cancelled", 2_000, 1_000, steps=steps)),
    )
    await api.ok("POST", f"/executions/{UNKNOWN}/retry?from=failed", status=201)
    request = api.engine.requests[-1]
    assert (request.start_output, request.use_pin_data, request.depth) == (1, False, 2)
    assert (
        [orjson.loads(chunk) for chunk in request.replay]
        == [orjson.loads(steps)[:1]]
        == [[record("Webhook", 0, inputOutput=1)]]
    )


def test_what_went_on_after_an_error_is_kept() -> None:
    passed_on = record("A", 1, [[]], status="failed", error={"message": "no"})
    last = record("B", 2, [], status="failed", error={"message": "no"})
    assert before_failure([record("W", 0), passed_on, last]) == [record("W", 0), passed_on]
    assert before_failure([record("W", 0), passed_on, record("C", 2)]) == [record("W", 0), passed_on, record("C", 2)]
    assert before_failure([passed_on]) == [passed_on]
    assert before_failure([]) == []


def test_a_bounded_view_has_the_first_items_and_their_number() -> None:
    many: list[dict[str, Any]] = [{"json": {"n": number}} for number in range(100)]
    large: list[dict[str, Any]] = [{"json": {"text": "x" * 200_000}}]
    one = stored([record("W", 0, inputOutput=0), record("A", 1, [many, []]), record("B", 2, [large])])
    view: Any = execution_view(one, 10)
    assert [(run["counts"], [len(items) for items in run["outputs"]]) for run in view["nodes"]["A"]] == [
        ([100, 0], [10, 0])
    ]
    assert view["nodes"]["B"][0]["outputs"] == [[]], "a large item is left out"
    assert view["nodes"]["B"][0]["counts"] == [1]
    none: Any = execution_view(one, 0)
    assert none["data"] == []
    assert "counts" not in execution_view(one)["nodes"]["A"][0]  # type: ignore[operator,index,call-overload]


def test_a_view_of_many_outputs_is_bounded_as_a_whole() -> None:
    some: list[dict[str, Any]] = [{"json": {"text": "x" * 100_000}}]
    one = stored([record("W", 0, inputOutput=0), *(record("A", index, [some]) for index in range(1, 200))])
    assert len(orjson.dumps(execution_view(one, 50))) < 9 * 1024 * 1024


async def test_items_are_read_by_the_page(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    items = [{"json": {"n": number}} for number in range(120)]
    found = await api.ok("POST", f"/workflows/{saved['id']}/execute", items)
    bounded = await api.ok("GET", f"/executions/{found['id']}?items=5")
    assert (bounded["nodes"]["Webhook"][0]["counts"], len(bounded["nodes"]["Webhook"][0]["outputs"][0])) == ([120], 5)
    place = f"/executions/{found['id']}/items"
    page = await api.ok("GET", f"{place}?run=0&offset=100&limit=50")
    assert (page["data"], page["total"], page["offset"]) == (items[100:], 120, 100)
    assert len((await api.ok("GET", f"{place}?run=0"))["data"]) == 50
    for wrong, status in (("run=99", 404), ("run=0&output=7", 404), ("run=x", 400), ("", 400)):
        await api.refused("GET", f"{place}?{wrong}", status=status)
    await api.refused("GET", f"/executions/{found['id']}?items=many", status=400)


async def test_a_page_of_items_has_at_least_one_however_large(api: Any) -> None:
    items = [{"json": {"text": "x" * 5_000_000}}, {"json": {"text": "x"}}]
    first = orjson.loads(await items_body(stored([record("A", 0, [items])]), 0, 0, 0, 50) or b"")
    assert [len(item["json"]["text"]) for item in first["data"]] == [5_000_000]
    second = orjson.loads(await items_body(stored([record("A", 0, [items])]), 0, 0, 1, 50) or b"")
    assert (len(second["data"]), second["total"]) == (1, 2)


# ------------------------------------------------------------------------------------------------- workflow and files


async def test_the_workflow_is_read_as_it_ran(api: Any) -> None:
    done = await executed(api, DOCUMENT)
    changed = {**DOCUMENT, "nodes": [*DOCUMENT["nodes"], set_fields("Later", text="x")]}
    await api.ok("PUT", f"/workflows/{done['workflowId']}", changed)
    found = await api.ok("GET", f"/executions/{done['id']}/workflow")
    assert [one["name"] for one in found["nodes"]] == ["Webhook", "Greet"]
    api.context.principal = Principal("u", "u", "member", "api_key", frozenset({"workflows:read"}))
    refused = await api.refused("GET", f"/executions/{done['id']}/workflow", status=403)
    assert refused["details"] == {"scope": "executions:read"}


async def test_a_file_of_an_item_is_saved_and_runs_nothing(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    page = {"data": "PGgxPmhpPC9oMT4=", "mimeType": "text/html\r\nX-Evil: 1", "fileName": "ä\r\n.html"}
    done = await api.ok("POST", f"/workflows/{saved['id']}/execute", [{"json": {}, "binary": {"page": page}}])
    answer = await api.client.get(f"/api/v1/executions/{done['id']}/file?run=1&output=1&item=0&name=page")
    assert await answer.get_data() == b"<h1>hi</h1>"
    assert answer.headers["Content-Disposition"] == "attachment; filename*=UTF-8''%C3%A4%0D%0A.html"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.headers["Content-Type"] == "text/html"
    assert "X-Evil" not in answer.headers
    await api.refused("GET", f"/executions/{done['id']}/file?run=1&output=1&item=0&name=other", status=404)
    await api.refused("GET", f"/executions/{done['id']}/file?run=9&name=page", status=404)
