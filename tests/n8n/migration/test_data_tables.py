"""The Data table node beside a real n8n: the same rows, the same nodes behind the same webhook, the same runs."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll

from .real_n8n import RealN8n
from .table_cases import TABLE, Case, reading, workflow, writing
from .tables import Tables

INSTALLED = os.environ.get("JACKFIELD_TEST_N8N_REAL", "")
pytestmark = pytest.mark.skipif(not INSTALLED, reason="JACKFIELD_TEST_N8N_REAL names no n8n")
FIRST = {"filters": [{"columnName": "id", "condition": "eq", "value": 1}]}
GIVEN = [{"name": "Ada", "age": 36}, {"name": "bob_%", "age": 2, "open": True}]
LISTED = tomllib.loads((Path(__file__).parent / "table_differences.toml").read_text())["difference"]
_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")


class Side(Tables):
    """One of the two. base: scheme, host and port."""

    def __init__(self, base: str, key: str) -> None:
        super().__init__(base, key)
        self.base = base

    def runs(self, name: str, ident: str) -> Mapping[str, Any]:
        """Node -> its first run, of the webhook's call. ident: of the workflow."""
        hook = f"{self.base}/webhook/{name}"

        def called() -> bool:
            return httpx.post(hook, json={"items": GIVEN}, trust_env=False, timeout=120).status_code != 404

        poll(called, "the webhook answers", timeout=30)
        row = poll(lambda: self._latest(ident), "the execution is over", timeout=60)
        whole = self.api.get(f"/executions/{row['id']}", params={"includeData": "true"}).json()
        return {name: runs[0] for name, runs in whole["data"]["resultData"]["runData"].items()}

    def _latest(self, ident: str) -> Mapping[str, Any] | None:
        rows = self.api.get("/executions", params={"workflowId": ident, "limit": 1}).json()["data"]
        return rows[0] if rows and rows[0]["stoppedAt"] else None


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Side]:
    n8n = RealN8n(Path(INSTALLED), tmp_path_factory.mktemp("n8n"))
    n8n.start()
    try:
        yield Side(n8n.base, n8n.api_key())
    finally:
        n8n.stop()


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Side]:
    daemon = Daemon(tmp_path_factory.mktemp("jackfield"), env={"TZ": "UTC"})
    try:
        key = daemon.start().admin().post("/api-keys", json={"name": "tables"}).json()["key"]
        yield Side(daemon.base_url, key)
    finally:
        daemon.close()


@pytest.mark.parametrize("version", [1, 1.1])
@pytest.mark.parametrize("cases", [reading, writing], ids=["reading", "writing"])
def test_nodes_run_as_in_n8n(ours: Side, theirs: Side, cases: Any, version: float) -> None:
    name = f"{cases.__name__}-{str(version).replace('.', '-')}"
    document = workflow(name, cases(), version)
    found = []
    for side in (ours, theirs):
        side.empty()
        side.fill()
        body = {key: document[key] for key in ("name", "nodes", "connections", "settings")}
        made = side.api.post("/workflows", json=body)
        assert made.status_code in (200, 201), made.text
        answer = side.api.post(f"/workflows/{made.json()['id']}/activate", json={})
        assert answer.status_code == 200, answer.text
        found.append(side.runs(name, made.json()["id"]))
    different = {case[0]: shown for case in cases() if (shown := _different(case, *found))}
    unlisted = {case: shown for case, shown in different.items() if not _listed(case)}
    told = "\n".join(f"{case}\n   n8n       {shown[1]}\n   Jackfield {shown[0]}" for case, shown in unlisted.items())
    assert not unlisted, f"{len(unlisted)} of {len(cases())} differ:\n{told}"
    stale = [case[0] for case in cases() if _listed(case[0]) and case[0] not in different]
    assert not stale, f"listed, and nothing differs: {stale}"


@pytest.mark.parametrize(
    ("method", "below", "given"),
    [
        ("GET", "/rows", {"params": {"limit": 2, "sortBy": "age:desc"}}),
        ("GET", "/rows", {"params": {"search": "ADA"}}),
        ("GET", "/rows", {"params": {"filter": '{"filters":[{"columnName":"age","condition":"gt","value":5}]}'}}),
        ("GET", "/rows", {"params": {"filter": "{"}}),
        ("GET", "/rows", {"params": {"sortBy": "age"}}),
        ("GET", "/rows", {"params": {"filter": '{"filters":[{"columnName":"nope","value":5}]}'}}),
        ("POST", "/rows", {"json": {"data": [{"age": "x"}]}}),
        ("POST", "/rows", {"json": {"data": [{"nope": 1}]}}),
        ("POST", "/rows", {"json": {"data": [{"name": "a"}], "returnType": "id"}}),
        ("POST", "/rows", {"json": {"data": [{"name": "a"}]}}),
        ("PATCH", "/rows/update", {"json": {"filter": FIRST, "data": {}}}),
        ("PATCH", "/rows/update", {"json": {"filter": FIRST,
                                            "data": {"age": 1}, "returnData": True}}),
        ("DELETE", "/rows/delete", {}),
        ("DELETE", "/rows/delete", {"params": {"filter": '{"filters":[]}'}}),
        ("POST", "/columns", {"json": {"name": "1", "type": "string"}}),
        ("POST", "/columns", {"json": {"name": "age", "type": "string"}}),
        ("POST", "/columns", {"json": {"name": "createdAt", "type": "string"}}),
        ("PATCH", "", {"json": {"name": ""}}),
        ("PATCH", "", {"json": {"name": TABLE}}),
        ("DELETE", "/rows/clear", {}),
    ],
)  # fmt: skip
def test_the_public_api_answers_as_n8ns(
    ours: Side, theirs: Side, method: str, below: str, given: dict[str, Any]
) -> None:
    answers = []
    for side in (ours, theirs):
        side.empty()
        side.fill()
        table = side.api.get("/data-tables").json()["data"][0]["id"]
        answer = side.api.request(method, f"/data-tables/{table}{below}", **given)
        body = answer.json() if answer.is_success and answer.content else None
        answers.append((answer.status_code, _plain(body)))
    assert answers[0] == answers[1]


def _listed(case: str) -> bool:
    return any(case in entry["cases"] for entry in LISTED)


def _different(case: Case, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> tuple[str, str] | None:
    one, other = (json.dumps(_shown(found.get(case[0])), sort_keys=True) for found in (ours, theirs))
    return None if one == other else (one[:1500], other[:1500])


def _shown(run: Any) -> Any:
    """What counts of a run: its items without ids of tables and the present time."""
    if run is None:
        return "did not run"
    outputs = (run.get("data") or {}).get("main") or []
    made = [[_item(item) for item in output or ()] for output in outputs]
    while made and not made[-1]:
        made.pop()
    return {"outputs": made, "failed": bool(run.get("error"))}


def _item(item: Mapping[str, Any]) -> Any:
    return {"json": _plain(item["json"]), "pairedItem": item.get("pairedItem")}


def _plain(value: Any, key: str = "") -> Any:
    if key == "nextCursor":
        return value is not None  # the text is everybody's own
    if isinstance(value, dict):
        return {name: _plain(one, name) for name, one in value.items() if name not in ("project", "projectId")}
    if isinstance(value, list):
        return sorted((_plain(one) for one in value), key=str) if key == "columns" else [_plain(one) for one in value]
    if key in ("createdAt", "updatedAt") and isinstance(value, str) and _TIME.match(value):
        return "(a time)"
    if key in ("id", "dataTableId") and isinstance(value, str):
        return "(an id)"
    return value
