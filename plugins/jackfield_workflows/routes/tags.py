"""`/tags`, and the tags of a workflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.http import json_response, operation, read_model, read_query
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.routes.groups import Route, payload, schema
from jackfield_workflows.routes.requests import page_view
from jackfield_workflows.saved.tags import TagChanges
from jackfield_workflows.saved.views import tag_view

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas import PageQuery, TagBody, TagIds

TAGS = ("tags",)


class TagRoutes:
    """Views on tags."""

    name = "tags"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tags = TagChanges(context)

    def routes(self) -> Sequence[Route]:
        one, own = "/tags/<tag_id>", "/workflows/<workflow_id>/tags"
        return (
            ("GET", "/tags", self.list_tags),
            ("POST", "/tags", self.create_tag),
            ("GET", one, self.get_tag),
            ("PUT", one, self.rename_tag),
            ("DELETE", one, self.delete_tag),
            ("GET", own, self.list_workflow_tags),
            ("PUT", own, self.replace_workflow_tags),
        )

    @operation(
        "List tags by name",
        scope="workflows:read",
        query=schema("PageQuery"),
        response=schema("TagPage"),
        tags=TAGS,
    )
    async def list_tags(self) -> Response:
        page: PageQuery = read_query(schema("PageQuery"))
        found = await self._context.store.tags(offset=page.offset, limit=page.limit)
        return json_response(page_view([tag_view(tag) for tag in found.rows], found.total, page))

    @operation(
        "Create a tag",
        scope="workflows:write",
        request=schema("TagBody"),
        response=schema("TagShown"),
        status=201,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def create_tag(self) -> Response:
        body: TagBody = await read_model(payload("TagBody"))
        return json_response(tag_view(await self._tags.create(body.name)), 201)

    @operation("Read a tag", scope="workflows:read", response=schema("TagShown"), tags=TAGS)
    async def get_tag(self, tag_id: str) -> Response:
        return json_response(tag_view(await self._tags.find(tag_id)))

    @operation(
        "Rename a tag",
        scope="workflows:write",
        request=schema("TagBody"),
        response=schema("TagShown"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def rename_tag(self, tag_id: str) -> Response:
        body: TagBody = await read_model(payload("TagBody"))
        return json_response(tag_view(await self._tags.rename(tag_id, body.name)))

    @operation("Delete a tag; its workflows stay", scope="workflows:write", status=204, tags=TAGS)
    async def delete_tag(self, tag_id: str) -> Response:
        await self._tags.delete(tag_id)
        return Response(status=204)

    @operation("List the tags of a workflow", scope="workflows:read", response=schema("TagList"), tags=TAGS)
    async def list_workflow_tags(self, workflow_id: str) -> Response:
        row = await self._context.store.workflow_row(known_id(workflow_id, "workflow"))
        if row is None:
            raise NotFound("There is no workflow with this id.")
        return json_response({"data": [tag_view(tag) for tag in row.tags], "total": len(row.tags)})

    @operation(
        "Give a workflow these tags and no others",
        scope="workflows:write",
        request=schema("TagIds"),
        response=schema("TagList"),
        tags=TAGS,
    )
    async def replace_workflow_tags(self, workflow_id: str) -> Response:
        body: TagIds = await read_model(payload("TagIds"))
        tags = await self._tags.attach(workflow_id, [tag.id for tag in body.root])
        return json_response({"data": [tag_view(tag) for tag in tags], "total": len(tags)})
