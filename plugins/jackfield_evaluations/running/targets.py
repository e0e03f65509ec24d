"""The targets that the rows of an evaluation run through: a saved workflow, or a profile's agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import InvalidInput
from jackfield.api.history import NodeRecord
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog
from jackfield.api.workflows import Node, Workflow
from jackfield_evaluations.definition import EvaluationBody, ProfileTarget, WorkflowTarget
from jackfield_evaluations.executing.documents import ROW, agent_document
from jackfield_evaluations.nodes.kinds import EVALUATION, TRIGGER
from jackfield_evaluations.scoring.verdicts import is_number

_PREFERRED = (TRIGGER, "manualTrigger", "executeWorkflowTrigger")


async def target_workflow(context: PluginContext, definition: EvaluationBody, version: int | None) -> Workflow:
    """version: of the workflow, in place of the definition's. Raises `NotFound`, `InvalidInput`."""
    target, reader = definition.target, context.port(WorkflowReader)
    if isinstance(target, WorkflowTarget):
        return await reader.load(target.workflow_id, version or target.version)
    return await reader.parse_unsaved(profile_document(target))


def profile_document(target: ProfileTarget) -> dict[str, Json]:
    """A workflow that asks the profile's agent, with the row as its item."""
    parameters: dict[str, Json] = {
        "profile": target.profile,
        "prompt": target.prompt,
        "outputFormat": target.output_format,
    }
    if target.timeout is not None:
        parameters["timeout"] = target.timeout
    return agent_document(f"Evaluation of {target.profile}", parameters)


def start_of(context: PluginContext, definition: EvaluationBody, workflow: Workflow) -> str:
    """Name of the node that executions begin at. Raises `InvalidInput`."""
    target = definition.target
    if isinstance(target, ProfileTarget):
        return ROW
    if target.start:
        if target.start not in workflow.nodes:
            details = {"target.start": f"give one of: {', '.join(list(workflow.nodes)[:20])}"}
            raise InvalidInput(f"The workflow has no node {target.start[:100]} to start at.", details=details)
        return target.start
    catalog = context.port(NodeCatalog)
    enabled = [node for node in workflow.nodes.values() if not node.disabled and node.name not in workflow.parts()]
    for kind in _PREFERRED:
        found = next((node.name for node in enabled if node.kind == kind), None)
        if found is not None:
            return found
    found = next((node.name for node in enabled if _is_trigger(node, catalog)), None)
    if found is None:
        details = {"target.start": "name a node, or add an evaluation trigger to the workflow"}
        raise InvalidInput("The workflow has no trigger to start at.", details=details)
    return found


def _is_trigger(node: Node, catalog: NodeCatalog) -> bool:
    known = catalog.find(node.kind)
    return known is not None and known.description.trigger


def metrics_of(workflow: Workflow, records: Sequence[NodeRecord]) -> dict[str, float]:
    """Numbers that the workflow's nodes Evaluation have set, of the first item of each; as n8n reads them."""
    found: dict[str, float] = {}
    for each in records:
        node = workflow.nodes.get(each["node"])
        if node is None or node.kind != EVALUATION or node.parameters.get("operation") != "setMetrics":
            continue
        for items in (each.get("outputs") or [])[:1]:
            if items:
                found |= _numbers(items[0]["json"])
    return found


def _numbers(json: Mapping[str, Json]) -> dict[str, float]:
    return {name: float(value) for name, value in json.items() if is_number(value)}
