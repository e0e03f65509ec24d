"""The part of the daemon's MCP tools that the agent of a draft reaches."""

from __future__ import annotations

from jackfield.api.profile_tools import ToolScope
from jackfield.api.records import replace

DRAFT = "draft"
"""The key of `ToolScope.bound` that names the draft."""
DRAFT_TOOLS = (
    "get_draft",
    "change_draft",
    "validate_draft",
    "run_draft",
    "list_draft_executions",
    "get_draft_execution",
    "explain_draft_failure",
    "get_draft_costs",
    "list_draft_credentials",
)
READING = ("search_node_types", "get_node_type", "list_templates", "get_template")
"""Tools of the daemon's own that tell nothing of anybody's work."""
SCOPES = ("workflows:read", "executions:read", "workflows:execute")
"""The scopes that the tools of a draft use at the management API: executions, and previews of expressions, which need
the last one. No tool of a draft starts an execution: that is done in the name of whoever allows it."""


ASKING = ("run_draft",)
"""Tools for which somebody must be there."""


def reach_of_draft(draft_id: str) -> ToolScope:
    """The tools of this draft, and those that tell of node types."""
    return ToolScope(tools=(*DRAFT_TOOLS, *READING), offered=False, scopes=SCOPES, bound={DRAFT: draft_id})


def unattended_reach_of_draft(draft_id: str) -> ToolScope:
    """The same where nobody is there who could allow anything."""
    whole = reach_of_draft(draft_id)
    return replace(whole, tools=tuple(name for name in whole.tools if name not in ASKING))
