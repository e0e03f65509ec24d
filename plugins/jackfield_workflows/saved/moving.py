"""The rules of node types, for workflows that move into another project."""

from __future__ import annotations

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import ConfigurationError, DataDamaged, InvalidInput
from jackfield_workflows.activation.node_rules import NodeRules


class MovingRules:
    """`jackfield.api.node_rules.ProjectNodeRules`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._rules = NodeRules(context)

    async def check_move(self, workflow_id: str, project_id: str, caller: Principal) -> None:
        """A workflow that nobody can read runs nothing, and moves."""
        if not self._rules.in_use:
            return
        try:
            workflow = await self._context.port(WorkflowReader).load(workflow_id)
        except (ConfigurationError, DataDamaged, InvalidInput):
            return
        await self._rules.check_move(workflow, project_id, caller)

    async def check_rename(self, project_id: str) -> None:
        await self._rules.check_rename(project_id)
