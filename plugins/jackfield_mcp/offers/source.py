"""The tools themselves: for the agents of profiles, each call an execution."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.engine import ExecutionRequest
from jackfield.api.ids import new_id
from jackfield.api.json_schemas import problems
from jackfield.api.json_values import Json
from jackfield.api.large_json import off_loop
from jackfield.api.mcp.executions import CallPatience, ToolExecutions
from jackfield.api.mcp.tool_sources import SourcedCall, SourcedTool, ToolFailed, ToolSource
from jackfield.api.nodes import NodeCatalog, entry_items
from jackfield.api.profile_tools import reach_of
from jackfield.api.workflows import Items
from jackfield_mcp.depths import too_deep
from jackfield_mcp.offers.book import OfferedWorkflow, OfferedWorkflows, reached
from jackfield_mcp.offers.starting import item_for
from jackfield_mcp.settings import McpSettings


class OfferedTools:
    """`ToolSource`. Others than runs of profiles have the tool run_workflow."""

    name = "offered workflows"

    def __init__(self, context: PluginContext) -> None:
        settings = context.settings(McpSettings)
        self._context = context
        self._deepest = settings.offered_depth
        self._offered = context.port(OfferedWorkflows)
        self._executions = ToolExecutions(
            context, CallPatience(settings.offered_timeout, settings.progress, "mcp.offered_timeout")
        )

    async def tools(self, caller: Principal) -> Sequence[SourcedTool]:
        reach = reach_of(caller)
        if reach is None or not reach.scope.offered:
            return []
        found = {one.name: one for one in await self._offered.all()}
        return [_shown(found[name]) for name in reached(list(found), reach.scope)]

    async def call(self, call: SourcedCall) -> Json:
        found = await self._offered.find(call.name)
        if found is None:
            raise ToolFailed("The workflow of this tool is not offered any more.")
        arguments: Json = dict(call.arguments)
        if wrong := await off_loop(arguments, lambda: problems(arguments, dict(found.schema))):
            raise ToolFailed(f"The arguments of {call.name} are not valid: {'; '.join(wrong)}.")
        if _depth(call) > self._deepest:
            raise ToolFailed(too_deep(self._deepest))

        async def progress(seconds: float) -> None:
            await call.progress("The workflow runs.")

        outcome = await self._executions.run(self._request(found, call), progress)
        self._context.log.info(
            "The tool %s has run the workflow %s.", call.name, found.workflow.id,
            extra={"workflowId": found.workflow.id, "requestId": call.request_id},
        )  # fmt: skip
        return _result(outcome.items)

    def _request(self, found: OfferedWorkflow, call: SourcedCall) -> ExecutionRequest:
        items: Items = [item_for(found.node, call.arguments, self._context.clock.now_ms(), new_id())]
        made = entry_items(found.workflow, found.node.name, items, self._context.port(NodeCatalog))
        return ExecutionRequest(
            workflow=found.workflow,
            mode="trigger",
            start=found.node.name,
            items=made if made is not None else items,
            durability="finish",
            request_id=call.request_id or None,
            depth=_depth(call),
            caller=call.span,
        )


def _depth(call: SourcedCall) -> int:
    """How many executions stand above the one that the call starts."""
    reach = reach_of(call.caller)
    return 0 if reach is None else reach.depth


def _shown(one: OfferedWorkflow) -> SourcedTool:
    """A workflow may do anything, as whoever offers it has decided."""
    return SourcedTool(one.name, one.workflow.name, one.description, one.schema, destroys=True, outward=True)


def _result(items: Items) -> Json:
    """The result of the last node: the object of its only item, or a list of them."""
    found: list[Json] = [dict(item["json"]) for item in items]
    return found[0] if len(found) == 1 else found


def sources(context: PluginContext) -> Sequence[ToolSource]:
    return [OfferedTools(context)]
