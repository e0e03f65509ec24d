"""`/api/registry` and what doctor says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from quart import Quart, Response
from registry_lab import COMMITS, Lab

from jackfield.api import jsontext
from jackfield.api.errors import JackfieldError
from jackfield_registry.diagnosis import findings
from jackfield_registry.metrics import metrics
from jackfield_registry.routes import blueprints

ONE, TWO, *_ = COMMITS


@pytest.fixture
async def app(lab: Lab) -> AsyncIterator[Quart]:
    made = Quart("test")
    for blueprint in blueprints(lab.context):
        made.register_blueprint(blueprint)

    @made.errorhandler(JackfieldError)
    async def envelope(error: JackfieldError) -> Response:
        return Response(jsontext.dumps({"code": error.code, "error": error.message}), status=error.status)

    return made


async def ask(app: Quart, method: str, path: str = "", status: int = 200, **options: Any) -> Any:
    answer = await app.test_client().open(f"/api/registry{path}", method=method, **options)
    assert answer.status_code == status
    return await answer.get_json(force=True)


async def test_status_sync_and_pin(app: Quart, lab: Lab) -> None:
    nothing = (await ask(app, "GET"))["data"]
    counts = {"agents": 0, "providers": 0, "scripts": 0}
    assert nothing == {"channel": "stable", "commit": None, "last_sync": None, "cached": False, **counts}
    done = (await ask(app, "POST", "/sync"))["data"]
    assert (done["commit"], done["updated"], done["artifacts_downloaded"]) == (ONE, True, 4)
    lab.source.publish(TWO, "two")
    assert (await ask(app, "POST", "/sync"))["data"]["updated"] is False
    assert (await ask(app, "POST", "/pin", json={"ref": ONE}))["data"]["pinned"] == ONE
    assert (await ask(app, "POST", "/sync?force=true"))["data"]["commit"] == ONE
    assert "pinned" not in (await ask(app, "POST", "/pin", json={"ref": None}))["data"]
    assert (await ask(app, "POST", "/sync?force=1"))["data"]["commit"] == TWO


@pytest.mark.parametrize("body", [{}, {"ref": 7}, {"ref": "../../etc"}, {"ref": ""}, {"ref": "x", "y": 1}, [], "x"])
async def test_a_pin_to_nonsense(app: Quart, lab: Lab, body: Any) -> None:
    assert (await ask(app, "POST", "/pin", 400, json=body))["code"] == "VALIDATION_ERROR"
    assert not lab.root.exists()


async def test_failures(app: Quart, lab: Lab) -> None:
    assert (await ask(app, "POST", "/sync?force=perhaps", 400))["code"] == "VALIDATION_ERROR"
    lab.source.change_index(version=9)
    assert "version 9" in (await ask(app, "POST", "/sync", 502))["error"]


async def test_damage_is_a_warning(app: Quart, lab: Lab) -> None:
    await ask(app, "POST", "/sync")
    (lab.root / "registry.lock").write_bytes(b"{")
    answer = await ask(app, "GET")
    assert "registry.lock" in answer["warnings"][0]
    assert answer["data"]["commit"] == ONE
    found = await findings(lab.context)
    assert [finding.good for finding in found] == [False, True]


async def test_findings(app: Quart, lab: Lab) -> None:
    assert [finding.message for finding in await findings(lab.context)] == [
        "nothing was synced yet: jackfield registry sync"
    ]
    await lab.service.sync()
    assert "complete" in (await findings(lab.context))[0].message
    for path in (lab.root / "current").rglob("*.*"):
        path.write_bytes(b"x")
    (damaged, verified) = await findings(lab.context)
    assert (damaged.good, verified.good) == (False, False)
    assert "registry sync --force" in verified.message


async def test_syncs_are_counted(app: Quart, lab: Lab) -> None:
    await lab.service.sync()
    found = {metric.labels["result"]: metric.value for metric in metrics(lab.context)}
    assert found == {"updated": 1, "unchanged": 0, "failed": 0}
