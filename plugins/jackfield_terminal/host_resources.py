"""Sessions stay with the host that has begun them, and begin where their profile is. Each host forgets its own."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.hosts import HostResources
from jackfield.api.profiles import profile_resources
from jackfield_terminal.ports import SessionHub

_LIST = "/api/terminal/sessions"


def resources(context: PluginContext) -> Sequence[HostResources]:
    async def has(session: str) -> bool:
        known = context.built_port(SessionHub)
        try:
            return known is not None and known.find(session) is not None
        except NotFound:
            return False

    paths = ["/api/terminal/sessions", "/ws/terminal"]
    return [
        HostResources("terminal", has, paths, lists=[_LIST], everywhere=["/api/terminal/cleanup"]),
        profile_resources(context, starts={_LIST: "profile_alias"}),
    ]
