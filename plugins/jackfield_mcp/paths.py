"""Addresses of the daemon's own MCP server."""

from __future__ import annotations

ENDPOINT = "/mcp"
SEGMENT = "mcp/"
