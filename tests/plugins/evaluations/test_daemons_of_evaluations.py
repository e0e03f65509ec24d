"""Runs of two daemons over one PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.plugins.evaluations.evaluation_world import EXACT, World

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node
from jackfield.testing.postgres import PostgresServer

KEY = "an-encryption-key-that-both-daemons-have"


@pytest.fixture
def two(tmp_path: Path, jackfield_postgres: PostgresServer) -> Iterator[tuple[Daemon, Daemon]]:
    settings = (
        f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{jackfield_postgres.new_name()}"\n'
        "[evaluations]\nlook_interval = 0.1\nlease = 2\n[executions]\nlease = 2\n"
    )
    env = {"JACKFIELD_STORE_POSTGRES_DSN": jackfield_postgres.dsn(), "JACKFIELD_ENCRYPTION_KEY": KEY}
    made = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        made.append(Daemon(tmp_path / name, settings=settings, env=env))
    try:
        yield made[0].start(), made[1].start()
    finally:
        for daemon in made:
            daemon.close()


def begun(world: World, name: str, seconds: float) -> str:
    wait = node("Wait", "wait", {"amount": seconds, "unit": "seconds"})
    workflow = world.workflow(chain(name, node("Start", "manualTrigger"), wait))
    table = world.table(name, [{"number": 1}, {"number": 2}, {"number": 3}], number="number")
    right = {**EXACT, "expression": "={{ $json.row.number < 3 }}"}
    target = {"kind": "workflow", "workflowId": workflow}
    world.evaluation(name, tableId=table, target=target, scorers=[right], concurrent=1)
    run_id = world.start(name)
    poll(lambda: [row for row in world.rows(run_id) if row["executionId"]], "a row runs")
    return run_id


def test_another_daemon_goes_on_cancels_and_runs_no_row_twice(two: tuple[Daemon, Daemon]) -> None:
    first, _ = two
    one, other = (World(daemon.admin(timeout=60)) for daemon in two)
    slow = begun(one, "slow", 60)
    assert other.api.delete("/evaluations/slow").status_code == 409
    assert other.post(f"/evaluation-runs/{slow}/cancel", {})["status"] == "running"
    assert other.ended(slow)["status"] == "cancelled"
    assert other.api.delete("/evaluations/slow").status_code == 204

    run_id = begun(one, "taken", 1)
    assert other.get(f"/evaluation-runs/{run_id}")["resumed"] == 0, "its daemon shows signs of life"
    first.kill()
    run = other.ended(run_id)
    assert (run["status"], run["resumed"], run["totals"]["done"], run["totals"]["passed"]) == ("finished", 1, 3, 2)
    ids = [row["executionId"] for row in other.rows(run_id)]
    workflow = run["definition"]["target"]["workflowId"]
    ran = [each["id"] for each in other.get(f"/executions?limit=50&workflowId={workflow}")["data"]]
    assert sorted(ran) == sorted(ids)
