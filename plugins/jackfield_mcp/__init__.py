"""The daemon as a server of the Model Context Protocol: its management services as tools for agents."""

from __future__ import annotations

from jackfield.api.mcp.tool_sources import TOOL_SOURCES
from jackfield.api.plugin import Plugin, SettingsTable, deferred, later, when_built


class McpPlugin(Plugin):
    """The daemon as a server of the Model Context Protocol: its management services as tools for agents."""

    name = "mcp"
    settings = (SettingsTable("mcp", "jackfield_mcp.settings:McpSettings"),)
    commands = ("jackfield_mcp.stdio.command:mcp",)
    provides = {"jackfield.api.profile_tools:ProfileTools": "jackfield_mcp.profile_tokens.book:profile_tools"}
    extension_points = (TOOL_SOURCES,)
    parts = (
        "jackfield_mcp.offers.book:OfferedWorkflows",
        "jackfield_mcp.profile_tokens.place:TokenPlace",
        "jackfield_mcp.profile_tokens.book:ProfileTokens",
        "jackfield_mcp.app:McpApp",
        "jackfield_mcp.oauth.book:OAuthBook",
        "jackfield_mcp.oauth.requests:OAuthRequests",
    )

    jackfield_auth_methods = later("jackfield_mcp.auth_methods:methods")
    jackfield_blueprints = later("jackfield_mcp.routes:blueprints")
    jackfield_triggers = later("jackfield_mcp.offers.trigger:triggers")
    jackfield_mcp_tools = later("jackfield_mcp.offers.source:sources")
    jackfield_asgi = later("jackfield_mcp.mounts:mounts")
    start = deferred("jackfield_mcp.profile_tokens.sweeping:start")
    stop = when_built("jackfield_mcp.app:McpApp", "jackfield_mcp.mounts:stop")
