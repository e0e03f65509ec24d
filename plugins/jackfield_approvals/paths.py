"""Where things are."""

from __future__ import annotations

AGENTS = "/api/agent-approvals"
"""Requests of agents, at each host and joined over all."""
ALL = "/api/v1/approvals"
"""The inbox."""
ASKING = "ask-approval"
"""First segment of the addresses at which agents ask."""
MCP, HOOK = "mcp", "hook"
"""The paths below it: a server of one tool, and a hook of the agent's."""
