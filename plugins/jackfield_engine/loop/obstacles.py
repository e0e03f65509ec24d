"""Whether an execution starts: n8n looks at every node that it could reach before the first one runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

from jackfield.api.nodes import NodeCatalog, obstacles_of
from jackfield.api.records import record
from jackfield_engine.loop.graph import Graph

MOST = 4
"""Parameters that a message names."""
Beginning: TypeAlias = tuple[str, str, bool]
"""The node where an execution starts, the one where it ends (empty: none), and whether pinned data stand for nodes."""


@record
class Obstacle:
    """Why an execution does not start. node: the first one that it is due to."""

    node: str
    message: str


class Obstacles(dict[Beginning, Obstacle | None]):
    """By the beginning of an execution; found when an execution begins so first."""

    def __init__(self, graph: Graph, catalog: NodeCatalog) -> None:
        super().__init__()
        self._graph = graph
        self._catalog = catalog

    def __missing__(self, beginning: Beginning) -> Obstacle | None:
        found = self[beginning] = self._look(*beginning)
        return found

    def _look(self, start: str, until: str, pin: bool) -> Obstacle | None:
        names = self._leading(until) if until in self._graph.steps else self._reached(start)
        told = [
            (name, f"Node '{name}', parameter {path}: {message}")
            for name in self._graph.steps
            if name in names and not (pin and name in self._graph.pinned)
            for path, message in self._of(name)
        ]
        if not told:
            return None
        more = f" {len(told) - MOST} more parameters are like this." if len(told) > MOST else ""
        texts = " ".join(text for _, text in told[:MOST])
        return Obstacle(told[0][0], f"The execution did not start. {texts}{more}")

    def _of(self, name: str) -> Iterator[tuple[str, str]]:
        node = self._graph.steps[name].node
        yield from () if node.disabled else obstacles_of(node, self._catalog).items()

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
