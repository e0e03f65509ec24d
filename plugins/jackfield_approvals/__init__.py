"""Approvals: everything that people are asked, by executions and by agents, in one inbox."""

from __future__ import annotations

from jackfield.api.approvals import AgentApprovals
from jackfield.api.plugin import Plugin, SettingsTable, later


class ApprovalsPlugin(Plugin):
    """Approvals: everything that people are asked, by executions and by agents, in one inbox."""

    name = "approvals"
    settings = (SettingsTable("approvals", "jackfield_approvals.settings:ApprovalsSettings"),)
    commands = ("jackfield_approvals.commands:approvals",)
    provides = {AgentApprovals: "jackfield_approvals.hub:hub"}
    parts = ("jackfield_approvals.hub:AgentApprovalHub", "jackfield_approvals.asking.loading:LoadedPromptTool")

    jackfield_agents = later("jackfield_approvals.asking.claude:adapters")
    jackfield_asgi = later("jackfield_approvals.asking.mounts:mounts")
    jackfield_blueprints = later("jackfield_approvals.http.blueprints:blueprints")
    jackfield_host_resources = later("jackfield_approvals.host_resources:resources")
