"""The rules of node types for executions: a workflow with an excluded node does not run, live or not."""

from __future__ import annotations

from collections import OrderedDict

from jackfield.api.context import PluginContext
from jackfield.api.node_rules import ExcludedNode
from jackfield.api.records import record
from jackfield.api.workflows import Workflow
from jackfield_workflows.activation.node_rules import NodeRules

_MOST = 256
"""Workflows that are remembered."""


@record
class _Looked:
    workflow: Workflow
    place: frozenset[str]
    found: ExcludedNode | None


class RunRules:
    """`jackfield.api.node_rules.RunNodeRules`. It looks at a workflow once as long as the engine has it, and again when
    it is in another project."""

    def __init__(self, context: PluginContext) -> None:
        self._rules = NodeRules(context)
        self.in_use = self._rules.in_use
        self._looked: OrderedDict[int, _Looked] = OrderedDict()

    async def excluded(self, workflow: Workflow) -> ExcludedNode | None:
        if not self.in_use:
            return None
        place = await self._rules.place_of_run(workflow.id)
        known = self._looked.get(id(workflow))
        if known is None or known.workflow is not workflow or known.place != place:
            first = next(iter(self._rules.exclusions_in(workflow, place)), None)
            found = None if first is None else ExcludedNode(first.node.name, first.message)
            known = self._looked[id(workflow)] = _Looked(workflow, place, found)
        self._looked.move_to_end(id(workflow))
        if len(self._looked) > _MOST:
            self._looked.popitem(last=False)
        return known.found
