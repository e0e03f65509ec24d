"""Executions of the past and present, with the data of their nodes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from jackfield.api.json_values import Json
from jackfield_mcp.caller import segment
from jackfield_mcp.tool import AnyTool, McpTool, ToolArguments, ToolRun
from jackfield_mcp.tools.paging import FEWER, Ident, PageArguments


class ListExecutionsArguments(PageArguments):
    workflow_id: Ident | None = None
    status: Literal["queued", "running", "waiting", "success", "failed", "cancelled"] | None = None
    mode: Literal["webhook", "test", "manual", "trigger", "retry", "error", "sub"] | None = None
    since: Ident | None = Field(None, description="ISO 8601, of the start.")
    until: Ident | None = Field(None, description="ISO 8601, of the start.")


class GetExecutionArguments(ToolArguments):
    execution_id: Ident
    items: Annotated[int, Field(ge=0, le=100)] = Field(3, description=FEWER)
    node: Ident | None = Field(None, description="Only the runs of this node.")


class GetExecutionItemsArguments(PageArguments):
    execution_id: Ident
    run: Annotated[int, Field(ge=0, le=1_000_000)] = Field(description="The node run's index, as get_execution has it.")
    output: Annotated[int, Field(ge=0, le=1000)] = 0


async def _list(run: ToolRun, given: ListExecutionsArguments) -> Json:
    query = {
        "workflowId": given.workflow_id,
        "status": given.status,
        "mode": given.mode,
        "since": given.since,
        "until": given.until,
        "offset": given.offset,
        "limit": given.limit,
    }
    return await run.api.ask("GET", "/executions", query=query)


async def _get(run: ToolRun, given: GetExecutionArguments) -> Json:
    found = await run.api.mapping("GET", f"/executions/{segment(given.execution_id)}", query={"items": given.items})
    nodes = found.get("nodes")
    if given.node is None or not isinstance(nodes, dict):
        return found
    kept: dict[str, Json] = {name: runs for name, runs in nodes.items() if name == given.node}
    return {**found, "data": None, "nodes": kept}


async def _items(run: ToolRun, given: GetExecutionItemsArguments) -> Json:
    query = {"run": given.run, "output": given.output, "offset": given.offset, "limit": given.limit}
    return await run.api.ask("GET", f"/executions/{segment(given.execution_id)}/items", query=query)


_READ = ("executions:read",)
EXECUTION_TOOLS: tuple[AnyTool, ...] = (
    McpTool(
        "list_executions",
        "List executions",
        "List executions, the newest first.",
        _READ,
        ListExecutionsArguments,
        _list,
        reads=True,
    ),
    McpTool(
        "get_execution",
        "Read an execution",
        "Read an execution: status, failure, and each node's runs with the first items of each output.",
        _READ,
        GetExecutionArguments,
        _get,
        reads=True,
    ),
    McpTool(
        "get_execution_items",
        "Read items of a node run",
        "Read the items of one output of a node run, a page at a time.",
        _READ,
        GetExecutionItemsArguments,
        _items,
        reads=True,
    ),
)
