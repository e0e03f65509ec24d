"""`/node-types/{kind}/lists/{name}`: what a field of a node can be chosen from, asked of its service."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.credentials import Credentials
from jackfield.api.errors import InvalidInput, NotFound, UpstreamFailed
from jackfield.api.http import json_response, operation, principal, read_query
from jackfield.api.http_client import Authorization
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeCatalog, NodeError
from jackfield.api.nodes.lists import (
    ListCredentialMissing,
    ListingNode,
    ListQuestion,
    ListRow,
    LoadedPage,
    ValuesMissing,
    listing_node,
)
from jackfield.api.records import record
from jackfield.api.storage import Credential
from jackfield.api.workflows import local_type
from jackfield_workflows.routes.groups import Route, schema
from jackfield_workflows.settings import WorkflowsSettings

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas_lists import NodeListQuery

TAGS = ("node types",)


@record
class ChosenCredential:
    """The one that the caller names; None: none."""

    context: PluginContext
    stored: Credential | None

    async def credential(self, kind: str) -> Mapping[str, str]:
        return await self.context.port(Credentials).values(self._id(kind), kind)

    async def authorization(self, kind: str) -> Authorization:
        return await self.context.port(Credentials).authorization(self._id(kind), kind)

    def _id(self, kind: str) -> str:
        if self.stored is None or self.stored.kind != kind:
            raise ListCredentialMissing([kind])
        return self.stored.id


class NodeListRoutes:
    """One view. Few lists are asked at once; the others wait."""

    name = "node_lists"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @cached_property
    def _settings(self) -> WorkflowsSettings:
        return self._context.settings(WorkflowsSettings)

    @cached_property
    def _turns(self) -> asyncio.Semaphore:
        return asyncio.Semaphore(self._settings.node_lists)

    def routes(self) -> Sequence[Route]:
        return (("GET", "/node-types/<path:kind>/lists/<name>", self.get_list),)

    @operation(
        "List what a field of a node can be chosen from, such as channels; its service is asked with the credential",
        operation_id="listNodeFieldChoices",
        scope="credentials:write",
        query=schema("NodeListQuery", "schemas_lists"),
        response=schema("NodeListShown", "schemas_lists"),
        tags=TAGS,
        errors=(NotFound, UpstreamFailed),
    )
    async def get_list(self, kind: str, name: str) -> Response:
        # The values say where the credential is sent, as those of a node that runs do.
        principal().require("workflows:execute")
        node = listing_node(self._context.port(NodeCatalog).find(local_type(kind)))
        if node is None:
            raise NotFound("There is no such node type, or its fields have no lists.")
        query: NodeListQuery = read_query(schema("NodeListQuery", "schemas_lists"))
        stored = await self._credential(query.credential)
        question = ListQuestion(
            name,
            query.version,
            _values(query.values),
            stored.kind if stored else "",
            query.search or "",
            query.cursor or "",
            self._settings.list_rows,
            self._settings.list_bytes,
        )
        page = await self._asked(node, question, ChosenCredential(self._context, stored))
        return json_response(_view(page, self._settings.list_rows))

    async def _credential(self, credential_id: str | None) -> Credential | None:
        if not credential_id:
            return None
        stored = await self._context.store.credential(credential_id)
        if stored is None:
            details = {"credential": "give the id of one that exists"}
            raise InvalidInput("There is no such credential.", details=details)
        return stored

    async def _asked(self, node: ListingNode, question: ListQuestion, access: ChosenCredential) -> LoadedPage:
        seconds = self._settings.list_timeout
        try:
            async with asyncio.timeout(seconds), self._turns:
                found = await node.listed(question, access)
        except TimeoutError:
            raise UpstreamFailed(f"The list did not come within {seconds:g} seconds; try again.") from None
        except ValuesMissing as exc:
            details = {f"values.{name}": "choose it first; an expression has no value yet" for name in exc.names}
            raise InvalidInput(exc.message, details=details) from None
        except ListCredentialMissing as exc:
            details = {"credential": f"give the id of one of the kind {' or '.join(exc.kinds)}"}
            raise InvalidInput(exc.message, details=details) from None
        except NodeError as exc:
            raise UpstreamFailed(exc.message, code="LIST_FAILED") from None
        if found is None:
            raise NotFound("The node type has no list of this name.")
        return found


def _values(text: str | None) -> Mapping[str, Json]:
    if not text:
        return {}
    details = {"values": "give the node's parameters as a JSON object"}
    try:
        found = loads(text, max_depth=50)
    except InvalidInput:
        raise InvalidInput("The parameter values is no JSON.", details=details) from None
    if not isinstance(found, dict):
        raise InvalidInput("The parameter values is no JSON object.", details=details)
    return found


def _view(page: LoadedPage, most: int) -> dict[str, Json]:
    rows: list[Json] = [_row(row) for row in page.rows[:most]]
    return {"data": rows, **({"nextCursor": page.cursor} if page.cursor else {})}


def _row(row: ListRow) -> dict[str, Json]:
    view: dict[str, Json] = {"value": row.value, "label": row.label}
    if row.url:
        view["url"] = row.url
    if row.type:
        view["type"] = row.type
    return view
