"""Schedules of a real daemon: they start workflows, over a kill too, and never twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jackfield.testing.daemon import Daemon, poll


def scheduled(rule: dict[str, Any]) -> dict[str, Any]:
    trigger = {
        "id": "1",
        "name": "Tick",
        "type": "n8n-nodes-base.scheduleTrigger",
        "typeVersion": 1.2,
        "position": [0, 0],
        "parameters": {"rule": {"interval": [rule]}},
    }
    return {"name": "Ticking", "nodes": [trigger], "connections": {}, "settings": {"timezone": "Asia/Tokyo"}}


def ticks(daemon: Daemon) -> list[str]:
    """The moments for which workflows were started."""
    page = daemon.admin().get("/executions", params={"mode": "trigger", "limit": 100}).json()
    api = daemon.admin()
    return [api.get(f"/executions/{row['id']}").json()["data"][0]["json"]["timestamp"] for row in page["data"]]


def test_a_schedule_runs_over_a_kill(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon()
    daemon.live(scheduled({"field": "seconds", "secondsInterval": 1}))
    poll(lambda: len(ticks(daemon)) >= 2, "two ticks")
    daemon.kill()
    daemon.start()
    before = len(ticks(daemon))
    poll(lambda: len(ticks(daemon)) > before + 1, "ticks after the kill")
    found = ticks(daemon)
    assert len(set(found)) == len(found)
    assert all(moment.endswith("+09:00") for moment in found)


def test_a_bad_expression_is_refused_by_name_and_a_run_by_hand_starts_at_the_trigger(
    new_daemon: Callable[..., Daemon],
) -> None:
    daemon = new_daemon()
    api = daemon.admin()
    saved = api.post("/workflows", json=scheduled({"field": "cronExpression", "expression": "99 * * * *"})).json()
    refused = api.post(f"/workflows/{saved['id']}/activate")
    assert refused.status_code == 400
    assert list(refused.json()["details"]) == ["nodes[0].parameters.rule.interval[0].expression"]
    run = api.post(f"/workflows/{saved['id']}/execute").json()
    assert run["data"][0]["json"]["Timezone"] == "Asia/Tokyo (UTC+09:00)"


def test_expressions_are_evaluated_when_the_workflow_goes_live(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon()
    api = daemon.admin()
    api.post("/variables", json={"key": "every", "value": "1"}).raise_for_status()
    api.post("/variables", json={"key": "unit", "value": "seconds"}).raise_for_status()
    daemon.live(scheduled({"field": "={{ $vars.unit }}", "secondsInterval": "={{ Number($vars.every) * 1 }}"}))
    poll(lambda: len(ticks(daemon)) >= 2, "two ticks")
    daemon.stop()
    daemon.start()
    before = len(ticks(daemon))
    poll(lambda: len(ticks(daemon)) > before + 1, "ticks after the restart")
    api = daemon.admin()
    for expression, said in (
        ("={{ $vars.none.some }} * * *", "cron expression"),
        ("={{ $('Elsewhere').item.json.x }}", "Elsewhere"),
        ("={{ 'x'.repeat(3) }}", "x"),
    ):
        saved = api.post("/workflows", json=scheduled({"field": "cronExpression", "expression": expression})).json()
        refused = api.post(f"/workflows/{saved['id']}/activate")
        assert refused.status_code == 400, expression
        details = refused.json()["details"]
        assert list(details) == ["nodes[0].parameters.rule.interval[0].expression"]
        assert said in str(details)
    good = scheduled({"field": "cronExpression", "expression": "={{ $now.minute >= 0 ? '*/2' : 0 }} 3 * * 1"})
    assert daemon.live(good)
