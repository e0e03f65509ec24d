"""The problems of a workflow beyond its structure: `POST /workflows/validate`."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from jackfield.api.containment import is_ctrl_c
from jackfield.api.expressions import Expressions
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog, NodeType, community_remedy
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_workflows.documents.attached_checks import attached_problems
from jackfield_workflows.documents.expression_checks import is_expression, unclosed
from jackfield_workflows.documents.mistakes import MAX_MISTAKES, Mistakes, member
from jackfield_workflows.documents.settings_checks import setting_problems
from jackfield_workflows.documents.wires import links

_log = logging.getLogger(__name__)


def problems(workflow: Workflow, catalog: NodeCatalog, expressions: Expressions) -> list[Problem]:
    """The first hundred of each sort, in document order: nodes, then wires, then the rest."""
    found: list[Problem] = []
    checks = (
        _node_problems(workflow, catalog, expressions),
        _wire_problems(workflow),
        attached_problems(workflow, catalog),
        _name_problems(workflow),
        setting_problems(workflow.settings.raw),
        _pin_problems(workflow.document.get("pinData")),
    )
    for check in checks:
        found.extend(problem for problem, _ in zip(check, range(MAX_MISTAKES), strict=False))
    return found


def _name_problems(workflow: Workflow) -> Iterator[Problem]:
    if not workflow.name.strip():
        yield Problem("name", "The workflow has no name; give it one before it is saved.", "warning")


def _pin_problems(pinned: Json) -> Iterator[Problem]:
    for name, items in pinned.items() if isinstance(pinned, dict) else ():
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            yield Problem(
                member("pinData", name), "Pinned data must be a list of items; the rest is ignored.", "warning"
            )


def _node_problems(workflow: Workflow, catalog: NodeCatalog, expressions: Expressions) -> Iterator[Problem]:
    seen: set[str] = set()
    listed = workflow.document.get("nodes")
    for index, raw in enumerate(listed if isinstance(listed, list) else []):
        name = raw.get("name") if isinstance(raw, dict) else None
        path = f"nodes[{index}]"
        if not isinstance(name, str) or name not in workflow.nodes:
            continue
        if name in seen:
            yield Problem(f"{path}.name", f"Another node has the name {name} already; give each node its own name.")
            continue
        seen.add(name)
        yield from _type_problems(workflow.nodes[name], path, catalog, expressions)


def _type_problems(node: Node, path: str, catalog: NodeCatalog, expressions: Expressions) -> Iterator[Problem]:
    node_type = catalog.find(node.kind)
    if node_type is None:
        message = f"The node type {node.type} is not installed; the node cannot run. {community_remedy(node.type)}"
        message = message.rstrip()
        yield Problem(f"{path}.type", message, "warning")
        return
    if missing := node_type.description.missing:
        message = f"The node type {node.type} cannot run here: {missing} {community_remedy(node.type)}".rstrip()
        yield Problem(f"{path}.type", message, "warning")
    newest = max(node_type.versions, default=None)
    if node.version is not None and newest is not None and node.version > newest:
        message = f"Version {node.version:g} of {node.type} is newer than the newest known one, {newest:g}."
        yield Problem(f"{path}.typeVersion", message, "warning")
    for place, message in parameter_mistakes(node, node_type).items():
        yield Problem(f"{path}.parameters{place}", message)
    for place, message in _doubts(node, node_type).items():
        yield Problem(f"{path}.parameters.{place}", message, "warning")
    for place in unclosed(node.parameters, expressions):
        yield Problem(
            f"{path}.parameters{place}", "An expression begins with {{ and is never closed with }}.", "warning"
        )


def parameter_mistakes(node: Node, node_type: NodeType) -> Mapping[str, str]:
    """Path below `parameters` -> what is wrong. An expression may become anything, so that it is never wrong here."""
    try:
        model = node_type.parameters(node.version)
        model.model_validate(dict(model.completed(node.parameters)))
    except ValidationError as exc:
        return _details(exc)
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise
        _log.exception("The parameters of a node of type %s could not be checked.", node.type)
    return {}


def _doubts(node: Node, node_type: NodeType) -> Mapping[str, str]:
    try:
        return node_type.parameters(node.version).doubts(node.parameters)
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise
        _log.exception("The parameters of a node of type %s could not be looked at.", node.type)
        return {}


def _details(error: ValidationError) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in error.errors(include_url=False, include_context=False):
        if not is_expression(entry["input"]):
            place = ""
            for part in entry["loc"]:
                place += f"[{part}]" if isinstance(part, int) else member(".", part)[1:]
            found.setdefault(place, entry["msg"])
    return found


def _wire_problems(workflow: Workflow) -> Iterator[Problem]:
    connections: Json = workflow.document.get("connections")
    reported: set[str] = set()
    for link in links(connections if isinstance(connections, dict) else {}, Mistakes()):
        if link.source not in workflow.nodes:
            if link.source not in reported:
                reported.add(link.source)
                message = f"There is no node {link.source} that these wires could start from."
                yield Problem(member("connections", link.source), message)
        elif link.target not in workflow.nodes:
            yield Problem(f"{link.path}.node", f"There is no node {link.target} that this wire could lead to.")
        elif link.input is None:
            yield Problem(f"{link.path}.index", "The input index of a wire must be a whole number from 0 to 255.")
