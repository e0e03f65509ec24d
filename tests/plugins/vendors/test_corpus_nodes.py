"""Every use of the office services in real workflows, where there are some beside the checkout, validates."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.workflows import Node
from jackfield.testing.context import FakeContext, made
from jackfield_vendors.catalogue import Catalogue

KINDS = [
    "box",
    "dropbox",
    "gmail",
    "googleAnalytics",
    "googleCalendar",
    "googleContacts",
    "googleDocs",
    "googleDrive",
    "googleSheets",
    "googleSlides",
    "googleTasks",
    "microsoftExcel",
    "microsoftOneDrive",
    "microsoftOutlook",
    "microsoftTeams",
    "youTube",
]
# Operations that the service's node has not, written by a machine.
WRONG = {("googleSheets", "appendPage"), ("googleDrive", "search")}


def corpus() -> list[Path]:
    beside = Path(__file__).parents[4] / "shared" / "corpus"
    return sorted((Path(os.environ.get("JACKFIELD_TEST_CORPUS", beside)) / "workflows").glob("*.json"))


def nodes() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path in corpus():
        document = json.loads(path.read_text())
        for raw in document.get("workflow", document).get("nodes", []):
            yield path.name, raw.get("type", "").removeprefix("n8n-nodes-base.").removesuffix("Tool"), raw


@pytest.mark.skipif(not corpus(), reason="no corpus: set JACKFIELD_TEST_CORPUS")
def test_every_use_validates(tmp_path: Path) -> None:
    from jackfield_workflows.documents.validation import parameter_mistakes

    types = {node.kind: node for node in made(Catalogue(FakeContext(tmp_path)).nodes()) if node.kind in KINDS}
    assert sorted(types) == KINDS
    mistakes, seen = [], Counter[str]()
    for file, kind, raw in nodes():
        if kind not in types:
            continue
        parameters, version = raw.get("parameters", {}), raw.get("typeVersion")
        assert version is None or version <= max(types[kind].versions), (file, kind, version)
        node = Node(raw.get("id", ""), raw["name"], raw["type"], kind, version, parameters)
        wrong = parameter_mistakes(node, types[kind])
        if (kind, parameters.get("operation")) in WRONG and not parameters.get("resource"):
            assert list(wrong) == [".operation"]
            continue
        seen[kind] += 1
        if wrong:
            mistakes.append((file, kind, version, dict(wrong)))
    assert mistakes == []
    assert seen["googleSheets"] > 0
