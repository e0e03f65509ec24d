"""Nodes that lack what they need before an execution starts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from jackfield.api.nodes import NodeCatalog, obstacles_of
from jackfield.api.triggers import node_path
from jackfield.api.workflows import Problem, Workflow


def obstacle_problems(workflow: Workflow, catalog: NodeCatalog, reached: Collection[str]) -> Iterator[Problem]:
    """reached: names of nodes that a live workflow runs: no execution starts that could reach such a node. With the
    others it is only a warning."""
    parts = workflow.parts()
    for node in workflow.nodes.values():
        if node.disabled:
            continue
        for path, message in obstacles_of(node, catalog).items():
            if node.name in parts and path != "type":
                continue
            place = f"{node_path(workflow, node)}.{path}"
            told = f"The node {node.name} keeps the workflow from starting. {message}"
            yield Problem(place, told, "activation" if node.name in reached else "warning")


def joined(found: Sequence[Problem], more: Sequence[Problem]) -> list[Problem]:
    """Both, each place once per severity."""
    known = {(problem.path, problem.severity) for problem in found}
    return [*found, *(problem for problem in more if (problem.path, problem.severity) not in known)]
