"""Public workflows that need no network, credential, file, person, clock or chance. They stay outside of this
repository.

JACKFIELD_TEST_CORPUS names their directory; without it there are no cases.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..cases import TRIGGER, Document, Family, WorkflowCase

BESIDE = Path(__file__).parents[4] / "shared" / "corpus"
TRIGGERS = frozenset(
    {"manualTrigger", "executeWorkflowTrigger", "scheduleTrigger", "webhook", "formTrigger", "cron", "interval"}
)
CLOCK_OR_CHANCE = re.compile(r"new Date\(\)|Date\.now|\$now|\$today|DateTime\.(now|local|utc)|Math\.random")
ITEMS: tuple[Document, ...] = ({"json": {"body": {"name": "a", "n": 1}, "query": {"name": "b"}, "headers": {}}},)


def workflows() -> Iterator[tuple[str, bool, Document]]:
    """Each with its name and whether it runs without anything of the kind."""
    place = Path(os.environ.get("JACKFIELD_TEST_CORPUS") or BESIDE)
    index = place / "index.json"
    for one in json.loads(index.read_text())["files"] if index.is_file() else ():
        document = json.loads((place / "workflows" / one["file"]).read_text())
        yield f"{one['file']} {one['name']}", one["offline_core"], document


def _corpus() -> Iterator[WorkflowCase]:
    for name, offline, document in workflows():
        if offline and not CLOCK_OR_CHANCE.search(json.dumps(document["nodes"])):
            yield WorkflowCase(name, _started_here(document), ITEMS)


def _started_here(document: Document) -> Document:
    """The workflow behind a trigger that takes items; there is no request that could be answered."""
    nodes = [_stand_in(node) for node in document["nodes"]]
    return {
        "name": "compared",
        "nodes": nodes,
        "connections": document["connections"],
        "settings": document.get("settings") or {},
    }


def _stand_in(node: Document) -> Document:
    kind = node["type"].removeprefix("n8n-nodes-base.")
    if kind in TRIGGERS:
        return {**node, "type": TRIGGER["type"], "typeVersion": 1, "parameters": {}}
    return {**node, "type": "n8n-nodes-base.noOp", "parameters": {}} if kind == "respondToWebhook" else node


FAMILIES = (Family("Public workflows", _corpus),)
