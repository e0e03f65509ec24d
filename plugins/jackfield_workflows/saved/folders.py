"""The changes that the API makes to folders: their tree has no rings, and neither depth nor number beyond the
settings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.ids import new_id
from jackfield.api.records import record
from jackfield.api.storage import Folder
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.saved.writable import check_writable
from jackfield_workflows.settings import WorkflowsSettings


@record
class FolderChange:
    """moved: whether `parent_id` counts; None is the top. name: None leaves the one that it has."""

    name: str | None = None
    moved: bool = False
    parent_id: str | None = None


class FolderChanges:
    """Folders of the store, changed one after another: a checked fact still holds when it is written.

    A reader that shows them listens to `folders.changed` on the topic workflows.
    """

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        settings = context.settings(WorkflowsSettings)
        self._most, self._deepest = settings.folders, settings.folder_depth
        self._lock = asyncio.Lock()

    async def all(self) -> Sequence[Folder]:
        return await self._context.store.folders()

    async def existing(self, folder_id: str) -> str:
        """Its id. Raises `NotFound`."""
        return self._found(folder_id, await self._known()).id

    async def create(self, name: str, parent_id: str | None) -> Folder:
        """Raises `Conflict` for a name that is taken there, or too many folders; `InvalidInput` for one too deep;
        `NotFound` for an unknown parent."""
        async with self._lock:
            return await self._create(name, _ident(parent_id), await self._known())

    async def at(self, path: Sequence[str]) -> str | None:
        """The id of the folder of these names, from the top; those that are missing are made. No names: None. Raises as
        `create`; then none is made, unless there are too many."""
        if len(path) > self._deepest:
            raise self._too_deep()
        async with self._lock:
            known, ident = dict(await self._known()), None
            for name in path:
                found = _child(name, ident, known) or await self._create(name, ident, known)
                known[found.id], ident = found, found.id
            return ident

    async def path(self, folder_id: str | None) -> Sequence[str]:
        """Its name behind those of the folders that it is in."""
        known, names = await self._known(), list[str]()
        while folder_id is not None and (found := known.get(folder_id)) is not None:
            names.append(found.name)
            folder_id = found.parent_id
        return names[::-1]

    async def change(self, folder_id: str, change: FolderChange) -> Folder:
        """Raises as `create`, and `InvalidInput` for a folder in itself."""
        check_writable(self._context)
        async with self._lock:
            known = await self._known()
            old = self._found(folder_id, known)
            parent = _ident(change.parent_id) if change.moved else old.parent_id
            name = old.name if change.name is None else change.name.strip()
            now = self._context.clock.now_ms()
            new = Folder(old.id, name, parent, old.created_at, now, old.workflows)
            if parent != old.parent_id:  # where it is it may stay, even if fewer levels are allowed by now
                self._check_place(new, {**known, old.id: new})
            return await self._put(new)

    async def delete(self, folder_id: str) -> None:
        """Its content moves into its parent. Raises `NotFound`, `Conflict`."""
        check_writable(self._context)
        async with self._lock:
            if not await self._context.store.delete_folder(known_id(folder_id, "folder")):
                raise _unknown()
        self._publish(folder_id)

    async def place(self, workflow_id: str, folder_id: str | None) -> None:
        """Raises `NotFound` for an unknown workflow or folder, `Conflict`."""
        check_writable(self._context)
        ident = known_id(workflow_id, "workflow")
        if not await self._context.store.move_workflow(ident, _ident(folder_id)):
            raise NotFound("There is no workflow with this id.")
        self._publish(folder_id or "")

    async def _create(self, name: str, parent_id: str | None, known: Mapping[str, Folder]) -> Folder:
        """By whoever holds the lock."""
        if len(known) >= self._most:
            message = f"There are {len(known)} folders; delete one, or raise workflows.folders."
            raise Conflict(message, details={"folders": "there are too many"})
        now = self._context.clock.now_ms()
        made = Folder(new_id(), name.strip(), parent_id, now, now)
        self._check_place(made, known)
        return await self._put(made)

    async def _known(self) -> Mapping[str, Folder]:
        return {each.id: each for each in await self._context.store.folders()}

    def _found(self, folder_id: str, known: Mapping[str, Folder]) -> Folder:
        found = known.get(known_id(folder_id, "folder"))
        if found is None:
            raise _unknown()
        return found

    def _check_place(self, folder: Folder, known: Mapping[str, Folder]) -> None:
        """known: with the folder as it is to be, if it is there already."""
        above, at = 1, folder.parent_id
        while at is not None:
            if at == folder.id:
                raise InvalidInput("A folder cannot be in itself.", details={"parentId": "is in this folder"})
            above, at = above + 1, self._found(at, known).parent_id
        if above + _height(folder.id, known) > self._deepest:
            raise self._too_deep()

    def _too_deep(self) -> InvalidInput:
        message = f"Folders may be {self._deepest} deep; choose another place, or raise workflows.folder_depth."
        return InvalidInput(message, details={"parentId": "is too deep"})

    async def _put(self, folder: Folder) -> Folder:
        await self._context.store.put_folder(folder)
        self._publish(folder.id)
        return folder

    def _publish(self, folder_id: str) -> None:
        self._context.events.publish("workflows", "folders.changed", {"folderId": folder_id})


def _height(folder_id: str, known: Mapping[str, Folder]) -> int:
    """Levels of folders below this one."""
    levels, row = 0, {folder_id}
    while row := {each.id for each in known.values() if each.parent_id in row and each.id != folder_id}:
        levels += 1
    return levels


def _child(name: str, parent_id: str | None, known: Mapping[str, Folder]) -> Folder | None:
    """The folder of this name there, whatever its letter case, as the store tells them apart."""
    wanted = name.strip().casefold()
    return next(
        (each for each in known.values() if each.parent_id == parent_id and each.name.casefold() == wanted), None
    )


def _ident(folder_id: str | None) -> str | None:
    return None if folder_id is None else known_id(folder_id, "folder")


def _unknown() -> NotFound:
    return NotFound("There is no folder with this id.")
