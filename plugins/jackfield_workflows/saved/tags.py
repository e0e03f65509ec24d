"""The changes that the API makes to tags."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.ids import new_id
from jackfield.api.storage import Tag
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.saved.writable import check_writable


class TagChanges:
    """Tags of the store. A reader that shows them listens to `tags.changed` on the topic workflows."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def find(self, tag_id: str) -> Tag:
        """Raises `NotFound`."""
        found = await self._context.store.tag(known_id(tag_id, "tag"))
        if found is None:
            raise NotFound("There is no tag with this id.")
        return found

    async def create(self, name: str) -> Tag:
        """Raises `Conflict` when there is one of this name."""
        now = self._context.clock.now_ms()
        return await self._put(Tag(new_id(), name.strip(), now, now))

    async def rename(self, tag_id: str, name: str) -> Tag:
        """Raises `NotFound`, `Conflict`."""
        check_writable(self._context)
        present = await self.find(tag_id)
        return await self._put(Tag(present.id, name.strip(), present.created_at, self._context.clock.now_ms()))

    async def delete(self, tag_id: str) -> Tag:
        """As it was. Raises `NotFound`, `Conflict`."""
        check_writable(self._context)
        present = await self.find(tag_id)
        await self._context.store.delete_tag(present.id)
        self._publish(present.name)
        return present

    async def attach(self, workflow_id: str, tag_ids: Sequence[str]) -> Sequence[Tag]:
        """The workflow's tags, which are these from now on. Raises `NotFound` for an unknown workflow or tag,
        `Conflict`."""
        check_writable(self._context)
        ident = known_id(workflow_id, "workflow")
        wanted = [known_id(tag_id, "tag") for tag_id in tag_ids]
        done = await self._context.store.tag_workflow(ident, wanted)
        row = await self._context.store.workflow_row(ident) if done else None
        if row is None:
            raise NotFound("There is no workflow with this id.")
        self._context.events.publish("workflows", "tags.changed", {"workflowId": ident})
        return row.tags

    async def _put(self, tag: Tag) -> Tag:
        await self._context.store.put_tag(tag)
        self._publish(tag.name)
        return tag

    def _publish(self, name: str) -> None:
        self._context.events.publish("workflows", "tags.changed", {"name": name})
