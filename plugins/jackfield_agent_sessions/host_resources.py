"""Sessions stay with the host that has begun them, and begin where their profile is."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.hosts import HostResources
from jackfield.api.profiles import profile_resources
from jackfield_agent_sessions.ports import SessionKeeper

_LIST = "/api/agent-sessions"


def resources(context: PluginContext) -> Sequence[HostResources]:
    async def has(session: str) -> bool:
        known = context.built_port(SessionKeeper)
        try:
            return known is not None and known.find(session) is not None
        except NotFound:
            return False

    paths = ["/api/agent-sessions"]
    return [
        HostResources("agent session", has, paths, lists=[_LIST]),
        profile_resources(context, starts={_LIST: "profile_alias"}),
    ]
