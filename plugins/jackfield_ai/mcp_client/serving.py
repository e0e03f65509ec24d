"""The common part of both nodes: who may use a command of the machine, and the lists of their forms."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

from jackfield.api.auth import MACHINE_WRITE
from jackfield.api.nodes import NodeCredential, NodeError, Parameters
from jackfield.api.nodes.lists import CredentialAccess, ListQuestion, ListRow, LoadedPage, ValuesMissing
from jackfield.api.workflows import Node
from jackfield_ai.mcp_client.columns import columns_of
from jackfield_ai.mcp_client.form import COLUMNS, TOOLS
from jackfield_ai.mcp_client.parameters import McpServerParameters
from jackfield_ai.mcp_client.sessions import CREDENTIALS, session, target_of
from jackfield_ai.mcp_client.targets import ServerTool
from jackfield_ai.nodes import AiNode
from jackfield_ai.parameters import ModelLocator, chosen

MCP_CREDENTIALS = tuple(NodeCredential(kind, when={"authentication": (how,)}) for how, kind in CREDENTIALS.items())
_HTTP = ("httpStreamable", "sse")


class McpNode(AiNode):
    """A node that talks to one server."""

    def scopes(self, node: Node) -> Collection[str]:
        """See `ScopedNode`: a command of the machine is for who may reach the machine."""
        transport = node.parameters.get("serverTransport", "httpStreamable")
        return () if transport in _HTTP else (MACHINE_WRITE,)

    async def listed(self, question: ListQuestion, access: CredentialAccess) -> LoadedPage | None:
        """As `ListingNode.listed`. Raises `NodeError`."""
        if question.name not in (TOOLS, COLUMNS):
            return None
        parameters = self._literal(question)
        target = await target_of(parameters, access)
        if target.transport == "stdio":
            raise NodeError("The tools of a command are not listed in a form; write the tool's name.")
        async with session(self._context, target) as server:
            if question.name == TOOLS:
                found, cursor = await server.page(question.cursor)
                return LoadedPage(_rows(found, question.search), cursor)
            tools = await server.tools()
        return LoadedPage(_columns(tools, question))

    def _literal(self, question: ListQuestion) -> McpServerParameters:
        """The server as it stands in the form. Raises `ValuesMissing` where only a run can tell it."""
        model = self.parameters(question.version)
        names = ("serverTransport", "endpointUrl", "sseEndpoint", "authentication", "command")
        given = {name: value for name in names if isinstance(value := question.values.get(name), str)}
        if unknown := [name for name, value in given.items() if value.startswith("=")]:
            raise ValuesMissing(unknown)
        made = cast("McpServerParameters", model.model_validate(given))
        if not made.address and made.transport != "stdio":
            raise ValuesMissing([made.address_field])
        return made


def _rows(tools: Sequence[ServerTool], search: str) -> list[ListRow]:
    wanted = search.casefold()
    return [ListRow(one.name, one.name) for one in tools if wanted in one.name.casefold()]


class _Tool(Parameters):
    tool: ModelLocator | str | None = None


def _columns(tools: Sequence[ServerTool], question: ListQuestion) -> list[ListRow]:
    """Raises `NodeError`."""
    name = chosen(_Tool.model_validate({"tool": question.values.get("tool")}).tool)
    if not name or name.startswith("="):
        raise ValuesMissing(["tool"])
    found = next((one for one in tools if one.name == name), None)
    if found is None:
        raise NodeError(f"The MCP server has no tool {name[:100]}.")
    return list(columns_of(found.schema))
