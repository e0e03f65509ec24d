"""n8n's `/tags`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.http import json_response, operation, read_model, read_query
from jackfield.api.n8n_pages import CursorQuery, asked_cursor, page
from jackfield_workflows.n8n_api.forms import n8n_model, n8n_schema
from jackfield_workflows.routes.groups import Route
from jackfield_workflows.saved.tags import TagChanges
from jackfield_workflows.saved.views import tag_view

if TYPE_CHECKING:
    from jackfield_workflows.n8n_api.schemas import NameBody

TAGS = ("n8n tags",)
SHOWN = "jackfield_workflows.routes.schemas:TagShown"


class N8nTags:
    """Views on tags."""

    name = "n8n_tags"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tags = TagChanges(context)

    def routes(self) -> Sequence[Route]:
        one = "/tags/<tag_id>"
        return (
            ("GET", "/tags", self.list_tags),
            ("POST", "/tags", self.create_tag),
            ("GET", one, self.get_tag),
            ("PUT", one, self.update_tag),
            ("DELETE", one, self.delete_tag),
        )

    @operation(
        "List tags by name",
        scope="workflows:read",
        query="jackfield.api.n8n_pages:CursorQuery",
        response=n8n_schema("TagCursorPage"),
        tags=TAGS,
    )
    async def list_tags(self) -> Response:
        cursor = asked_cursor(read_query(CursorQuery))
        found = await self._context.store.tags(offset=cursor.offset, limit=cursor.limit)
        return json_response(page([tag_view(tag) for tag in found.rows], cursor.after(len(found.rows), found.total)))

    @operation(
        "Create a tag",
        scope="workflows:write",
        request=n8n_schema("NameBody"),
        response=SHOWN,
        status=201,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def create_tag(self) -> Response:
        body: NameBody = await read_model(n8n_model("NameBody"))
        return json_response(tag_view(await self._tags.create(body.name)), 201)

    @operation("Read a tag", scope="workflows:read", response=SHOWN, tags=TAGS)
    async def get_tag(self, tag_id: str) -> Response:
        return json_response(tag_view(await self._tags.find(tag_id)))

    @operation(
        "Rename a tag",
        scope="workflows:write",
        request=n8n_schema("NameBody"),
        response=SHOWN,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def update_tag(self, tag_id: str) -> Response:
        body: NameBody = await read_model(n8n_model("NameBody"))
        return json_response(tag_view(await self._tags.rename(tag_id, body.name)))

    @operation("Delete a tag, and show it once more", scope="workflows:write", response=SHOWN, tags=TAGS)
    async def delete_tag(self, tag_id: str) -> Response:
        return json_response(tag_view(await self._tags.delete(tag_id)))
