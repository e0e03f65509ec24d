"""Every node of this plugin, by kind. A node's file is imported when the node is used first, so that a start costs
nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from importlib import import_module

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun, NodeType
from jackfield.api.workflows import Node

MODULES: Mapping[str, str] = {
    "code": "code_node",
    "errorTrigger": "error_trigger",
    "executeWorkflow": "execute_workflow",
    "executeWorkflowTrigger": "execute_workflow_trigger",
    "httpRequest": "http_request",
    "if": "if_node",
    "manualTrigger": "manual_trigger",
    "noOp": "no_op",
    "respondToWebhook": "respond_to_webhook",
    "set": "set_node",
    "start": "start",
    "stickyNote": "sticky_note",
    "stopAndError": "stop_and_error",
    "wait": "wait_node",
}
"""Kind -> module of this package; it has a function `node(context)`."""


class LazyNode:
    """Stands for a node until it is used."""

    versions: Sequence[float]
    description: NodeDescription
    effect: bool

    def __init__(self, kind: str, context: PluginContext) -> None:
        self.kind = kind
        self._context = context
        self._node: NodeType | None = None

    def _load(self) -> NodeType:
        if self._node is None:
            node: NodeType = import_module(f"jackfield_nodes.{MODULES[self.kind]}").node(self._context)
            self.versions, self.description, self.effect = node.versions, node.description, node.effect
            self._node = node
        return self._node

    def __getattr__(self, name: str) -> object:
        if name not in {"versions", "description", "effect"}:
            raise AttributeError(name)
        return getattr(self._load(), name)

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return self._load().parameters(version)

    def outputs(self, node: Node) -> int:
        return self._load().outputs(node)

    def execute(self, run: NodeRun) -> Awaitable[NodeResult]:
        return self._load().execute(run)


def node_types(context: PluginContext) -> list[NodeType]:
    """One `NodeType` per kind."""
    return [LazyNode(kind, context) for kind in MODULES]
