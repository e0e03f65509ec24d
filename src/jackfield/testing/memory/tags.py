"""Tags in memory."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.records import replace

from ...api.errors import Conflict, NotFound
from ...api.ids import new_id
from ...api.storage import Page, StoredWorkflow, Tag
from .tables import MemoryTables, page_of


class MemoryTags(MemoryTables):
    """Part of `MemoryStore`: tags stand in `_tags`, and their ids with each saved workflow."""

    async def tags(self, *, offset: int, limit: int) -> Page[Tag]:
        self._answer()
        return page_of(sorted(self._tags.values(), key=lambda tag: tag.name), offset, limit)

    async def tag(self, tag_id: str) -> Tag | None:
        self._answer()
        return self._tags.get(tag_id)

    async def put_tag(self, tag: Tag) -> None:
        self._answer()
        if any(each.name == tag.name and each.id != tag.id for each in self._tags.values()):
            raise Conflict(f"There is a tag {tag.name} already.", details={"name": "is taken"})
        old = self._tags.get(tag.id)
        self._tags[tag.id] = tag if old is None else replace(tag, created_at=old.created_at)

    async def delete_tag(self, tag_id: str) -> bool:
        self._answer()
        for saved in self._workflows.values():
            saved.tags.discard(tag_id)
        return self._tags.pop(tag_id, None) is not None

    async def tag_workflow(self, workflow_id: str, tag_ids: Sequence[str]) -> bool:
        self._answer()
        saved = self._workflows.get(workflow_id)
        if saved is None:
            return False
        for tag_id in tag_ids:
            if tag_id not in self._tags:
                raise NotFound(f"There is no tag with the id {tag_id}.")
        saved.tags = set(tag_ids)
        return True

    def _named_tags(self, names: Sequence[str], now: int) -> set[str]:
        """The ids of the tags of these names; missing ones are made."""
        known = {tag.name: tag.id for tag in self._tags.values()}
        for name in names:
            if name not in known:
                known[name] = new_id()
                self._tags[known[name]] = Tag(known[name], name, now, now)
        return {known[name] for name in names}

    def _tagged(self, workflow: StoredWorkflow) -> StoredWorkflow:
        ids = self._workflows[workflow.id].tags
        return replace(workflow, tags=tuple(sorted((self._tags[one] for one in ids), key=lambda tag: tag.name)))
