"""MCP Client: tools of servers of the Model Context Protocol, as a node and as an agent's tools."""
