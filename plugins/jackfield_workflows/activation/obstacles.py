"""Nodes that lack what they need before an execution starts."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from jackfield.api.nodes import NodeCatalog, obstacles_of
from jackfield.api.triggers import node_path
from jackfield.api.workflows import Problem, Workflow


def obstacle_problems(workflow: Workflow, catalog: NodeCatalog, reached: Collection[str]) -> Iterator[Problem]:
    """reached: names of nodes that a live workflow runs: no execution starts that could reach such a node. With the
    others it is only a warning."""
    parts = workflow.parts()
    for node in workflow.nodes.values():
        if node.disabled or node.name in parts:
            continue
        for path, message in obstacles_of(node, catalog).items():
            place = f"{node_path(workflow, node)}.parameters.{path}"
            told = f"The node {node.name} keeps the workflow from starting. {message}"
            yield Problem(place, told, "activation" if node.name in reached else "warning")
