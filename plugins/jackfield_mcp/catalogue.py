"""Every tool."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield_mcp.tool import AnyTool
from jackfield_mcp.tools.agents import AGENT_TOOLS
from jackfield_mcp.tools.data_tables import DATA_TABLE_TOOLS
from jackfield_mcp.tools.docs import DOC_TOOLS
from jackfield_mcp.tools.executions import EXECUTION_TOOLS
from jackfield_mcp.tools.failures import FAILURE_TOOLS
from jackfield_mcp.tools.node_types import NODE_TYPE_TOOLS
from jackfield_mcp.tools.runs import RUN_TOOLS
from jackfield_mcp.tools.stored import STORED_TOOLS
from jackfield_mcp.tools.terminals import TERMINAL_TOOLS
from jackfield_mcp.tools.webhooks import WEBHOOK_TOOLS
from jackfield_mcp.tools.workflow_changes import CHANGE_TOOLS
from jackfield_mcp.tools.workflows import WORKFLOW_TOOLS

TOOLS: Sequence[AnyTool] = (
    *NODE_TYPE_TOOLS,
    *WORKFLOW_TOOLS,
    *CHANGE_TOOLS,
    *RUN_TOOLS,
    *EXECUTION_TOOLS,
    *FAILURE_TOOLS,
    *WEBHOOK_TOOLS,
    *STORED_TOOLS,
    *DATA_TABLE_TOOLS,
    *AGENT_TOOLS,
    *TERMINAL_TOOLS,
    *DOC_TOOLS,
)
