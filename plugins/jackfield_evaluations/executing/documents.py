"""Workflows that an evaluation makes for itself: of one node behind a trigger."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.jsontext import Json
from jackfield.api.workflows import Document, Items

ROW = "Row"
"""The name of their trigger, whose item is what they work on."""


def document_of(name: str, *nodes: dict[str, Json], parts: Mapping[str, str] | None = None) -> Document:
    """The trigger leads to the first node. parts: name of a node that serves the first one -> kind of the wire."""
    trigger: dict[str, Json] = {"name": ROW, "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1}
    placed: list[Json] = []
    for index, node in enumerate((trigger, *nodes)):
        placed.append({"id": str(index), "parameters": {}, "position": [index * 220, 0], **node})
    first = str(nodes[0]["name"])
    wires: dict[str, Json] = {ROW: {"main": [[{"node": first, "type": "main", "index": 0}]]}}
    for part, kind in (parts or {}).items():
        wires[part] = {kind: [[{"node": first, "type": kind, "index": 0}]]}
    return {"name": name, "nodes": placed, "connections": wires, "settings": {"executionOrder": "v1"}}


def agent_document(name: str, parameters: Mapping[str, Json]) -> Document:
    """One run of a profile's agent for the item."""
    node: dict[str, Json] = {"name": "Agent", "type": "jackfield.agent", "typeVersion": 1}
    return document_of(name, {**node, "parameters": dict(parameters)})


def pinned(items: Items) -> Document:
    """A node whose parameters see these items."""
    node: dict[str, Json] = {"name": "Score", "type": "n8n-nodes-base.noOp", "typeVersion": 1}
    document = document_of("Evaluation", node)
    document["pinData"] = {ROW: items}  # type: ignore[dict-item]  # items are JSON
    return document
