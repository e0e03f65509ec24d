"""Runs that end before their rows, old runs, and numbers that are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.plugins.evaluations.evaluation_world import EXACT, World

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node
from jackfield.testing.vendor import VendorDouble

SETTINGS = """
[evaluations]
look_interval = 0.05
prune_interval = 1
keep_runs = 2
max_runs = 2

[nodes.http]
allowed_networks = ["127.0.0.0/8"]
"""
ANSWER = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-4o",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": json.dumps({"score": 1, "reason": "r"})},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 30, "completion_tokens": 12, "total_tokens": 42},
}


@pytest.fixture(scope="module")
def bounded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    daemon = Daemon(tmp_path_factory.mktemp("bounds"), settings=SETTINGS)
    try:
        yield World(daemon.start().admin(timeout=60))
    finally:
        daemon.close()


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"tokens": 80}, "The budget of 80 tokens is used up."),
        ({"cost": 0.0003}, "The budget of 0.0003 US dollars is used up."),
    ],
)
def test_a_run_stops_when_its_budget_is_used_up(bounded: World, limits: dict[str, Any], told: str) -> None:
    (name,) = limits
    with VendorDouble() as vendor:
        vendor.answers["/v1/chat/completions"] = lambda seen: (200, ANSWER)
        values = {"apiKey": "sk-test", "url": f"{vendor.url}/v1"}
        credential = bounded.post("/credentials", {"name": name, "kind": "openAiApi", "values": values})["id"]
        model = {
            "nodeType": "@n8n/n8n-nodes-langchain.lmChatOpenAi",
            "typeVersion": 1.2,
            "parameters": {"model": {"__rl": True, "mode": "id", "value": "gpt-4o"}},
            "credentials": {"openAiApi": credential},
        }
        judge = {"kind": "judge", "name": "j", "instructions": "Is it right?", "model": model}
        table = bounded.table(name, [{"number": each} for each in range(5)], number="number")
        target = {"kind": "workflow", "workflowId": bounded.doubling(name)}
        bounded.evaluation(name, tableId=table, target=target, scorers=[judge], limits=limits, concurrent=1)
        run = bounded.run(name)
    assert (run["status"], run["problem"]) == ("stopped", told)
    assert (run["totals"]["done"], run["totals"]["tokensIn"], run["totals"]["tokensOut"]) == (2, 60, 24)
    assert run["totals"]["cost"] == pytest.approx(2 * (30 * 2.5e-6 + 12 * 10e-6))


def test_runs_beyond_the_number_to_keep_are_deleted_with_their_rows(bounded: World) -> None:
    table = bounded.table("kept", [{"number": 1}], number="number")
    target = {"kind": "workflow", "workflowId": bounded.doubling("kept")}
    bounded.evaluation("kept", tableId=table, target=target, scorers=[EXACT])
    first, *_ = [bounded.run("kept") for _ in range(4)]

    def numbers() -> list[int]:
        return [run["number"] for run in bounded.get("/evaluations/kept/runs")["data"]]

    poll(lambda: numbers() == [4, 3], "the older runs are gone")
    assert bounded.api.get(f"/evaluation-runs/{first['id']}/rows").status_code == 404


def test_starts_side_by_side_keep_to_the_number_of_runs(bounded: World) -> None:
    table = bounded.table("many", [{"number": 1}], number="number")
    wait = node("Wait", "wait", {"amount": 30, "unit": "seconds"})
    workflow = bounded.workflow(chain("many", node("Start", "manualTrigger"), wait))
    bounded.evaluation("many", tableId=table, target={"kind": "workflow", "workflowId": workflow}, scorers=[EXACT])
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: bounded.api.post("/evaluations/many/runs", json={}), range(8)))
    begun = [answer.json()["id"] for answer in answers if answer.status_code == 202]
    assert sorted(answer.status_code for answer in answers) == [202] * 2 + [409] * 6
    for run_id in begun:
        bounded.post(f"/evaluation-runs/{run_id}/cancel", {})
        assert bounded.ended(run_id)["status"] == "cancelled"


@pytest.mark.parametrize(
    ("change", "field"),
    [({"lowest": "nan"}, "lowest"), ({"highest": "inf"}, "highest"), ({"lowest": -1e308, "highest": 1e308}, "highest")],
)
def test_a_scale_without_ends_is_refused(bounded: World, change: dict[str, Any], field: str) -> None:
    scorer = {"kind": "metric", "name": "m", "metric": "x", **change}
    target = {"kind": "workflow", "workflowId": "w"}
    table = bounded.table(f"scale {change}", [], number="number")
    answer = bounded.api.post(
        "/evaluations", json={"name": "s", "tableId": table, "target": target, "scorers": [scorer]}
    )
    assert answer.status_code == 400, answer.text
    assert f"scorers[0].metric.{field}" in answer.json()["details"]


def test_metrics_whose_sum_is_no_number_leave_the_run_readable(bounded: World) -> None:
    table = bounded.table("huge", [{"number": 1}, {"number": 2}], number="number")
    values = [{"name": "huge", "value": "={{ 1e308 * 1.7 }}"}, {"name": "right", "value": "={{ 0.25 }}"}]
    parameters = {"operation": "setMetrics", "metric": "customMetrics", "metrics": {"assignments": values}}
    start = node("Start", "manualTrigger")
    workflow = bounded.workflow(chain("huge", start, node("Set", "evaluation", parameters, version=4.8)))
    scorers = [{"kind": "metric", "name": name, "metric": name} for name in ("huge", "right")]
    target = {"kind": "workflow", "workflowId": workflow}
    bounded.evaluation("huge", tableId=table, target=target, scorers=scorers)
    run = bounded.run("huge")
    assert (run["status"], run["totals"]["metrics"]) == ("finished", {"right": 0.25})
    (huge, right) = bounded.rows(run["id"])[0]["scores"]
    assert (huge["error"], right["score"]) == ("The workflow has set no metric huge.", 0.25)
    assert bounded.get("/evaluations")["total"] > 0
