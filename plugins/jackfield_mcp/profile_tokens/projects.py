"""Which project the agent of a run reaches through its tools.

It is the profile's. A run that works on a draft is where the draft is, whose owner may use a profile of another one.
A user to whom a share lends a profile gets nothing of the profile's project through its agent.
"""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.profile_tools import ToolScope, ToolToken
from jackfield.api.projects import ProjectAccess, whole_store

_DRAFT = "draft"
"""Of `ToolScope.bound`."""


async def project_of_run(context: PluginContext, alias: str, scope: ToolScope) -> str:
    """For `ToolToken.project`, by the current reach. Raises `StoreUnavailable`."""
    access = context.find_port(ProjectAccess)
    if access is None or not access.in_use:
        return ""
    if _DRAFT in scope.bound:
        found = await whole_store(context.store).draft(scope.bound[_DRAFT])
        workflow = None if found is None else found.row.workflow_id
        if workflow is not None:
            return await access.project_of("workflow", workflow)
        return await access.project_of("draft", scope.bound[_DRAFT])
    rights = await access.rights()
    if rights is None or await access.project_of("profile", alias) in rights.roles:
        return ""
    return rights.target


async def projects_of_token(context: PluginContext, token: ToolToken) -> frozenset[str] | None:
    """For `Principal.projects`; None: nobody uses projects. Raises `StoreUnavailable`."""
    access = context.find_port(ProjectAccess)
    if access is None or not access.in_use:
        return None
    return frozenset({token.project or await access.project_of("profile", token.alias)})
