"""Workflows, with the names of their tags and folders. Secrets in nodes are masked, as in every answer of the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, NotFound
from jackfield.api.ids import is_uuid
from jackfield.api.jsontext import Json
from jackfield.api.saved_documents import SavedDocuments
from jackfield.api.storage import WorkflowFilter
from jackfield_git.settings import GitSettings
from jackfield_git.tracked.files import TrackedFile

_PAGE = 100
_OWN = frozenset({
    "version", "versionNumber", "createdAt", "updatedAt", "active", "state", "attention", "folderId", "tags",
})  # fmt: skip
"""Of this daemon alone, or written another way."""


class TrackedWorkflows:
    """See `TrackedKind`."""

    folder = "workflows"
    word = "workflow"
    removes = True

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def read(self) -> Sequence[TrackedFile]:
        found: list[TrackedFile] = []
        where = WorkflowFilter(order="createdAt")
        while True:
            page = await self._context.store.workflows(where, offset=len(found), limit=_PAGE)
            found += [
                TrackedFile(f"workflows/{row.id}.json", row.name, await self._document(row.id)) for row in page.rows
            ]
            if not page.rows or len(found) >= page.total:
                return found

    async def _document(self, workflow_id: str) -> dict[str, Json]:
        saved = self._context.port(SavedDocuments)
        shown = await saved.shown(workflow_id)
        tags = shown.get("tags")
        names = [str(tag.get("name")) for tag in tags if isinstance(tag, dict)] if isinstance(tags, list) else []
        kept: dict[str, Json] = {key: value for key, value in shown.items() if key not in _OWN}
        folder: list[Json] = [*await saved.folder_path(workflow_id)]
        return {**kept, "id": workflow_id, "tags": [*sorted(names)], "folder": folder}

    async def write(self, name: str, document: Mapping[str, Json], author: Principal) -> None:
        if not is_uuid(name):
            raise InvalidInput(f"workflows/{name}.json: the name of a workflow's file is its id, a UUID.")
        saved = self._context.port(SavedDocuments)
        folder = document.get("folder")
        path = [str(part) for part in folder] if isinstance(folder, list) else []
        given: dict[str, Json] = {key: value for key, value in document.items() if key not in ("folder", "id")}
        if await self._context.store.workflow_row(name) is None:
            await saved.create(given, author, id=name)
        else:
            await saved.replace(name, given, author)
        if list(await saved.folder_path(name)) != path:
            await saved.put_into(name, path)
        policy = self._context.settings(GitSettings).active
        if policy != "keep":
            await saved.set_active(name, policy == "activate", author)

    async def remove(self, name: str, author: Principal) -> None:
        try:
            await self._context.port(SavedDocuments).delete(name, author)
        except NotFound:
            return
