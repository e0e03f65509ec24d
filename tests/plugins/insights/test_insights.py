"""One daemon whose executions are counted, deleted, and count still."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import Daemon

OUTCOMES = ("success", "failed", "cancelled")
CODE = "if ($json.query.bad) throw new Error('bad'); return $input.all();"


def document(name: str, path: str, **settings: object) -> dict[str, object]:
    hook = {"path": path, "httpMethod": "GET", "responseMode": "lastNode"}
    nodes = [
        {"id": "1", "name": "Hook", "type": "webhook", "typeVersion": 1, "position": [0, 0], "parameters": hook},
        {"id": "2", "name": "Work", "type": "code", "typeVersion": 2, "position": [0, 0],
         "parameters": {"language": "javaScript", "jsCode": CODE}},
    ]  # fmt: skip
    wires = {"Hook": {"main": [[{"node": "Work", "type": "main", "index": 0}]]}}
    return {"name": name, "nodes": nodes, "connections": wires, "settings": settings}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    made = Daemon(tmp_path_factory.mktemp("insights"))
    made.start()
    yield made
    made.close()


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


@pytest.fixture(scope="module")
def workflow(daemon: Daemon, api: httpx.Client) -> str:
    """Of four calls three succeed."""
    made = daemon.live(document("Saving", "saving", timeSavedPerExecution=12), api)
    for query in ("", "", "", "?bad=1"):
        daemon.client().get(f"/webhook/saving{query}")
    return made


def test_sums_agree_with_the_history(api: httpx.Client, workflow: str) -> None:
    found = api.get("/insights", params={"period": "day", "workflowId": workflow}).json()
    stats = api.get("/executions/stats", params={"workflowId": workflow}).json()
    sums = found["sums"]
    assert {name: sums[name] for name in ("total", *OUTCOMES)} == {name: stats[name] for name in ("total", *OUTCOMES)}
    assert (sums["total"], sums["failureRate"], sums["timeSavedMinutes"]) == (4, 0.25, 36)
    assert sum(step["total"] for step in found["steps"]) == 4
    assert sum(step["failed"] for step in found["steps"]) == 1
    (row,) = found["workflows"]
    assert (row["name"], row["total"]) == ("Saving", 4)
    assert [(each["total"], each["timeSavedMinutes"]) for each in found["projects"]] == [(4, 36)]


def test_every_place_spells_outcomes_alike(daemon: Daemon, api: httpx.Client, workflow: str) -> None:
    sums = api.get("/insights").json()["sums"]
    stats = api.get("/executions/stats").json()
    metrics = daemon.admin().get(f"{daemon.base_url}/metrics").text
    row = api.get("/executions", params={"workflowId": workflow, "status": "failed"}).json()
    assert set(OUTCOMES) <= sums.keys() & stats.keys()
    assert row["total"] == 1
    ended = [line for line in metrics.splitlines() if line.startswith("jackfield_executions_ended_total{")]
    assert any(workflow in line and 'status="failed"' in line and line.endswith(" 1") for line in ended)
    assert sums["total"] == sum(sums[name] for name in OUTCOMES)
    assert stats["total"] == sum(count for name, count in stats.items() if name != "total")


def test_what_is_deleted_counts_on(daemon: Daemon, api: httpx.Client, workflow: str) -> None:
    before = api.get("/insights", params={"workflowId": workflow}).json()
    rows = api.get("/executions", params={"workflowId": workflow}).json()["data"]
    for row in rows:
        assert api.delete(f"/executions/{row['id']}").status_code == 204
    assert api.get("/executions/stats", params={"workflowId": workflow}).json()["total"] == 0
    assert api.get("/insights", params={"workflowId": workflow}).json() == before
    daemon.client().get("/webhook/saving")
    assert api.get("/insights", params={"workflowId": workflow}).json()["sums"]["total"] == before["sums"]["total"] + 1


def test_runs_by_hand_count_where_they_are_asked_for(api: httpx.Client) -> None:
    made = api.post("/workflows", json=document("By hand", "by-hand")).json()["id"]
    assert api.post(f"/workflows/{made}/execute", json={}).status_code == 200
    asked = {"workflowId": made}
    assert api.get("/insights", params=asked).json()["sums"]["total"] == 0
    assert api.get("/insights", params={**asked, "executions": "all"}).json()["sums"]["total"] == 1


def test_the_slowest_nodes_have_percentiles(daemon: Daemon, api: httpx.Client, workflow: str) -> None:
    daemon.client().get("/webhook/saving?bad=1")
    found = api.get("/insights/nodes", params={"workflowId": workflow}).json()
    (node,) = found["data"]
    assert (node["workflowName"], node["node"], node["failed"]) == ("Saving", "Work", 1)
    assert node["runs"] == found["executions"] == 2
    assert 0 <= node["p50Ms"] <= node["p95Ms"] <= node["mostMs"]


def test_n8n_s_summary_is_its_shape(daemon: Daemon, workflow: str) -> None:
    assert workflow
    found = daemon.admin().get(f"{daemon.base_url}/n8n/api/v1/insights/summary").json()
    units = {name: figure["unit"] for name, figure in found.items()}
    assert units == {
        "total": "count",
        "failed": "count",
        "failureRate": "ratio",
        "timeSaved": "minute",
        "averageRunTime": "millisecond",
        "billable": "count",
    }
    assert found["total"]["value"] >= 4
    assert found["total"]["deviation"] is None


def test_a_member_sees_the_member_s_projects_alone(daemon: Daemon, api: httpx.Client, workflow: str) -> None:
    project = api.post("/projects", json={"name": "Other"}).json()["id"]
    theirs = daemon.live(document("Theirs", "theirs"), api)
    assert api.put(f"/placements/workflow/{theirs}", json={"projectId": project}).is_success
    daemon.client().get("/webhook/theirs")
    key = api.post("/api-keys", json={"name": "limited", "scopes": ["executions:read"], "projects": [project]}).json()
    limited = daemon.client(headers={"X-API-Key": key["key"]})
    seen = limited.get("/api/v1/insights").json()
    assert [row["workflowId"] for row in seen["workflows"]] == [theirs]
    assert (seen["sums"]["total"], [each["projectId"] for each in seen["projects"]]) == (1, [project])
    assert limited.get("/api/v1/insights", params={"workflowId": workflow}).json()["sums"]["total"] == 0
    mine = api.get("/insights", params={"projectId": project}).json()
    assert [row["workflowId"] for row in mine["workflows"]] == [theirs]


@pytest.mark.parametrize(
    "query",
    [
        "since=2026-01-02&until=2026-01-01",
        "period=decade",
        "since=never",
        "since=1970-01-01",
        "until=0001-01-02&period=year",
        "until=9999-12-31T23:59:59Z&period=day",
    ],
)
def test_a_bad_period_is_refused_by_name(api: httpx.Client, query: str) -> None:
    answer = api.get(f"/insights?{query}")
    assert answer.status_code == 400
    assert answer.json()["details"].keys() & {"since", "until", "period"}


def test_slow_nodes_are_those_of_the_period(api: httpx.Client, workflow: str) -> None:
    asked = {"workflowId": workflow, "since": "2001-01-01", "until": "2001-02-01"}
    assert api.get("/insights/nodes", params=asked).json() == {"data": [], "executions": 0}


def test_other_insights_of_n8n_are_refused_by_what_there_is(daemon: Daemon) -> None:
    answer = daemon.admin().get(f"{daemon.base_url}/n8n/api/v1/insights/by-time")
    assert (answer.status_code, "GET /api/v1/insights" in answer.json()["message"]) == (501, True)


def test_the_command_says_it(daemon: Daemon, workflow: str) -> None:
    assert workflow
    told = _run(daemon, "show", "--workflow", workflow)
    assert "succeeded" in told
    assert "Saving" in told
    assert json.loads(_run(daemon, "show", "--workflow", workflow, "--json"))["sums"]["failed"] >= 1
    assert "Work" in _run(daemon, "nodes")


def _run(daemon: Daemon, *args: str) -> str:
    program = str(Path(sys.executable).with_name("jackfield"))
    command = [program, "insights", *args, "--config-dir", str(daemon.config_dir)]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=daemon.environment()).stdout
