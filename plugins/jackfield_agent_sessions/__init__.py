"""Agent sessions: agents that are spoken to in their own protocols, with typed messages and permissions."""

from __future__ import annotations

from jackfield.api.agent_sessions import AgentSessions
from jackfield.api.plugin import Plugin, SettingsTable, deferred, later, when_built

_HUB = "jackfield_agent_sessions.hub:AgentSessionHub"


class AgentSessionsPlugin(Plugin):
    """Agent sessions: agents that are spoken to in their own protocols, with typed messages and permissions."""

    name = "agent_sessions"
    first_process_only = True
    settings = (SettingsTable("agent_sessions", "jackfield_agent_sessions.settings:AgentSessionSettings"),)
    commands = ("jackfield_agent_sessions.chat:chat",)
    provides = {
        AgentSessions: "jackfield_agent_sessions.hub:hub",
        "jackfield_agent_sessions.ports:SessionKeeper": "jackfield_agent_sessions.hub:hub",
    }
    parts = (_HUB,)

    jackfield_agent_protocols = later("jackfield_agent_sessions.protocols.offered:PROTOCOLS")
    jackfield_host_resources = later("jackfield_agent_sessions.host_resources:resources")
    jackfield_blueprints = later("jackfield_agent_sessions.http.routes:blueprints")
    start = deferred("jackfield_agent_sessions.serving:start")
    stop = when_built(_HUB, "jackfield_agent_sessions.serving:stop")
