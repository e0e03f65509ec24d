"""Sessions stay with the host that has begun them, and begin where their profile is."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostResources
from jackfield.api.profiles import profile_resources

_SESSIONS = "/api/copilot/sessions"


def resources(context: PluginContext) -> Sequence[HostResources]:
    async def has(session: str) -> bool:
        from jackfield_copilot.sessions.sessions import CopilotSessions  # not with a start

        return context.port(CopilotSessions).has(session)

    return [
        HostResources("copilot session", has, [_SESSIONS]),
        profile_resources(context, starts={_SESSIONS: "profile_alias"}),
    ]
