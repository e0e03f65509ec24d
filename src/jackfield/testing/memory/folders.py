"""Folders in memory."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.records import replace

from ...api.errors import Conflict, NotFound
from ...api.storage import Folder, Within
from .tags import MemoryTags


class MemoryFolders(MemoryTags):
    """Part of `MemoryStore`: folders stand in `_folders`, and its folder's id in each saved workflow."""

    async def folders(self, within: Within | None = None) -> Sequence[Folder]:
        self._answer()
        held = [saved.current.folder_id for saved in self._workflows.values()]
        rows = [replace(each, workflows=held.count(each.id)) for each in self._folders.values()]
        rows = [each for each in rows if self._is_within("folder", each.id, within)]
        return sorted(rows, key=lambda each: (each.name.casefold(), each.id))

    async def put_folder(self, folder: Folder) -> None:
        self._answer()
        if folder.parent_id is not None and folder.parent_id not in self._folders:
            raise _unknown(folder.parent_id)
        if folder.name.casefold() in self._names(folder.parent_id, folder.id):
            raise _clash(folder.name)
        old = self._folders.get(folder.id)
        self._folders[folder.id] = folder if old is None else replace(folder, created_at=old.created_at)

    async def delete_folder(self, folder_id: str) -> bool:
        self._answer()
        gone = self._folders.get(folder_id)
        if gone is None:
            return False
        inner = [each for each in self._folders.values() if each.parent_id == folder_id]
        taken = self._names(gone.parent_id, folder_id)
        for each in inner:
            if each.name.casefold() in taken:
                raise _clash(each.name)
        for each in inner:
            self._folders[each.id] = replace(each, parent_id=gone.parent_id)
        for saved in self._workflows.values():
            if saved.current.folder_id == folder_id:
                saved.current = replace(saved.current, folder_id=gone.parent_id)
        del self._folders[folder_id]
        return True

    async def move_workflow(self, workflow_id: str, folder_id: str | None) -> bool:
        self._answer()
        if folder_id is not None and folder_id not in self._folders:
            raise _unknown(folder_id)
        saved = self._workflows.get(workflow_id)
        if saved is None:
            return False
        saved.current = replace(saved.current, folder_id=folder_id)
        return True

    def _names(self, parent_id: str | None, but: str) -> set[str]:
        """Those that are taken in this folder, in folded case."""
        rows = self._folders.values()
        return {each.name.casefold() for each in rows if each.parent_id == parent_id and each.id != but}


def _unknown(folder_id: str) -> NotFound:
    return NotFound(f"There is no folder with the id {folder_id}.")


def _clash(name: str) -> Conflict:
    return Conflict(f"There is a folder {name} at that place already.", details={"name": "is taken"})
