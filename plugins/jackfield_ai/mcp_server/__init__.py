"""MCP Server Trigger: a workflow's tools for clients of the Model Context Protocol."""
