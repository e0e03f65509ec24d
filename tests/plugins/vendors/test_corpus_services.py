"""Every use of the described services in real workflows, where there are some beside the checkout, validates."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.nodes import type_of
from jackfield.api.workflows import Node, local_type
from jackfield.testing.context import FakeContext, made
from jackfield_vendors.catalogue import Catalogue

BESIDE = Path(__file__).parents[4] / "shared" / "corpus"
FILES = sorted((Path(os.environ.get("JACKFIELD_TEST_CORPUS") or BESIDE) / "workflows").glob("*.json"))
# Operations that the service's node has not, written by a machine.
WRONG = {("googleSheets", "appendPage"), ("googleDrive", "search")}


@pytest.mark.skipif(not FILES, reason="no corpus: set JACKFIELD_TEST_CORPUS")
def test_every_use_validates(tmp_path: Path) -> None:
    from jackfield_workflows.documents.validation import parameter_mistakes

    types = {node.kind: node for node in made(Catalogue(FakeContext(tmp_path)).nodes())}
    mistakes, seen = [], Counter[str]()
    for file in FILES:
        document: dict[str, Any] = json.loads(file.read_text())
        for raw in document.get("nodes", []):
            kind, parameters = local_type(raw["type"]), raw.get("parameters", {})
            found = type_of(kind, types)
            if found is None or (found.kind, parameters.get("operation")) in WRONG:
                continue
            version = raw.get("typeVersion")
            assert version is None or version <= max(found.versions), (file.name, kind, version)
            seen[found.kind] += 1
            wrong = parameter_mistakes(Node("", raw["name"], raw["type"], kind, version, parameters), found)
            if wrong:
                mistakes.append((file.name, kind, version, dict(wrong)))
    assert mistakes == []
    assert seen["airtable"] > 0
    assert seen["@apify/n8n-nodes-apify.apify"] > 0
