"""The reach of a profile's agent's run among the daemon's MCP tools; see `jackfield.api.profile_tools`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from .records import record


@record
class ToolScope:
    """The reach of the token of one run, and nothing else.

    `tools`: names of the daemon's MCP tools, and of those that plugins give (`jackfield.api.mcp.tool_sources`).
    `offered`: whether it reaches the workflows that are offered as tools. `without`: names of those that it still does
    not reach. `scopes`: rights in the management API that tools of plugins need beside those of the daemon's own tools,
    which are added. `bound`: what tools of plugins keep to, such as `{"draft": id}`, each at most 100 characters. The
    daemon's own tools know nothing of `bound`.
    """

    tools: Sequence[str] = ()
    offered: bool = True
    without: Sequence[str] = ()
    scopes: Sequence[str] = ()
    bound: Mapping[str, str] = field(default_factory=dict)
