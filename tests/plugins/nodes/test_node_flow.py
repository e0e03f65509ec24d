"""Nodes that hand on, wait, stop, and run other workflows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from node_fakes import Bench, items

from jackfield.api.nodes import EntryNode, NodeError, Suspend
from jackfield.api.workflows import Items
from jackfield_nodes.files.settings import FilesSettings
from jackfield_nodes.flow.execute_workflow import ExecuteWorkflow

PASSING = ["noOp", "manualTrigger", "start", "errorTrigger", "executeWorkflowTrigger"]


@pytest.mark.parametrize("kind", PASSING)
async def test_items_are_handed_on(bench: Bench, kind: str) -> None:
    given: Any = [{"json": {"n": 1}, "binary": {"f": {"data": "", "mimeType": "a/b"}}, "pairedItem": {"item": 9}}]
    ((made,),) = await bench.outputs(bench.run(kind, 1, {}, given))
    assert made == {**given[0], "pairedItem": {"item": 0}}
    assert made["json"] is given[0]["json"]
    assert given[0]["pairedItem"] == {"item": 9}


STOPS: list[tuple[dict[str, Any], str]] = [
    ({"errorMessage": "no more"}, "no more"),
    ({"errorMessage": ""}, "The workflow was stopped."),
    ({}, "The workflow was stopped."),
    ({"errorType": "errorObject", "errorObject": '{"message": "told", "code": 5}'}, "told"),
    ({"errorType": "errorObject", "errorObject": {"description": "why"}}, "why"),
    ({"errorType": "errorObject", "errorObject": {"code": 5}}, '{"code":5}'),
]


@pytest.mark.parametrize(("parameters", "message"), STOPS)
async def test_stop_and_error(bench: Bench, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(NodeError) as caught:
        await bench.outputs(bench.run("stopAndError", 1, parameters))
    assert caught.value.message == message


async def test_stop_and_error_needs_an_object(bench: Bench) -> None:
    with pytest.raises(NodeError, match="errorObject"):
        await bench.outputs(bench.run("stopAndError", 1, {"errorType": "errorObject", "errorObject": "text"}))


# ----------------------------------------------------------------------------------------------------------------- wait

SECOND, HOUR = 1000, 3_600_000
LENGTHS: list[tuple[float | None, dict[str, Any], int]] = [
    (1.1, {}, 5 * SECOND),
    (1, {}, HOUR),
    (None, {}, SECOND),
    (1.1, {"amount": 1.5}, 1500),
    (1.1, {"amount": "2", "unit": "minutes"}, 2 * 60 * SECOND),
    (1, {"amount": 2}, 2 * HOUR),
    (1.1, {"amount": 3, "unit": "days"}, 72 * HOUR),
    (None, {"amount": 20, "unit": "milliseconds"}, 20),
]


@pytest.mark.parametrize(("version", "parameters", "length"), LENGTHS)
async def test_wait_for_a_time(bench: Bench, version: float | None, parameters: dict[str, Any], length: int) -> None:
    run = bench.run("wait", version, {"resume": "timeInterval", **parameters}, items({"a": 1}))
    result = await run.type.execute(run)
    assert isinstance(result, Suspend)
    assert result.until == bench.clock.now_ms() + length
    assert result.outputs == [[{"json": {"a": 1}, "pairedItem": {"item": 0}}]]


DATES = [
    ("2026-01-01T00:00:10Z", None, 10 * SECOND),
    ("2026-01-01T01:00:10", "Europe/Berlin", 10 * SECOND),
    ("2026-01-01T00:00:10", "DEFAULT", 10 * SECOND),
]


@pytest.mark.parametrize(("date", "zone", "length"), DATES)
async def test_wait_until_a_moment(bench: Bench, date: str, zone: str | None, length: int) -> None:
    run = bench.run("wait", 1.1, {"resume": "specificTime", "dateTime": date}, timezone=zone)
    result = await run.type.execute(run)
    assert isinstance(result, Suspend)
    assert result.until == bench.clock.now_ms() + length


@pytest.mark.parametrize("parameters", [{"amount": 0}, {"resume": "specificTime", "dateTime": "2020-01-01"}])
async def test_what_is_past_does_not_wait(bench: Bench, parameters: dict[str, Any]) -> None:
    assert await bench.json("wait", 1.1, parameters, items({"a": 1})) == [[{"a": 1}]]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"resume": "webhook", "limitWaitTime": True, "resumeAmount": 1e300}, "resumeAmount"),
    (
        {"resume": "form", "limitWaitTime": True, "limitType": "atSpecifiedTime", "maxDateAndTime": "soon"},
        "maxDateAndTime",
    ),
    ({"resume": "specificTime", "dateTime": "soon"}, "ISO 8601"),
    ({"resume": "specificTime"}, "ISO 8601"),
    ({"amount": -1}, "amount"),
    ({"amount": 1e300, "unit": "days"}, "100 years"),
]


@pytest.mark.parametrize(("parameters", "told"), REFUSED)
async def test_wait_refuses(bench: Bench, parameters: dict[str, Any], told: str) -> None:
    with pytest.raises(NodeError, match=told):
        await bench.outputs(bench.run("wait", 1.1, parameters))


CALLS: list[tuple[dict[str, Any], int | None, dict[str, Any]]] = [
    ({"resume": "webhook"}, None, {"kind": "webhook", "parameters": {}}),
    (
        {"resume": "webhook", "limitWaitTime": True},
        HOUR,
        {"kind": "webhook", "parameters": {}},
    ),
    (
        {
            "resume": "webhook",
            "httpMethod": "POST",
            "responseMode": "lastNode",
            "options": {"webhookSuffix": "{{ $json.a }}"},
            "incomingAuthentication": "basicAuth",
            "authConfig": {"password": "secret"},
            "limitWaitTime": True,
            "limitType": "atSpecifiedTime",
            "maxDateAndTime": "2026-01-01T00:00:10Z",
        },
        10 * SECOND,
        {
            "kind": "webhook",
            "parameters": {
                "httpMethod": "POST",
                "responseMode": "lastNode",
                "options": {"webhookSuffix": "{{ $json.a }}"},
            },
        },
    ),
    (
        {"resume": "form", "formTitle": "Well?", "formFields": {"values": [{"fieldLabel": "A"}]}},
        None,
        {
            "kind": "form",
            "parameters": {"formTitle": "Well?", "formFields": {"values": [{"fieldLabel": "A"}]}},
        },
    ),
]


@pytest.mark.parametrize(("parameters", "length", "call"), CALLS)
async def test_wait_for_a_call(
    bench: Bench, parameters: dict[str, Any], length: int | None, call: dict[str, Any]
) -> None:
    run = bench.run("wait", 1.1, parameters, items({"a": 1}))
    result = await run.type.execute(run)
    assert isinstance(result, Suspend)
    assert result.until == (None if length is None else bench.clock.now_ms() + length)
    assert result.call == call  # no secret among it
    assert result.outputs == [[{"json": {"a": 1}, "pairedItem": {"item": 0}}]]


async def test_an_unknown_time_zone_is_named(bench: Bench) -> None:
    parameters = {"resume": "specificTime", "dateTime": "2026-01-01"}
    with pytest.raises(NodeError, match="Mars/Base"):
        await bench.outputs(bench.run("wait", 1.1, parameters, timezone="Mars/Base"))


# ----------------------------------------------------------------------------------------------------- execute workflow


def recorded(calls: list[tuple[str, Items]]) -> Any:
    def run(workflow_id: str, given: Items) -> Items:
        calls.append((workflow_id, given))
        return [{"json": {"got": row["json"]}} for row in given]

    return run


TARGETS: list[tuple[float, Any]] = [
    (1, "w7"),
    (1.1, {"__rl": True, "value": "w7", "mode": "list", "cachedResultName": "Seven"}),
    (1.2, {"__rl": True, "value": "w7", "mode": "id"}),
]


@pytest.mark.parametrize(("version", "target"), TARGETS)
async def test_the_other_workflow_gets_all_items(bench: Bench, version: float, target: Any) -> None:
    calls: list[tuple[str, Items]] = []
    given = items({"n": 1}, {"n": 2})
    run = bench.run("executeWorkflow", version, {"workflowId": target}, given, sub_workflow=recorded(calls))
    ((first, second),) = await bench.outputs(run)
    assert [(name, [row["json"] for row in rows]) for name, rows in calls] == [("w7", [{"n": 1}, {"n": 2}])]
    assert (first["json"], second["json"]) == ({"got": {"n": 1}}, {"got": {"n": 2}})
    assert (first["pairedItem"], second["pairedItem"]) == ({"item": 0}, {"item": 1})


async def test_each_item_is_a_run_of_its_own(bench: Bench) -> None:
    calls: list[tuple[str, Items]] = []
    parameters = {"workflowId": "w7", "mode": "each"}
    given = items({"n": 1}, {"n": 2})
    run = bench.run("executeWorkflow", 1.1, parameters, given, sub_workflow=recorded(calls))
    (made,) = await bench.outputs(run)
    assert [len(rows) for _, rows in calls] == [1, 1]
    assert [row["pairedItem"] for row in made] == [{"item": 0}, {"item": 1}]


async def test_items_without_a_pair_of_their_own_stem_from_all(bench: Bench) -> None:
    run = bench.run("executeWorkflow", 1, {"workflowId": "w"}, items({}, {}), sub_workflow=lambda _, given: given[:1])
    ((made,),) = await bench.outputs(run)
    assert made["pairedItem"] == [{"item": 0}, {"item": 1}]


MAPPED: list[tuple[dict[str, Any], Any]] = [
    ({"mappingMode": "defineBelow", "value": {}, "schema": []}, {"n": 1}),
    (
        {"value": {"a": 5, "old": 1}, "schema": [{"id": "a"}, {"id": "b"}, {"id": "old", "removed": True}]},
        {"a": 5, "b": None},
    ),
    ({"value": {"a": 5}}, {"a": 5}),
    ({"value": None, "schema": []}, {"n": 1}),
]


@pytest.mark.parametrize(("inputs", "expected"), MAPPED)
async def test_mapped_fields_are_handed_over(bench: Bench, inputs: dict[str, Any], expected: Any) -> None:
    parameters = {"workflowId": "w", "workflowInputs": inputs}
    ((made,),) = await bench.json("executeWorkflow", 1.2, parameters, items({"n": 1}))
    assert made == expected


async def test_without_waiting_the_own_items_go_on(bench: Bench) -> None:
    parameters = {"workflowId": "w", "options": {"waitForSubWorkflow": False}}
    calls: list[tuple[str, Items]] = []
    run = bench.run("executeWorkflow", 1, parameters, items({"n": 1}), sub_workflow=recorded(calls))
    assert await bench.outputs(run) == [[{"json": {"n": 1}, "pairedItem": {"item": 0}}]]
    assert calls == []
    assert [(workflow, [row["json"] for row in given]) for workflow, given in run.started] == [("w", [{"n": 1}])]


async def test_without_waiting_each_item_starts_its_own(bench: Bench) -> None:
    parameters = {"workflowId": "w", "mode": "each", "options": {"waitForSubWorkflow": False}}
    run = bench.run("executeWorkflow", 1, parameters, items({"n": 1}, {"n": 2}))
    ((first, second),) = await bench.outputs(run)
    assert (first["pairedItem"], second["pairedItem"]) == ({"item": 0}, {"item": 1})
    assert [[row["json"] for row in given] for _, given in run.started] == [[{"n": 1}], [{"n": 2}]]


GIVEN: dict[str, Any] = {"name": "Inner", "nodes": [{"name": "Start", "type": "x", "parameters": {"a": "={{ 1 }}"}}]}


@pytest.mark.parametrize("given", [GIVEN, json.dumps(GIVEN)])
async def test_a_workflow_that_is_given_in_the_node(bench: Bench, given: Any) -> None:
    calls: list[tuple[Any, Items]] = []
    parameters = {"source": "parameter", "workflowJson": given}
    await bench.outputs(bench.run("executeWorkflow", 1.1, parameters, items({"n": 1}), sub_workflow=recorded(calls)))
    assert [workflow for workflow, _ in calls] == [GIVEN]
    late = ExecuteWorkflow.late(parameters)
    assert list(late) == (["workflowJson"] if isinstance(given, dict) else [])


async def test_a_workflow_in_a_file_below_the_allowed_directory(make_bench: Any, tmp_path: Path) -> None:
    (tmp_path / "inner.json").write_text(json.dumps(GIVEN), encoding="utf-8")
    bench = make_bench(FilesSettings(root=str(tmp_path)))
    calls: list[tuple[Any, Items]] = []
    parameters = {"source": "localFile", "workflowPath": "inner.json"}
    await bench.outputs(bench.run("executeWorkflow", 1, parameters, items({"n": 1}), sub_workflow=recorded(calls)))
    assert [workflow for workflow, _ in calls] == [GIVEN]
    outside = {"source": "localFile", "workflowPath": "/etc/passwd"}
    with pytest.raises(NodeError, match="not below the directory"):
        await bench.outputs(bench.run("executeWorkflow", 1, outside, items({"n": 1})))


TOLD = {"inputSource": "workflowInputs", "workflowInputs": {"values": [{"name": "a"}, {"name": "b", "type": "number"}]}}


@pytest.mark.parametrize(
    ("version", "parameters", "expected"),
    [
        (1.1, TOLD, {"a": 1, "b": None}),
        (1.1, {"workflowInputs": TOLD["workflowInputs"]}, {"a": 1, "b": None}),
        (1.1, {"inputSource": "jsonExample", "jsonExample": '{"a": 5}'}, {"a": 1}),
        (1.1, {"inputSource": "jsonExample", "jsonExample": "no JSON"}, {"a": 1, "c": 3}),
        (1.1, {"inputSource": "passthrough"}, {"a": 1, "c": 3}),
        (1.1, {}, {"a": 1, "c": 3}),
        (1, TOLD, {"a": 1, "c": 3}),
    ],
)
def test_the_fields_that_a_workflow_asks_for(bench: Bench, version: float, parameters: Any, expected: Any) -> None:
    run = bench.run("executeWorkflowTrigger", version, parameters)
    assert isinstance(run.type, EntryNode)
    found = run.type.entry(run.node, run.execution.workflow, items({"a": 1, "c": 3}))
    assert found is not None
    assert [row["json"] for row in found] == [expected]
    assert run.type.entry(run.node, run.execution.workflow, None) is None


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({}, "workflowId is empty"),
        ({"source": "parameter"}, "workflowJson is no workflow"),
        ({"source": "parameter", "workflowJson": "{"}, "not JSON"),
        ({"source": "localFile", "workflowPath": "a.json"}, "nodes.files.root"),
        ({"source": "url", "workflowUrl": "https://x.example"}, "source url is not available"),
        ({"workflowId": {"value": ""}}, "empty"),
    ],
)
async def test_execute_workflow_refuses(bench: Bench, parameters: dict[str, Any], told: str) -> None:
    with pytest.raises(NodeError, match=told):
        await bench.outputs(bench.run("executeWorkflow", 1.2, parameters))


async def test_an_item_whose_run_fails_goes_on_as_an_error(bench: Bench) -> None:
    def fails(_: str, given: Items) -> Items:
        if given[0]["json"]["n"] == 1:
            raise NodeError("It failed.")
        return given

    parameters = {"workflowId": "w", "mode": "each"}
    given = items({"n": 1}, {"n": 2})
    run = bench.run("executeWorkflow", 1, parameters, given, sub_workflow=fails, on_error="continueRegularOutput")
    ((first, second),) = await bench.outputs(run)
    assert (first["json"], second["json"]) == ({"error": "It failed."}, {"n": 2})
    with pytest.raises(NodeError) as caught:
        await bench.outputs(bench.run("executeWorkflow", 1, parameters, given, sub_workflow=fails))
    assert caught.value.item == 0


async def test_execution_data_notes_fields_and_passes_items_on(bench: Bench) -> None:
    fields = [{"key": "a" * 60, "value": "x" * 600}, *({"key": f"k{n}", "value": n} for n in range(12))]
    run = bench.run("executionData", 1.1, {"dataToSave": {"values": fields}}, items({"n": 1}, {"n": 2}))
    assert [[item["json"] for item in output] for output in await bench.outputs(run)] == [[{"n": 1}, {"n": 2}]]
    assert run.custom_data == {"a" * 50: "x" * 512, "k0": "", **{f"k{n}": str(n) for n in range(1, 9)}}


async def test_execution_data_refuses_a_key_that_is_none(bench: Bench) -> None:
    given = {"dataToSave": {"values": [{"key": "a b", "value": "x"}]}}
    with pytest.raises(NodeError, match="The key 'a b' has other characters"):
        await bench.outputs(bench.run("executionData", 1, given, items({})))


async def test_debug_helper_fails_or_gives_nothing(bench: Bench) -> None:
    with pytest.raises(NodeError, match="Node has thrown an error"):
        await bench.outputs(bench.run("debugHelper", 1, {}, items({})))
    assert await bench.outputs(bench.run("debugHelper", 1, {"category": "doNothing"}, items({}))) == [[]]
    with pytest.raises(NodeError, match="The category oom is not available"):
        await bench.outputs(bench.run("debugHelper", 1, {"category": "oom"}, items({})))
