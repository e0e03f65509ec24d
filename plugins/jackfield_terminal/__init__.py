"""Terminal sessions: agents in pseudo-terminals that clients reach over WebSocket."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later
from jackfield.api.terminals import Terminals


class TerminalPlugin(Plugin):
    """Terminal sessions: agents in pseudo-terminals that clients reach over WebSocket."""

    name = "terminal"
    first_process_only = True
    settings = (
        SettingsTable("terminal", "jackfield_terminal.settings:TerminalSettings"),
        SettingsTable("sandbox", "jackfield_terminal.settings:SandboxSettings"),
    )
    commands = ("jackfield_terminal.cli.commands:terminal",)
    provides = {
        Terminals: "jackfield_terminal.hub:hub",
        "jackfield_terminal.ports:SessionHub": "jackfield_terminal.hub:hub",
    }
    parts = ("jackfield_terminal.hub:Hub", "jackfield_terminal.http.sharing:Sharing")

    jackfield_asgi = later("jackfield_terminal.serving:mounts")
    jackfield_host_resources = later("jackfield_terminal.host_resources:resources")
    jackfield_blueprints = later("jackfield_terminal.http.routes:blueprints")
    jackfield_nodes = later("jackfield_terminal.serving:nodes")
    jackfield_findings = later("jackfield_terminal.findings:findings")
    start = deferred("jackfield_terminal.serving:start")
    stop = deferred("jackfield_terminal.serving:stop")
