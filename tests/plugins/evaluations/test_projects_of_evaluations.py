"""Evaluations of one project, seen from another, and what their templates may reach."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.e2e.projects_lab import MARK, ProjectLab, made
from tests.plugins.evaluations.evaluation_world import World

from jackfield.testing.daemon import Daemon

HIDDEN = f"value of {MARK}"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProjectLab]:
    daemon = Daemon(tmp_path_factory.mktemp("projects"), settings="[evaluations]\nlook_interval = 0.05\n")
    try:
        yield ProjectLab(daemon.start())
    finally:
        daemon.close()


def _evaluated(world: World, name: str, expression: str) -> str:
    table = world.table(f"T {name}", [{"number": 1}], number="number")
    target = {"kind": "workflow", "workflowId": world.doubling(name)}
    scorer = {"kind": "expression", "name": "s", "expression": expression}
    world.evaluation(name, tableId=table, target=target, scorers=[scorer])
    return name


def test_nobody_of_another_project_sees_or_changes_them(lab: ProjectLab) -> None:
    bob = World(lab.bob.client(lab.b))
    name = _evaluated(bob, "bobs", "={{ 1 }}")
    run = bob.run(name)
    assert run["totals"]["passed"] == 1
    ann = lab.ann.api
    assert [each["name"] for each in ann.get("/evaluations").json()["data"]] == []
    one = f"/evaluation-runs/{run['id']}"
    for path in ("/evaluations/bobs", "/evaluations/bobs/runs", one, f"{one}/rows", f"{one}/compare/{run['id']}"):
        answer = ann.get(path)
        assert (answer.status_code, MARK in answer.text) == (404, False), path
    definition = bob.get("/evaluations/bobs")["definition"]
    tried = [
        ann.post("/evaluations/bobs/runs", json={}),
        ann.put("/evaluations/bobs", json=definition),
        ann.delete("/evaluations/bobs"),
        ann.post(f"{one}/cancel", json={}),
        ann.delete(one),
    ]
    assert [answer.status_code for answer in tried] == [404] * 5
    refused = ann.post("/evaluations", json={"name": "anns", **definition})
    assert refused.status_code in (400, 404), refused.text
    assert [each["name"] for each in bob.get("/evaluations")["data"]] == ["bobs"]
    assert bob.api.delete(f"/workflows/{definition['target']['workflowId']}").status_code == 204
    assert ann.get(f"{one}/rows").status_code == 404, "nobody knows whose the workflow was"
    assert lab.admin.get(f"{one}/rows").status_code == 200


def test_whoever_only_looks_starts_and_changes_nothing(lab: ProjectLab) -> None:
    bob = World(lab.bob.client(lab.b))
    name = _evaluated(bob, "looked-at", "={{ 1 }}")
    lab.join(lab.b, lab.ann, "project:viewer")
    try:
        assert lab.ann.api.get(f"/evaluations/{name}").status_code == 200
        assert lab.ann.api.post(f"/evaluations/{name}/runs", json={}).status_code == 403
        assert lab.ann.api.delete(f"/evaluations/{name}").status_code == 403
    finally:
        lab.admin.delete(f"/projects/{lab.b}/members/{lab.ann.id}").raise_for_status()


def test_templates_reach_what_their_workflow_may(lab: ProjectLab) -> None:
    key = f"V_{MARK}"
    made(lab.bob.client(lab.b).post("/variables", json={"key": key, "value": HIDDEN}))
    reason = f"={{{{ ({{score: 1, reason: 'found ' + $vars.{key}}}) }}}}"
    ann, bob = World(lab.ann.client(lab.a)), World(lab.bob.client(lab.b))
    seen = {}
    for world, name in ((ann, "of-ann"), (bob, "of-bob")):
        (row,) = world.rows(world.run(_evaluated(world, name, reason))["id"])
        seen[name] = str(row)
    assert HIDDEN in seen["of-bob"]
    assert HIDDEN not in seen["of-ann"]
