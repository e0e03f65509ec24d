"""Which sessions a request reaches: asked once, before any view of a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from quart import request

from jackfield.api.context import PluginContext
from jackfield_terminal.ports import SessionHub

LOOKS = ("GET", "HEAD", "OPTIONS")


def reach_guard(context: PluginContext) -> Callable[[], Awaitable[None]]:
    """For `before_request` of a blueprint: the session that the path names must be one of the caller's projects."""

    async def guard() -> None:
        ident = (request.view_args or {}).get("session_id")
        if ident is not None:
            await context.port(SessionHub).require(str(ident), "look" if request.method in LOOKS else "drive")

    return guard
