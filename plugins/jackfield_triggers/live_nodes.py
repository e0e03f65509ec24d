"""The wishes of live nodes that listen or subscribe, as their registrations and workflows stand in the store."""

from __future__ import annotations

import hashlib

import orjson

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import NotFound
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield.api.triggers import registered_node
from jackfield.api.triggers.resolving import resolved
from jackfield.api.workflows import Node, Workflow


@record
class LiveNode:
    """id: of the registration. node: without expressions."""

    id: str
    workflow_id: str
    node: Node
    timezone: str

    def fingerprint(self, more: str) -> str:
        """Another one wants something else of the service. more: what counts beside type, parameters and credentials.
        Fingerprints of subscriptions are stored, so that they stay as they are."""
        node = self.node
        told = [node.kind, node.version, node.parameters, node.credentials, more]
        return hashlib.sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]


async def live_node(context: PluginContext, ident: str) -> LiveNode | None:
    """ident: of the registration. None: its workflow is not live, or has no such node any more. Raises `NodeError`,
    `StoreUnavailable`."""
    row = await context.store.webhook(ident)
    if row is None or not row.active:
        return None
    reader = context.port(WorkflowReader)
    try:
        workflow = await reader.load(row.workflow_id)
    except NotFound:
        return None
    node = registered_node(workflow.nodes.values(), row.node_id, row.node_name)
    if node is None or node.disabled:
        return None
    known = await without_expressions(context, workflow, node)
    return LiveNode(ident, row.workflow_id, known, reader.timezone(workflow))


async def without_expressions(context: PluginContext, workflow: Workflow, node: Node) -> Node:
    """The node with values in their place. Raises `NodeError` for one that has none."""
    known, failures = await resolved(context, workflow, node)
    if failures:
        path, message = next(iter(failures.items()))
        raise NodeError(f"The parameter {path} has no value: {message}")
    return known
