"""The node behind an address, and what it offers."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from jackfield.api.ai import ToolSpec
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import ExecutionRequest, TemporaryEngines
from jackfield.api.errors import ExecutionFailed, ExecutionTimeout, NotFound, WorkflowInactive
from jackfield.api.nodes import NodeCatalog, NodeOutline, NodeResult, NodeRun, NodeType
from jackfield.api.records import record
from jackfield.api.triggers import served_nodes
from jackfield.api.workflows import Node, Workflow
from jackfield_ai.mcp_server.node import CALL_OUTPUT, KIND, McpTriggerNode
from jackfield_ai.mcp_server.paths import NODES, candidates, path_of
from jackfield_ai.settings import AiSettings
from jackfield_ai.tools.toolbox import Toolbox, tool_name, tools_of

OLD_NAME = "n8n-mcp-server"
"""The name of servers of the node's version 1."""
_MOST_KEPT = 256


@record
class McpOffer:
    """A server's description of itself."""

    instructions: str
    tools: Sequence[ToolSpec]


@record
class McpTriggerTarget:
    """A server: the node and its workflow as they were stored when a request came. test: at /mcp-test."""

    workflow: Workflow
    node: Node
    path: str
    test: bool

    @property
    def name(self) -> str:
        return tool_name(self.node.name) if (self.node.version or 1) > 1 else OLD_NAME


class ToolListingNode(McpTriggerNode):
    """Tells what the attached tools are, in the place of the node that runs them. A new one for each look."""

    effect = False

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self.offer: McpOffer | None = None

    async def execute(self, run: NodeRun) -> NodeResult:
        parameters = await run.resolve_first()
        self.offer = McpOffer(parameters.instructions, Toolbox(await tools_of(run, 0), self.settings).specs)
        return [[{"json": {}}]]


class _ListingCatalog:
    """`NodeCatalog` with one other type."""

    def __init__(self, catalog: NodeCatalog, listing: ToolListingNode) -> None:
        self._catalog = catalog
        self._listing = listing

    def find(self, kind: str) -> NodeType | None:
        return self._listing if kind == KIND else self._catalog.find(kind)

    def all(self) -> Sequence[NodeType]:
        return self._catalog.all()

    def outline(self, kind: str) -> NodeOutline | None:
        return self._catalog.outline(kind)

    def outlines(self) -> Sequence[NodeOutline]:
        return self._catalog.outlines()


class McpServers:
    """Finds servers, and keeps for a while what they offer: attached nodes may have to ask others for it."""

    def __init__(self, context: PluginContext, settings: AiSettings) -> None:
        self._context = context
        self._settings = settings
        self._offers: OrderedDict[tuple[str | None, int, str, bool], tuple[int, McpOffer]] = OrderedDict()

    async def find(self, called: str, *, test: bool) -> McpTriggerTarget:
        """The live server at this address below /mcp; for a test any saved one. Raises `NotFound`,
        `WorkflowInactive`."""
        idle = False
        for path in candidates(called):
            rows = await self._context.store.webhooks_by_path("/" + path, kind="mcp")
            for row in rows if test else [row for row in rows if row.active]:
                workflow = await self._context.port(WorkflowReader).load(row.workflow_id)
                for node in served_nodes(workflow, NODES):
                    if path_of(node) == path and node.id == row.node_id:
                        return McpTriggerTarget(workflow, node, path, test)
            idle = idle or bool(rows)
        if idle:
            raise WorkflowInactive("The workflow of this MCP server is not active.")
        raise NotFound("There is no MCP server at this address.")

    async def offer(self, target: McpTriggerTarget, *, fresh: bool = False) -> McpOffer:
        """fresh: ask again. Raises `ExecutionFailed`, `ExecutionTimeout`."""
        key = (target.workflow.id, target.workflow.version, target.node.name, target.test)
        now = self._context.clock.now_ms()
        kept = self._offers.get(key)
        if kept is not None and not fresh and now - kept[0] < self._settings.mcp_tools_age * 1000:
            return kept[1]
        offer = await self._listed(target)
        self._offers[key] = (now, offer)
        self._offers.move_to_end(key)
        if len(self._offers) > _MOST_KEPT:
            self._offers.popitem(last=False)
        return offer

    async def _listed(self, target: McpTriggerTarget) -> McpOffer:
        """By a run that is stored nowhere, in which the node tells its tools."""
        listing = ToolListingNode(self._context)
        catalog = _ListingCatalog(self._context.port(NodeCatalog), listing)
        engine = self._context.port(TemporaryEngines).make(catalog)
        request = ExecutionRequest(
            workflow=target.workflow,
            mode="test" if target.test else "webhook",
            start=target.node.name,
            items=[{"json": {}}],
            start_output=CALL_OUTPUT,
            durability="finish",
        )
        try:
            execution = engine.submit(request)
            outcome = await asyncio.wait_for(asyncio.shield(execution.finished), self._settings.mcp_call_timeout)
        except TimeoutError:
            raise ExecutionTimeout("The tools of this MCP server could not be listed in time.") from None
        finally:
            await asyncio.shield(engine.drain(0))
        if listing.offer is None:
            failure = outcome.failure
            raise ExecutionFailed(failure.message if failure else "The tools of this MCP server cannot be listed.")
        return listing.offer
