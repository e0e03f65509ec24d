"""Real workflows beside the checkout: how many load, validate and run. Loading has to be complete, and every node has
to be able to run in no fewer workflows than before; the rest is reported. JACKFIELD_TEST_CORPUS names the directory;
`tox -e corpus` sets it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.api.context import WorkflowReader
from jackfield.api.errors import JackfieldError
from jackfield.api.nodes import NodeCatalog
from jackfield.api.workflows import Node
from jackfield.core.building import build
from jackfield.testing.daemon import Daemon

PLACE = Path(os.environ.get("JACKFIELD_TEST_CORPUS", "")) / "index.json"
RUN_SECONDS = 30
SHOWN = 15
MASK = "***"
RUNS_FLOOR = 0.92
"""The share of workflows of which every node can run; whoever makes more of them run raises it."""
WHOLE_FLOOR = 0.88
"""... and of which no parameter is doubtful either."""
pytestmark = pytest.mark.skipif(not PLACE.is_file(), reason="JACKFIELD_TEST_CORPUS names no corpus")


@dataclass
class Report:
    """What was found; printed at the end of the module."""

    lines: list[str] = field(default_factory=list)

    def share(self, what: str, count: int, total: int) -> None:
        self.lines.append(f"{what:<28} {count:>4} of {total} ({100 * count / total:.1f} %)")


@pytest.fixture(scope="module")
def report() -> Iterator[Report]:
    found = Report()
    yield found
    print("\n\nCorpus of real workflows", *found.lines, sep="\n  ")


@pytest.fixture(scope="module")
def entries() -> list[dict[str, Any]]:
    return list(json.loads(PLACE.read_text())["files"])


@pytest.fixture(scope="module")
def documents(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """File name -> document."""
    files = [entry["file"] for entry in entries]
    return {file: json.loads((PLACE.parent / "workflows" / file).read_text()) for file in files}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("corpus")).start()
    yield found
    found.close()


def test_every_workflow_loads_and_how_many_validate(documents: dict[str, Any], report: Report, tmp_path: Path) -> None:
    context = build(tmp_path, {}, {}).context("corpus")
    reader = context.port(WorkflowReader)
    broken: dict[str, str] = {}
    valid, known, able, messages, blockers = 0, 0, 0, Counter[str](), Counter[tuple[str, str]]()
    for file, document in documents.items():
        try:
            workflow = reader.parse(document)
            problems = reader.problems(workflow)
        except JackfieldError as exc:
            broken[file] = f"{exc.message} {exc.details}"
            continue
        valid += not any(problem.severity == "error" for problem in problems)
        idle = {f"nodes[{index}]." for index, node in enumerate(document["nodes"]) if node.get("disabled")}
        told = [one for one in problems if one.path != "name" and not any(map(one.path.startswith, idle))]
        able += not told
        kinds = {
            (node.kind, reason)
            for node in workflow.nodes.values()
            if not node.disabled and (reason := why_not(node, context.port(NodeCatalog)))
        }
        known += not kinds
        blockers.update(kinds)
        messages.update({problem.message for problem in problems})
    total = len(documents)
    report.share("loads", total - len(broken), total)
    report.share("validates without an error", valid, total)
    report.share("every node can run", known, total)
    report.share("... and nothing is doubtful", able, total)
    report.lines += ["what keeps most from it (workflows):"]
    report.lines += [f"  {count:>4}  {kind}: {reason}" for (kind, reason), count in blockers.most_common(SHOWN)]
    report.lines += ["most common problems (workflows):"]
    report.lines += [f"  {count:>4}  {message}" for message, count in messages.most_common(SHOWN)]
    assert not broken
    assert known >= RUNS_FLOOR * total
    assert able >= WHOLE_FLOOR * total


def why_not(node: Node, catalog: NodeCatalog) -> str:
    """Why the node cannot run, whatever its parameters are beside the operation; empty: it can."""
    found = catalog.find(node.kind)
    if found is None:
        return "no plugin has it"
    return found.description.missing or found.parameters(node.version).doubts(node.parameters).get("operation", "")


def same(kept: object, given: object) -> bool:
    """Whether nothing is different but secrets, which come back as `***`."""
    if isinstance(kept, dict) and isinstance(given, dict):
        return kept.keys() == given.keys() and all(same(kept[key], given[key]) for key in kept)
    if isinstance(kept, list) and isinstance(given, list):
        return len(kept) == len(given) and all(map(same, kept, given))
    return kept == given or (kept == MASK and isinstance(given, str) and given != "")


def test_every_workflow_can_be_saved_and_read_back(documents: dict[str, Any], daemon: Daemon, report: Report) -> None:
    api = daemon.admin()
    refused: dict[str, str] = {}
    changed = []
    for file, document in documents.items():
        answer = api.post("/workflows", json={**document, "active": False})  # credentials are not there
        if answer.status_code != httpx.codes.CREATED:
            refused[file] = answer.text[:300]
            continue
        kept = api.get(f"/workflows/{answer.json()['id']}").json()
        if not all(same(kept.get(key), document.get(key)) for key in ("nodes", "connections")):
            changed.append(file)
    report.share("is saved", len(documents) - len(refused), len(documents))
    assert not refused
    assert not changed


def test_how_many_run_offline(
    entries: list[dict[str, Any]], documents: dict[str, Any], daemon: Daemon, report: Report
) -> None:
    api = daemon.admin(timeout=RUN_SECONDS)
    offline = [entry["file"] for entry in entries if entry["offline_core"]]
    ran = 0
    for file in offline:
        outcome = run(api, documents[file])
        ran += outcome == "success"
        report.lines.append(f"  {file} {documents[file].get('name', '')[:50]}: {outcome}")
    report.share("runs offline", ran, len(offline))
    assert offline
    assert httpx.get(f"{daemon.base_url}/health", trust_env=False).status_code == httpx.codes.OK


def run(api: httpx.Client, document: Any) -> str:
    """Run by hand; how it ended."""
    try:
        answer = api.post("/workflows/run", json={"workflow": document, "inputData": [{"json": {}}]})
    except httpx.TimeoutException:
        return f"no end within {RUN_SECONDS} s"
    if answer.status_code != httpx.codes.OK:
        return f"{answer.status_code} {answer.text[:200]}"
    body = answer.json()
    return "success" if body["status"] == "success" else f"{body['status']}: {body.get('error')}"
