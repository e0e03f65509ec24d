"""In which project's name rows run."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.projects import ProjectAccess, ProjectReach, present_reach, whole_store
from jackfield.api.storage import ResourceKind


async def reach_of(context: PluginContext, kind: ResourceKind, ident: str) -> ProjectReach | None:
    """Of the project that has this; None: nobody uses projects. Raises `StoreUnavailable`."""
    access = context.port(ProjectAccess)
    return ProjectReach(await access.project_of(kind, ident)) if access.in_use else None


async def place_execution(context: PluginContext, execution_id: str) -> None:
    """One of a workflow that is not saved belongs to the project in whose name it runs. Raises `StoreUnavailable`."""
    reach = present_reach()
    if isinstance(reach, ProjectReach):
        await whole_store(context.store).place_resources("execution", [execution_id], reach.project_id)
