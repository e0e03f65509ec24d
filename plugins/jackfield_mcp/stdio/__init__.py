"""`jackfield mcp`: the running daemon's MCP server over standard input and output."""
