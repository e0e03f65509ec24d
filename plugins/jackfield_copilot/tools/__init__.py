"""MCP tools that are bound to one draft."""
