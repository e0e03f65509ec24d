"""The daemon as a server of the Model Context Protocol: its management services as tools for agents."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later, when_built


class McpPlugin(Plugin):
    """The daemon as a server of the Model Context Protocol: its management services as tools for agents."""

    name = "mcp"
    settings = (SettingsTable("mcp", "jackfield_mcp.settings:McpSettings"),)
    commands = ("jackfield_mcp.stdio.command:mcp",)
    parts = (
        "jackfield_mcp.app:McpApp",
        "jackfield_mcp.oauth.book:OAuthBook",
        "jackfield_mcp.oauth.requests:OAuthRequests",
    )

    jackfield_auth_methods = later("jackfield_mcp.oauth.method:methods")
    jackfield_blueprints = later("jackfield_mcp.oauth.routes:blueprints")
    jackfield_asgi = later("jackfield_mcp.mounts:mounts")
    stop = when_built("jackfield_mcp.app:McpApp", "jackfield_mcp.mounts:stop")
