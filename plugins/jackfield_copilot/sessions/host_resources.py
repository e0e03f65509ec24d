"""Sessions stay with the host that has begun them, and begin where their profile is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostResources
from jackfield.api.object_references import load
from jackfield.api.profiles import profile_resources

if TYPE_CHECKING:
    from jackfield_copilot.sessions.sessions import CopilotSessions

_SESSIONS = "/api/copilot/sessions"
_PORT = "jackfield_copilot.sessions.sessions:CopilotSessions"


def resources(context: PluginContext) -> Sequence[HostResources]:
    async def has(session: str) -> bool:
        sessions = cast("type[CopilotSessions]", load(_PORT))  # not with a start
        return context.port(sessions).has(session)

    return [
        HostResources("copilot session", has, [_SESSIONS]),
        profile_resources(context, starts={_SESSIONS: "profile_alias"}),
    ]
