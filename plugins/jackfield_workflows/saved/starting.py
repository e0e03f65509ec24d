"""The right to run a workflow by hand, again, or to its end."""

from __future__ import annotations

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.projects import ProjectAccess, present_reach, whole_store
from jackfield.api.storage import ExecutionRow
from jackfield.api.workflows import Workflow
from jackfield_workflows.activation.node_rules import NodeRules
from jackfield_workflows.saved.node_scopes import NodeScopes


class StartRights:
    """`jackfield.api.run_rights.RunRights`: by the scopes of its nodes, and by its project."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._scopes = NodeScopes(context)
        self._rules = NodeRules(context)

    async def check(self, workflow: Workflow, caller: Principal) -> None:
        """Raises `AccessDenied`, `NotFound`, `StoreUnavailable`."""
        if present_reach() is not None and workflow.id is not None:
            known = await self._context.port(ProjectAccess).require("workflow", workflow.id, "start")
            if not known:
                raise NotFound("There is no workflow with this id.")
        await self._scopes.check(workflow, caller)
        await self._rules.check(workflow, caller)

    async def check_run(self, row: ExecutionRow) -> None:
        """To cancel it, or to let it go on. Raises `AccessDenied`, `StoreUnavailable`."""
        if present_reach() is None:
            return
        access = self._context.port(ProjectAccess)
        if row.workflow_id is None:
            await access.require("execution", row.id, "start")
        else:
            await access.require("workflow", row.workflow_id, "start")

    async def place_run(self, execution_id: str) -> None:
        """Of a workflow that is not saved: it belongs where its caller makes new things. Raises `StoreUnavailable`."""
        if present_reach() is None:
            return
        access = self._context.port(ProjectAccess)
        rights = await access.rights()
        if rights is not None and rights.target:
            await whole_store(self._context.store).place_resources("execution", [execution_id], rights.target)
