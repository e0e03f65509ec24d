"""A failure explained."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from jackfield.api.failure_reports import explained
from jackfield.api.json_values import Json
from jackfield_mcp.caller import segment
from jackfield_mcp.tool import AnyTool, McpTool, ToolArguments, ToolRun
from jackfield_mcp.tools.paging import Ident


class Explain(ToolArguments):
    execution_id: Ident
    items: Annotated[int, Field(ge=0, le=50)] = Field(3, description="The most items of the node's input.")


async def _explain(run: ToolRun, given: Explain) -> Json:
    return await explained(run.api.mapping, f"/executions/{segment(given.execution_id)}", given.items)


FAILURE_TOOLS: tuple[AnyTool, ...] = (
    McpTool(
        "explain_failure",
        "Explain a failure",
        "Tell why an execution failed. You get the failing node with its parameters, each expression with what it "
        "gives on that execution's data, the node's input items, and the error.",
        ("executions:read", "workflows:read", "workflows:execute"),
        Explain,
        _explain,
        reads=True,
    ),
)
