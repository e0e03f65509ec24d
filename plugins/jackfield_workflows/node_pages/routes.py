"""`/node-types/{kind}/page`: the documentation of a node type, of plugins and of `nodes.d` too."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.http import operation
from jackfield.api.nodes import NodeCatalog
from jackfield.api.object_references import load
from jackfield.api.workflows import local_type
from jackfield_workflows.routes.groups import Route

if TYPE_CHECKING:
    from collections.abc import Callable

MARKDOWN = "text/markdown"


class NodePageRoutes:
    """Makes a page whenever somebody opens it."""

    name = "node_pages"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        return (("GET", "/node-types/<path:kind>/page", self.get_node_page),)

    @operation(
        "Read the documentation of a node type in Markdown: its parameters, versions, credentials, limits, an example",
        scope="workflows:read",
        media=(MARKDOWN,),
        tags=("node types",),
    )
    async def get_node_page(self, kind: str) -> Response:
        text = await asyncio.to_thread(self._page, local_type(kind))
        return Response(text, content_type=f"{MARKDOWN}; charset=utf-8")

    def _page(self, kind: str) -> str:
        catalog = self._context.port(NodeCatalog)
        found = catalog.find(kind)
        if found is None:
            raise NotFound("There is no such node type.")
        make = cast("Callable[..., str]", load("jackfield_workflows.node_pages.page:page_of"))
        return make(found, catalog, root="")
