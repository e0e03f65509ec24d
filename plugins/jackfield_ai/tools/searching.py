"""Tools that look things up: a search in words, a text for the model. As nodes of the flow they answer each item's
`input`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from jackfield.api.ai import TOOL, Tool, ToolSpec
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import Authorization, HttpCall, HttpClient, HttpReply, Pairs
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun
from jackfield.api.nodes.items import new_item
from jackfield.api.workflows import Items
from jackfield_ai.credential_holders import CredentialHolder
from jackfield_ai.nodes import AiNode, each_item
from jackfield_ai.tools.toolbox import FunctionTool

_INPUT: dict[str, Json] = {
    "type": "object",
    "properties": {"input": {"type": "string", "description": "The text to look for."}},
    "required": ["input"],
}


class SearchSource(Protocol):
    """Where a tool looks things up. `kind`: of the node. `name`, `about`: of the tool, as the model sees it.
    `credential`: the kind of the node's credential, empty: none."""

    kind: str
    title: str
    name: str
    about: str
    credential: str
    parameters: type[Any]

    async def answer(self, web: Web, parameters: Any, query: str) -> str:
        """A text for the model; parameters: its own instance model. Raises `NodeError`."""


class Web:
    """Requests of one node, through the guarded client."""

    def __init__(self, context: PluginContext, holder: CredentialHolder, title: str, credential: str) -> None:
        self._context = context
        self._holder = holder
        self._title = title
        self._credential = credential
        self._authorization: Authorization | None = None

    async def values(self) -> Mapping[str, str]:
        """The credential's fields."""
        return await self._holder.credential(self._credential)

    async def get(self, url: str, query: Pairs) -> HttpReply:
        """An answer, whatever its status. Raises `NodeError`."""
        if self._credential and self._authorization is None:
            self._authorization = await self._holder.authorization(self._credential)
        agent = f"jackfield/{self._context.service.version}"
        call = HttpCall("GET", url, query=query, headers=[("accept", "application/json"), ("user-agent", agent)])
        return await self._context.port(HttpClient).send(call, self._authorization)

    async def json(self, url: str, query: Pairs) -> Json:
        """An answer that is JSON and no error. Raises `NodeError`."""
        reply = await self.get(url, query)
        if not 200 <= reply.status < 300:
            raise NodeError(f"{self._title} answered {reply.status} {reply.reason}.")
        try:
            return loads(reply.body)
        except InvalidInput:
            raise NodeError(f"{self._title} answered with something that is no JSON.") from None


class SearchToolNode(AiNode):
    versions = (1,)

    def __init__(self, context: PluginContext, source: SearchSource) -> None:
        super().__init__(context)
        self._source = source
        self.kind = source.kind
        self.model = source.parameters
        self.description = NodeDescription(
            source.title,
            source.about,
            "ai",
            inputs=0,
            provides=TOOL,
            credentials=(NodeCredential(source.credential),) if source.credential else (),
        )

    def _web(self, holder: CredentialHolder) -> Web:
        return Web(self._context, holder, self._source.title, self._source.credential)

    async def supply(self, node: AttachedNode, item: int) -> Tool:
        parameters = await node.parameters(item)
        web = self._web(node)

        async def call(arguments: Mapping[str, Json]) -> Json:
            return await self._source.answer(web, parameters, str(arguments.get("input", "")))

        return FunctionTool(ToolSpec(self._source.name, self._source.about, _INPUT), call)

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved = await run.resolve()
        web = self._web(run)

        async def one(index: int) -> Items:
            query = run.items[index]["json"].get("input")
            if not isinstance(query, str) or not query:
                raise NodeError("The item has no text in the field input; let the node before give one.", item=index)
            return [new_item({"response": await self._source.answer(web, resolved[index], query)}, index)]

        return [await each_item(run, one)]
