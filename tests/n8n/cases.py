"""What is compared: families of cases, each of them one node, or a whole workflow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Document: TypeAlias = dict[str, Any]
"""JSON of a workflow, a node or an item: its keys are n8n's."""
START = "Start"
ZONE = "America/New_York"
TRIGGER: Document = {
    "id": "start",
    "name": START,
    "type": "n8n-nodes-base.executeWorkflowTrigger",
    "typeVersion": 1,
    "position": [0, 0],
    "parameters": {},
}


@dataclass(frozen=True)
class NodeCase:
    """One node behind a trigger that gives `items`. Cases with the same items share a workflow.

    name: unique in its family; node: `type`, `typeVersion`, `parameters` and other keys, without name and position;
    texts: whether error texts in items are compared; without it, that there is one is; fields: those of an item's
    `json` that are compared, by default all with its files; with them an item with an error is a failure of the node.
    """

    name: str
    node: Document
    items: Sequence[Document] = ({"json": {}},)
    texts: bool = False
    fields: Sequence[str] | None = None

    def document(self) -> Document:
        """The workflow of this case alone."""
        return packed([self])


@dataclass(frozen=True)
class WorkflowCase:
    """A whole workflow. nodes: those whose run data are compared; empty: all of them. texts, fields: see
    `NodeCase`."""

    name: str
    workflow: Document
    items: Sequence[Document] = ({"json": {}},)
    nodes: Sequence[str] = ()
    texts: bool = False
    fields: Sequence[str] | None = None

    def document(self) -> Document:
        return self.workflow


Case: TypeAlias = NodeCase | WorkflowCase


@dataclass(frozen=True)
class Family:
    """Cases of one kind. The name stands in `differences` and in the table of the documentation."""

    name: str
    cases: Callable[[], Iterable[Case]]


def both_ways(
    kind: str,
    versions: Iterable[float],
    parameters: Mapping[str, Document],
    items: Sequence[Document],
    *,
    texts: bool = False,
) -> Iterator[NodeCase]:
    """Each version with each of the parameters: all items with an error per item, and the first one with an output for
    errors."""
    for version in versions:
        for name, given in parameters.items():
            node = {"type": f"n8n-nodes-base.{kind}", "typeVersion": version, "parameters": given}
            label = f"{kind} v{version:g} {name}"
            yield NodeCase(label, {**node, "onError": "continueRegularOutput"}, items, texts)
            yield NodeCase(f"{label}, one item", {**node, "onError": "continueErrorOutput"}, items[:1], texts)


def place_of(index: int) -> str:
    """The name of a packed case's node."""
    return f"case{index}"


def packed(cases: Sequence[NodeCase]) -> Document:
    """One workflow of many nodes, all of them directly behind the trigger."""
    nodes = [
        {
            "typeVersion": 1,
            "parameters": {},
            **case.node,
            "id": place_of(index),
            "name": place_of(index),
            "position": [200, 100 * index],
        }
        for index, case in enumerate(cases)
    ]
    links = [{"node": node["name"], "type": "main", "index": 0} for node in nodes]
    return workflow([TRIGGER, *nodes], {START: {"main": [links]}})


def workflow(nodes: Sequence[Document], connections: Mapping[str, Any], **settings: object) -> Document:
    return {
        "name": "compared",
        "nodes": list(nodes),
        "connections": dict(connections),
        "settings": {"executionOrder": "v1", "timezone": ZONE, **settings},
    }


def batches(cases: Iterable[NodeCase], most: int) -> list[list[NodeCase]]:
    """The cases by their items, at most so many together."""
    groups: dict[str, list[list[NodeCase]]] = {}
    for case in cases:
        lists = groups.setdefault(repr(case.items), [[]])
        if len(lists[-1]) == most:
            lists.append([])
        lists[-1].append(case)
    return [batch for lists in groups.values() for batch in lists]
