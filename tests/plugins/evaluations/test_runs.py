"""Runs of evaluations on a real daemon: rows through workflows, scores, bounds, comparisons."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from tests.plugins.evaluations.evaluation_world import EXACT, World, doubling

from jackfield.testing.daemon import poll
from jackfield.testing.documents import chain, node

CHECK = "if ($input.first().json.number > 2) throw new Error('too large');\nreturn $input.all();"
NUMBERS = [{"number": 1, "wanted": 2}, {"number": 2, "wanted": 4}, {"number": 3, "wanted": 7}]


@pytest.fixture(scope="module")
def numbers(world: World) -> str:
    return world.table("numbers", NUMBERS, number="number", wanted="number")


def definition(table: str, workflow: str, *scorers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "tableId": table,
        "target": {"kind": "workflow", "workflowId": workflow},
        "output": "={{ $json.output.answer }}",
        "expected": "={{ $json.row.wanted }}",
        "scorers": list(scorers) or [EXACT],
        **more,
    }


def test_rows_run_through_a_workflow_and_are_scored(world: World, numbers: str) -> None:
    near = (
        "const { output, expected } = $input.first().json;\n"
        "return { score: 1 - Math.min(Math.abs(output - expected), 2) / 2, reason: `${output} beside ${expected}` };"
    )
    python = "return _input.first()['json']['output'] == 2"
    scorers = [
        {**EXACT, "weight": 2},
        {"kind": "code", "name": "near", "code": near},
        {"kind": "code", "name": "two", "language": "python", "code": python, "weight": 0},
    ]
    world.evaluation("doubles", **definition("numbers", world.doubling(), *scorers))
    run = world.run("doubles", label="first")
    assert (run["status"], run["number"], run["workflowVersion"], run["label"]) == ("finished", 1, 1, "first")
    first, second, third = world.rows(run["id"])
    assert (first["input"], first["output"], first["expected"]) == ({"id": 1, **NUMBERS[0]}, 2, 2)
    assert [each["score"] for each in first["scores"]] == [1, 1, 1]
    assert [each["score"] for each in third["scores"]] == [0, 0.5, 0]
    assert third["scores"][1]["reason"] == "6 beside 7"
    assert third["score"] == pytest.approx(0.5 / 3)
    assert [row["passed"] for row in (first, second, third)] == [True, True, False]
    totals = run["totals"]
    assert (totals["rows"], totals["done"], totals["passed"], totals["failed"]) == (3, 3, 2, 0)
    assert totals["score"] == pytest.approx((2 + 0.5 / 3) / 3)
    assert totals["scores"]["two"] == pytest.approx(1 / 3)
    execution = world.get(f"/executions/{first['executionId']}")
    assert execution["status"] == "success"
    assert execution["workflowVersion"] == 1


def test_two_versions_are_compared_row_by_row(world: World, numbers: str) -> None:
    workflow = world.doubling("changing")
    world.evaluation("versions", **definition(numbers, workflow))
    before = world.run("versions")
    changed = world.api.put(f"/workflows/{workflow}", json=doubling("changing", 7 / 3))
    assert changed.status_code == 200, changed.text
    after = world.run("versions")
    assert (before["workflowVersion"], after["workflowVersion"], after["number"]) == (1, 2, 2)
    found = world.get(f"/evaluation-runs/{before['id']}/compare/{after['id']}")
    assert [(row["rowId"], row["change"]) for row in found["rows"]] == [(1, "worse"), (2, "worse"), (3, "better")]
    assert found["counts"] == {"worse": 2, "better": 1, "new": 0, "gone": 0, "same": 0}
    assert found["definitionChanged"] is False
    old = world.run("versions", workflowVersion=1)
    again = world.get(f"/evaluation-runs/{before['id']}/compare/{old['id']}")
    assert again["counts"]["same"] == 3
    listed = world.get("/evaluations/versions/runs?limit=2")
    assert ([run["number"] for run in listed["data"]], listed["total"], listed["before"]) == ([3, 2], 3, 2)
    assert [run["number"] for run in world.get("/evaluations/versions/runs?before=2")["data"]] == [1]


def test_a_changed_definition_is_a_new_version_and_runs_keep_theirs(world: World, numbers: str) -> None:
    first = definition(numbers, world.doubling("kept"))
    world.evaluation("changes", **first)
    run = world.run("changes")
    stale = {**first, "passScore": 0.2, "version": 9}
    assert world.api.put("/evaluations/changes", json=stale).status_code == 409
    changed = world.api.put("/evaluations/changes", json={**first, "passScore": 0.2, "version": 1}).json()
    assert (changed["version"], changed["definition"]["passScore"]) == (2, 0.2)
    assert world.api.put("/evaluations/changes", json={**first, "passScore": 0.2}).json()["version"] == 2
    kept = world.get(f"/evaluation-runs/{run['id']}")
    assert (kept["version"], kept["definition"]["passScore"]) == (1, 0.5)


def test_what_fails_is_told_and_counts_nothing(world: World, numbers: str) -> None:
    failing = world.workflow(
        chain(
            "failing",
            node("Start", "manualTrigger"),
            node(
                "Check", "code", {"jsCode": "if ($json.number > 2) throw new Error('too large');\nreturn $input.all();"}
            ),
        )
    )
    wrong = {"kind": "expression", "name": "wrong", "expression": "={{ $json.output.number * 100 }}"}
    world.evaluation("fails", **{**definition(numbers, failing, wrong), "output": "", "expected": ""})
    run = world.run("fails")
    first, _, third = world.rows(run["id"])
    assert (first["status"], first["score"]) == ("failed", 0)
    assert first["problem"] == "The scorer wrong: It gave 100; give a number from 0 to 1."
    assert third["status"] == "failed"
    assert "too large" in third["problem"]
    assert (run["status"], run["totals"]["failed"], run["totals"]["score"]) == ("finished", 3, 0)


def test_a_limit_of_rows_and_an_input_of_ones_own(world: World, numbers: str) -> None:
    body = definition(numbers, world.doubling("limited"), limits={"rows": 2}, input="={{ {number: $json.wanted} }}")
    world.evaluation("limited", **body)
    run = world.run("limited")
    assert run["totals"]["rows"] == 2
    assert [(row["input"], row["output"]) for row in world.rows(run["id"])] == [
        ({"number": 2}, 4),
        ({"number": 4}, 8),
    ]


def test_a_run_is_cancelled_with_its_executions(world: World, numbers: str) -> None:
    slow = world.workflow(
        chain("slow", node("Start", "manualTrigger"), node("Wait", "wait", {"amount": 40, "unit": "seconds"}))
    )
    world.evaluation("slow", **definition(numbers, slow))
    run_id = world.start("slow")

    def running() -> list[dict[str, Any]]:
        return [row for row in world.rows(run_id) if row["executionId"]]

    rows = poll(running, "a row that runs")
    refused = world.api.delete(f"/evaluation-runs/{run_id}")
    assert (refused.status_code, refused.json()["code"]) == (409, "CONFLICT")
    assert world.post(f"/evaluation-runs/{run_id}/cancel", {})["status"] == "running"
    run = world.ended(run_id)
    assert (run["status"], run["totals"]["passed"]) == ("cancelled", 0)
    poll(lambda: world.get(f"/executions/{rows[0]['executionId']}")["status"] == "cancelled", "the execution's end")
    assert world.api.post(f"/evaluation-runs/{run_id}/cancel", json={}).status_code == 409
    assert world.api.delete(f"/evaluation-runs/{run_id}").status_code == 204
    assert world.api.get(f"/evaluation-runs/{run_id}").status_code == 404


def test_a_run_stops_when_its_time_is_over(world: World, numbers: str) -> None:
    slow = world.workflow(
        chain("slower", node("Start", "manualTrigger"), node("Wait", "wait", {"amount": 40, "unit": "seconds"}))
    )
    world.evaluation("timed", **definition(numbers, slow, limits={"seconds": 0.2}))
    run = world.run("timed")
    assert (run["status"], run["problem"]) == ("stopped", "The 0.2 seconds of the run are over.")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"tableId": "nothing"}, "tableId"),
        ({"scorers": []}, "scorers"),
        ({"scorers": [EXACT, EXACT]}, "scorers"),
        ({"scorers": [{"kind": "judge", "name": "j", "instructions": "x"}]}, "scorers[0].judge"),
        ({"target": {"kind": "profile", "profile": "p"}}, "target.profile.prompt"),
        ({"passScore": 2}, "passScore"),
        ({"name": "a b"}, "name"),
        ({"surplus": 1}, "surplus"),
    ],
)
def test_a_mistake_in_a_definition_is_named(world: World, numbers: str, change: dict[str, Any], field: str) -> None:
    body = {"name": "mistaken", **definition(numbers, "w"), **change}
    answer = world.api.post("/evaluations", json=body)
    assert answer.status_code == 400, answer.text
    assert field in answer.json()["details"]


def test_what_is_not_there_is_told_before_a_run_begins(world: World, numbers: str) -> None:
    world.evaluation("absent", **definition(numbers, "no-such-workflow"))
    assert world.api.post("/evaluations/absent/runs", json={}).status_code == 404
    assert world.api.post("/evaluations/none/runs", json={}).status_code == 404
    assert world.api.post("/evaluations", json={"name": "absent", **definition(numbers, "w")}).status_code == 409
    assert world.api.delete("/evaluations/absent").status_code == 204
    assert world.api.get("/evaluations/absent").status_code == 404


def test_scopes_of_keys_are_heeded(world: World, numbers: str, api: httpx.Client) -> None:
    world.evaluation("guarded", **definition(numbers, world.doubling("guarded")))
    run = world.run("guarded")

    def asked(method: str, path: str, *scopes: str) -> int:
        key = world.post("/api-keys", {"name": "k", "scopes": list(scopes)})["key"]
        body = {} if method == "POST" else None
        return httpx.request(
            method, f"{api.base_url}".rstrip("/") + path, headers={"X-API-Key": key}, json=body, timeout=30
        ).status_code

    assert asked("GET", "/evaluations", "evaluations:read") == 200
    assert asked("GET", "/evaluations", "workflows:read") == 403
    assert asked("GET", f"/evaluation-runs/{run['id']}/rows", "evaluations:read") == 403
    assert asked("GET", f"/evaluation-runs/{run['id']}/rows", "evaluations:read", "executions:read") == 200
    assert asked("POST", "/evaluations/guarded/runs", "evaluations:write", "data-tables:read") == 403
    allowed = ("evaluations:write", "workflows:execute", "data-tables:read")
    assert asked("POST", "/evaluations/guarded/runs", *allowed) == 202
