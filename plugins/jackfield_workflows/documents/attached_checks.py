"""The problems of the nodes that serve others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jackfield.api.ai import TITLES, TOOL
from jackfield.api.nodes import NodeCatalog
from jackfield.api.workflows import AttachedWire, Node, Problem, Workflow
from jackfield_workflows.documents.mistakes import member


def attached_problems(workflow: Workflow, catalog: NodeCatalog) -> Iterator[Problem]:
    """All are warnings: the workflow runs up to the node that lacks something."""
    paths = _paths(workflow)
    for node in workflow.nodes.values():
        yield from _missing(workflow, node, paths.get(node.name, "nodes"), catalog)
    for target, parts in workflow.attached.items():
        for part in parts:
            message = _unfit(workflow, workflow.nodes[target], part, catalog)
            if message:
                yield Problem(member(member("connections", part.node), part.kind), message, "warning")


def _paths(workflow: Workflow) -> Mapping[str, str]:
    listed = workflow.document.get("nodes")
    rows = listed if isinstance(listed, list) else []
    named = [(row.get("name"), f"nodes[{index}]") for index, row in enumerate(rows) if isinstance(row, dict)]
    return {name: path for name, path in reversed(named) if isinstance(name, str)}


def _missing(workflow: Workflow, node: Node, path: str, catalog: NodeCatalog) -> Iterator[Problem]:
    found = catalog.find(node.kind)
    if found is None or node.disabled:
        return
    served = {part.kind for part in workflow.attached.get(node.name, ()) if not workflow.nodes[part.node].disabled}
    for kind in found.description.needs:
        if kind not in served:
            yield Problem(path, f"The node needs {TITLES.get(kind, kind)} ({kind}); connect one to it.", "warning")


def _unfit(workflow: Workflow, served: Node, part: AttachedWire, catalog: NodeCatalog) -> str | None:
    takes, gives = catalog.find(served.kind), catalog.find(workflow.nodes[part.node].kind)
    if takes is not None and part.kind not in takes.description.accepts:
        return f"The node {served.name} takes nothing of the kind {part.kind}; the wire to it does nothing."
    if gives is not None and part.kind not in (TOOL, gives.description.provides):
        return f"The node {part.node} gives nothing of the kind {part.kind}; use another one."
    return None
