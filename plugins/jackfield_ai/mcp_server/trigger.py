"""The trigger kind `mcp`: which servers a document has, and why one may not go live."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeError
from jackfield.api.triggers import Registration, Start, WorkflowChange, node_path, served_nodes
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_ai.mcp_server.access import AUTHENTICATIONS, authentication, proof_of
from jackfield_ai.mcp_server.paths import LIVE, NODES, path_of

KIND = "mcp"


class McpTrigger:
    """Serves mcpTrigger nodes. The trigger reads its nodes from the store with each request, so that nothing has to
    follow."""

    kind = KIND

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return [
            Registration(node.id, node.name, KIND, "MCP", "/" + path, path, authentication(node))
            for node in served_nodes(workflow, NODES)
            if (path := path_of(node))
        ]

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        found: list[Problem] = []
        for node in served_nodes(workflow, NODES):
            place = node_path(workflow, node)
            found += [Problem(f"{place}.{where}", message) async for where, message in self._problems(node)]
        return found

    async def _problems(self, node: Node) -> AsyncIterator[tuple[str, str]]:
        if not path_of(node):
            yield (
                "parameters.path",
                "An MCP server needs a path of letters, digits, - _ . ~ and /, such as tools, and no expression.",
            )
        how = authentication(node)
        if how not in AUTHENTICATIONS:
            yield (
                "parameters.authentication",
                f"The authentication {how} is not available; use one of {', '.join(AUTHENTICATIONS)}.",
            )
            return
        try:
            await proof_of(self._context, node)
        except NodeError as exc:
            yield "credentials", exc.message

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        return [
            Start(row.node_name, f"A tool call of an MCP client at /{LIVE}{row.path}")
            for row in self.registrations(workflow)
        ]

    async def follow(self, change: WorkflowChange) -> None:
        """Nothing is kept."""
