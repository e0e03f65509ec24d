"""Workflow documents, built from small parts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from jackfield.api.jsontext import Json

Part = dict[str, Json]


def node(name: str, kind: str, parameters: Mapping[str, Json] | None = None, *, version: float | None = None) -> Part:
    """One node. Without a version the specification's defaults hold, with it n8n's."""
    made: Part = {
        "id": name.lower().replace(" ", "-"),
        "name": name,
        "type": f"jackfield.{kind}",
        "position": [0, 0],
        "parameters": dict(parameters or {}),
    }
    return made if version is None else {**made, "typeVersion": version}


def webhook(path: str, **parameters: Json) -> Part:
    """A Webhook node: POST, answered at once, unless the parameters say otherwise."""
    return node("Webhook", "webhook", {"path": path, **parameters})


def set_fields(name: str, **fields: Json) -> Part:
    """A Set node that sets these fields; expressions are strings that begin with `=`."""
    kinds = {bool: "boolean", int: "number", float: "number"}
    rows: list[Json] = [
        {"id": field, "name": field, "value": value, "type": kinds.get(type(value), "string")}
        for field, value in fields.items()
    ]
    return node(name, "set", {"assignments": {"assignments": rows}, "options": {}}, version=3.4)


def if_equal(name: str, left: str, right: str) -> Part:
    """An IF node: output 0 where the texts are equal, else 1."""
    options: Json = {"caseSensitive": True, "leftValue": "", "typeValidation": "strict", "version": 2}
    operator: Json = {"type": "string", "operation": "equals"}
    row: Json = {"id": name, "leftValue": left, "rightValue": right, "operator": operator}
    conditions: Json = {"options": options, "conditions": [row], "combinator": "and"}
    return node(name, "if", {"conditions": conditions, "options": {}}, version=2.2)


def wires(*edges: tuple[str, str] | tuple[str, str, int]) -> Part:
    """("A", "B") leads A's output 0 to B, ("A", "B", 1) its output 1."""
    outputs: dict[str, dict[int, list[Json]]] = {}
    for source, target, *index in edges:
        lists = outputs.setdefault(source, {})
        lists.setdefault(index[0] if index else 0, []).append({"node": target, "type": "main", "index": 0})
    return {
        name: {"main": [lists.get(index, []) for index in range(max(lists) + 1)]} for name, lists in outputs.items()
    }


def chain(name: str, *nodes: Part) -> Part:
    """A workflow whose nodes follow one another."""
    return workflow(name, nodes, wires(*((str(left["name"]), str(right["name"])) for left, right in pairwise(nodes))))


def workflow(name: str, nodes: tuple[Part, ...] | list[Part], connections: Part) -> Part:
    return {"name": name, "nodes": [*nodes], "connections": connections, "settings": {}}
