"""The scopes to store, activate and start nodes: a node type names those that this needs.

Somebody without them may change a workflow in which somebody else put such a node, as long as the node does the same as
before. It stays as it is, with all that leads to it where items decide about its work.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from jackfield.api.auth import SCOPES, Principal
from jackfield.api.containment import is_ctrl_c
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.scopes import UNREAD, node_scopes
from jackfield.api.records import record
from jackfield.api.triggers import node_path
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_workflows.saved.called_workflows import CalledWorkflows
from jackfield_workflows.saved.node_changes import (
    changed_callers,
    has_expression,
    leading_change,
    same_node,
)


@record
class _Lack:
    """A node that the caller may not store. cause: of another node that leads to it, the change that counts."""

    node: Node
    scope: str
    cause: str = ""

    def message(self, caller: Principal) -> str:
        who = "this API key" if caller.is_limited else f"the role {caller.role}"
        needs = f"The node {self.node.name} ({self.node.type}) needs the scope {self.scope}, which {who} lacks"
        if not self.cause:
            return f"{needs}."
        return f"{needs}; it may stay as long as what leads to it does, and {self.cause} has changed."


class NodeScopes:
    """Compares what nodes need with what a caller may do."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._called = CalledWorkflows(context)

    def restrict(self, caller: Principal) -> bool:
        """Whether there can be a node that the caller may not store."""
        return not all(map(caller.may, SCOPES))

    async def check(self, workflow: Workflow, caller: Principal, before: Workflow | None = None) -> None:
        """before: the stored workflow, whose nodes may stay; None: every node counts. Raises `AccessDenied`,
        `StoreUnavailable`."""
        async for lack in self._lacks(workflow, caller, before):
            details = {"scope": lack.scope, "node": lack.node.name, "type": lack.node.type}
            raise AccessDenied(lack.message(caller), details=details)

    async def problems(self, workflow: Workflow, caller: Principal) -> Sequence[Problem]:
        """The same of a workflow that is to be imported, node by node."""
        return [
            Problem(f"{node_path(workflow, lack.node)}.type", lack.message(caller))
            async for lack in self._lacks(workflow, caller, None)
        ]

    async def _lacks(self, workflow: Workflow, caller: Principal, before: Workflow | None) -> AsyncIterator[_Lack]:
        if not self.restrict(caller):
            return
        catalog = self._context.port(NodeCatalog)
        for node in workflow.nodes.values():
            needed = self._needed(node, catalog) | await self._called.scopes(node, workflow.id)
            lacking = next((each for each in sorted(needed) if not caller.may(each)), None)
            if lacking is None:
                continue
            if before is None or not same_node(workflow, before, node.name):
                yield _Lack(node, lacking)
            elif cause := self._cause(workflow, before, node, catalog):
                yield _Lack(node, lacking, cause)

    def _needed(self, node: Node, catalog: NodeCatalog) -> frozenset[str]:
        try:
            return node_scopes(node, catalog)
        except BaseException as exc:
            if is_ctrl_c(exc):
                raise
            self._context.log.exception("The scopes of a node of type %s could not be read.", node.type)
            return UNREAD

    def _cause(self, workflow: Workflow, before: Workflow, node: Node, catalog: NodeCatalog) -> str:
        """Which change makes the unchanged node do something else; empty: none."""
        found = catalog.find(node.kind)
        reads_items = found is None or found.description.reads_items
        raw: Json = dict(node.parameters)
        if not reads_items and not has_expression(raw):
            return ""
        return changed_callers(workflow, before) or leading_change(workflow, before, node.name)
