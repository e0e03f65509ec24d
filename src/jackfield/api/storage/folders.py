"""The store's records of folders, which hold workflows and further folders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..records import record
from .projects import Within


@record
class Folder:
    """parent_id: None at the top. Names are unique within a parent, whatever their letter case. workflows: how many are
    in the folder itself, which `put_folder` does not read."""

    id: str
    name: str
    parent_id: str | None
    created_at: int
    updated_at: int
    workflows: int = 0


class FolderStore(Protocol):
    """Folders of workflows, as trees within projects."""

    async def folders(self, within: Within | None = None) -> Sequence[Folder]:
        """All, by name: whoever makes them sees to it that they are few. within: None: of every project."""

    async def put_folder(self, folder: Folder) -> None:
        """Insert, or rename and move the one with this id. Raises `Conflict` when its parent holds another one of this
        name, `NotFound` for an unknown parent. That no folder is put into itself is the caller's care."""

    async def delete_folder(self, folder_id: str) -> bool:
        """Its contents move into its parent.

        Raises `Conflict` when a folder of the same name is there; then nothing changed. False when it is unknown.
        """

    async def move_workflow(self, workflow_id: str, folder_id: str | None) -> bool:
        """Into this folder, or out of all. False when the workflow is unknown. Raises `NotFound` for an unknown
        folder. It is no change of the workflow: version and time stay."""
