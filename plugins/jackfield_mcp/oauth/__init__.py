"""OAuth 2.1 for MCP clients: the daemon as the authorization server for its /mcp."""
