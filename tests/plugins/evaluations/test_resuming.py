"""Runs whose daemon ends in their midst, and runs of two daemons over one PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.plugins.evaluations.evaluation_world import EXACT, World

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node

SETTINGS = "[evaluations]\nlook_interval = 0.1\nlease = 2\nrow_timeout = 60\n"
ROWS = [{"number": 1}, {"number": 2}, {"number": 3}]


def waiting(world: World) -> str:
    """A workflow that waits for a second, in which its daemon ends."""
    wait = node("Wait", "wait", {"amount": 1, "unit": "seconds"})
    return world.workflow(chain("waits", node("Start", "manualTrigger"), wait))


def begun(world: World) -> str:
    table = world.table("rows", ROWS, number="number")
    target = {"kind": "workflow", "workflowId": waiting(world)}
    right = {**EXACT, "expression": "={{ $json.row.number < 3 }}"}
    world.evaluation("waits", tableId=table, target=target, scorers=[right], concurrent=1)
    run_id = world.start("waits")
    poll(lambda: [row for row in world.rows(run_id) if row["executionId"]], "a row runs")
    return run_id


def test_a_run_goes_on_after_kill_9_without_running_a_row_twice(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, settings=SETTINGS)
    try:
        run_id = begun(World(daemon.start().admin(timeout=60)))
        daemon.kill()
        world = World(daemon.start().admin(timeout=60))
        run = world.ended(run_id)
        assert (run["status"], run["resumed"], run["totals"]["done"], run["totals"]["passed"]) == ("finished", 1, 3, 2)
        executions: list[dict[str, Any]] = world.get("/executions?limit=50")["data"]
        ids = [row["executionId"] for row in world.rows(run_id)]
        assert sorted(each["id"] for each in executions) == sorted(ids)
    finally:
        daemon.close()
