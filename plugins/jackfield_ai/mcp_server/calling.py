"""A tool call as an execution."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.engine import ExecutionRequest
from jackfield.api.jsontext import Json
from jackfield.api.mcp.executions import CallPatience, Progress, ToolExecutions
from jackfield.api.tracing import TraceContext
from jackfield_ai.mcp_server.node import CALL_OUTPUT, call_item
from jackfield_ai.mcp_server.servers import McpTriggerTarget
from jackfield_ai.settings import AiSettings


class ToolCalls:
    """Runs calls of tools at the node that offers them."""

    def __init__(self, context: PluginContext, settings: AiSettings) -> None:
        patience = CallPatience(settings.mcp_call_timeout, settings.mcp_progress, "ai.mcp_call_timeout")
        self._executions = ToolExecutions(context, patience)

    async def run(
        self,
        target: McpTriggerTarget,
        name: str,
        arguments: Mapping[str, Json],
        request_id: str | None,
        caller: TraceContext | None,
        progress: Progress,
    ) -> Json:
        """The tool's result. caller: the span that the client names. Cancelling the call cancels the execution. Raises
        `ToolFailed`, `ExecutionTimeout`, `StoreUnavailable`."""
        request = ExecutionRequest(
            workflow=target.workflow,
            mode="test" if target.test else "webhook",
            start=target.node.name,
            items=[call_item(name, arguments)],
            start_output=CALL_OUTPUT,
            durability="finish",
            request_id=request_id,
            caller=caller,
        )
        outcome = await self._executions.run(request, progress)
        return outcome.items[0]["json"].get("result") if outcome.items else None
