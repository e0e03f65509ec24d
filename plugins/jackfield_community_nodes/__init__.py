"""Nodes that others publish as npm packages, run in processes of Node.js that see nothing but themselves."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later, when_built


class CommunityNodesPlugin(Plugin):
    """Nodes that others publish as npm packages, run in processes of Node.js that see nothing but themselves."""

    name = "community_nodes"
    settings = (SettingsTable("community_nodes", "jackfield_community_nodes.settings:CommunityNodesSettings"),)
    commands = ("jackfield_community_nodes.commands:community_nodes",)
    parts = (
        "jackfield_community_nodes.library:Library",
        "jackfield_community_nodes.processes.pools:PackageProcesses",
        "jackfield_community_nodes.changes:Changes",
    )

    jackfield_nodes = later("jackfield_community_nodes.offers:nodes")
    jackfield_credential_kinds = later("jackfield_community_nodes.offers:credential_kinds")
    jackfield_blueprints = later("jackfield_community_nodes.routes:blueprints")
    jackfield_findings = later("jackfield_community_nodes.findings:findings")
    start = deferred("jackfield_community_nodes.listening:start")
    stop = when_built(
        "jackfield_community_nodes.processes.pools:PackageProcesses", "jackfield_community_nodes.processes.pools:stop"
    )
