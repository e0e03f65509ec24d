"""Whether an execution starts: n8n looks at every node that it could reach before the first one runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from jackfield.api.nodes import NodeCatalog, obstacles_of
from jackfield.api.records import record
from jackfield.api.workflows import AttachedWire
from jackfield_engine.loop.graph import Graph

MOST = 4
"""Obstacles that a message names."""
Beginning: TypeAlias = tuple[str, str, bool]
"""The node where an execution starts, the one where it ends (empty: none), and whether pinned data stand for nodes."""


@record
class Obstacle:
    """Why an execution does not start. node: the first one that it is due to."""

    node: str
    message: str


class Obstacles(dict[Beginning, Obstacle | None]):
    """By the beginning of an execution; found when an execution begins so first."""

    def __init__(self, graph: Graph, attached: Mapping[str, Sequence[AttachedWire]], catalog: NodeCatalog) -> None:
        """attached: the nodes that serve one, by its name; of them only the types are looked at, as in n8n."""
        super().__init__()
        self._graph = graph
        self._attached = attached
        self._catalog = catalog

    def __missing__(self, beginning: Beginning) -> Obstacle | None:
        found = self[beginning] = self._look(*beginning)
        return found

    def _look(self, start: str, until: str, pin: bool) -> Obstacle | None:
        names = self._leading(until) if until in self._graph.steps else self._reached(start)
        run = {name for name in names if not (pin and name in self._graph.pinned) and not self._disabled(name)}
        parts = self._parts(run)
        told = [
            (name, f"Node '{name}'{_place(path)}: {message}")
            for name in self._graph.steps
            if name in run or name in parts
            for path, message in obstacles_of(self._graph.steps[name].node, self._catalog).items()
            if name in run or path == "type"
        ]
        if not told:
            return None
        more = f" {len(told) - MOST} more obstacles are like this." if len(told) > MOST else ""
        texts = " ".join(text for _, text in told[:MOST])
        return Obstacle(told[0][0], f"The execution did not start. {texts}{more}")

    def _disabled(self, name: str) -> bool:
        return name not in self._graph.steps or self._graph.steps[name].node.disabled

    def _parts(self, names: Collection[str]) -> Collection[str]:
        """The parts that serve these nodes, and those that serve the parts."""
        found: set[str] = set()
        open_names = list(names)
        while open_names:
            served = self._attached.get(open_names.pop(), ())
            further = {part.node for part in served if not self._disabled(part.node)} - found
            found |= further
            open_names += further
        return found

    def _leading(self, until: str) -> Collection[str]:
        return {*self._graph.ancestors.of(until), until}

    def _reached(self, start: str) -> Collection[str]:
        found: dict[str, None] = {start: None}
        open_names = [start]
        while open_names:
            further = [link.node for link in self._graph.steps[open_names.pop()].links if link.node not in found]
            found |= dict.fromkeys(further)
            open_names += further
        return found


def _place(path: str) -> str:
    return f", parameter {path.removeprefix('parameters.')}" if path.startswith("parameters.") else ""
