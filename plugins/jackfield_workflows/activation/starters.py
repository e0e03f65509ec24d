"""Which nodes start a workflow by themselves, and why others do not.

n8n's rule: a workflow may be live when one enabled node is a trigger other than the manual ones. The triggers of
sub-workflows and of errors are triggers too: another workflow starts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jackfield.api.nodes import NodeCatalog
from jackfield.api.records import record
from jackfield.api.triggers import node_path
from jackfield.api.workflow_tools import tool_offer
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_workflows.activation.trigger_calls import TriggerCalls

MANUAL = frozenset({"manualTrigger", "langchain.manualChatTrigger", "start"})
MANUAL_OF_TOOLS = frozenset({"manualTrigger", "start"})
"""Those of them at which calls of a workflow that is offered as a tool may start."""
BY_OTHER_WORKFLOWS = frozenset({"executeWorkflowTrigger", "errorTrigger"})
_ADD = "add a Webhook, a Schedule Trigger or another trigger that can run"


@record
class Starters:
    """runnable: nodes that start the workflow; idle: the other trigger nodes, and the reason of each."""

    runnable: Sequence[Node]
    idle: Sequence[tuple[Node, str]]


def starters(workflow: Workflow, catalog: NodeCatalog, triggers: TriggerCalls) -> Starters:
    """Of the enabled nodes."""
    runnable: list[Node] = []
    idle: list[tuple[Node, str]] = []
    parts = workflow.parts()
    is_tool = tool_offer(workflow.settings.raw) is not None
    for node in workflow.nodes.values():
        if node.disabled or node.name in parts or not _is_trigger(node, catalog):
            continue
        by_agents = is_tool and node.kind in MANUAL_OF_TOOLS
        reason = "" if by_agents else _reason(node, catalog, triggers)
        if reason:
            idle.append((node, reason))
        else:
            runnable.append(node)
    return Starters(runnable, idle)


def start_problems(workflow: Workflow, found: Starters) -> Iterator[Problem]:
    """Without a node that starts it the workflow cannot be live; beside one, an idle trigger is a warning."""
    manual = [node for node, _ in found.idle if node.kind in MANUAL]
    others = [(node, reason) for node, reason in found.idle if node.kind not in MANUAL]
    if found.runnable:
        for node, reason in others:
            yield Problem(node_path(workflow, node), f"The trigger {node.name} starts nothing: {reason}", "warning")
        return
    for node, reason in others:
        message = f"The trigger {node.name} cannot start the workflow: {reason}"
        yield Problem(node_path(workflow, node), message, "activation")
    for node in manual:
        message = f"The node {node.name} starts runs by hand only; {_ADD}."
        yield Problem(node_path(workflow, node), message, "activation")
    if not found.idle:
        yield Problem("nodes", f"The workflow has no enabled trigger that could start it; {_ADD}.", "activation")


def _reason(node: Node, catalog: NodeCatalog, triggers: TriggerCalls) -> str:
    """Why it starts nothing; empty when it does."""
    if node.kind in BY_OTHER_WORKFLOWS:
        return ""
    if node.kind in MANUAL:
        return "it is for runs by hand."
    node_type = catalog.find(node.kind)
    if node_type is None:
        return f"the node type {node.type} is not installed."
    if node_type.description.missing:
        return node_type.description.missing
    return triggers.idle(node)


def _is_trigger(node: Node, catalog: NodeCatalog) -> bool:
    """A node type that is not installed is a trigger when its name says so, as nearly all of n8n's do."""
    found = catalog.find(node.kind)
    return found.description.trigger if found is not None else node.kind.lower().endswith("trigger")
