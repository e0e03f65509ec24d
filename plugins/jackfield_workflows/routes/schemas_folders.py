"""Bodies about folders."""

from __future__ import annotations

from pydantic import Field

from jackfield_workflows.routes.schemas import Body, Name, Shown


class FolderBody(Body):
    """parentId: of the folder that it is made in; without one it is at the top."""

    name: Name
    parent_id: str | None = None


class FolderPatch(Body):
    """The change of a folder: `"parentId": null` moves the folder to the top."""

    name: Name | None = None
    parent_id: str | None = None


class FolderPlace(Body):
    """folderId: null takes the workflow out of all folders."""

    folder_id: str | None


class FolderShown(Shown):
    id: str
    name: str
    parentId: str | None  # noqa: N815 - as in JSON
    workflowCount: int = Field(description="Workflows in the folder itself.")  # noqa: N815 - as in JSON
    createdAt: str  # noqa: N815 - as in JSON
    updatedAt: str  # noqa: N815 - as in JSON


class FolderList(Shown):
    data: list[FolderShown]
    total: int
