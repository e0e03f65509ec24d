"""The hub is loaded with the first session, client or request: a start needs none of it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.auth import Authentication
from jackfield.api.context import PluginContext
from jackfield.api.events import STOPPING
from jackfield.api.profiles import Launch

if TYPE_CHECKING:
    from jackfield_terminal.hub import Hub
    from jackfield_terminal.sharing import Sharing

DIRECTORY = "terminals"
"""In the configuration directory: one directory for each persistent session."""


def is_anything_held(config_dir: Path) -> bool:
    try:
        with os.scandir(config_dir / DIRECTORY) as entries:
            return next(entries, None) is not None
    except OSError:
        return False


class LazyHub:
    """`jackfield.api.terminals.Terminals`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @cached_property
    def hub(self) -> Hub:
        from jackfield_terminal.hub import Hub

        made = Hub(self._context)
        # The server waits for its connections before plugins are shut down, and clients wait for their sessions.
        self._context.spawn("stopping", self._stop_with_the_daemon(made))
        return made

    async def _stop_with_the_daemon(self, hub: Hub) -> None:
        with self._context.events.subscribe("system") as events:
            async for event in events:
                if event.type == STOPPING:
                    await hub.close()

    def live(self, alias: str) -> Sequence[str]:
        return self.hub.live(alias) if "hub" in vars(self) else ()

    async def end(self, alias: str) -> None:
        if "hub" in vars(self):
            await self.hub.end(alias)

    async def confined(self, launch: Launch) -> Launch:
        return await self.hub.confined(launch)

    @cached_property
    def sharing(self) -> Sharing:
        from jackfield_terminal.sharing import Sharing

        return Sharing(self._context, self)

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.sharing.connect(scope, receive, send)

    async def connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.hub.connect(scope, receive, send)

    async def restore(self) -> None:
        """Take over the sessions that have survived the last daemon. Those in a sandbox are there already: the gate
        must know before the first request."""
        if await asyncio.to_thread(is_anything_held, self._context.service.config_dir):
            self._context.port(Authentication).confine_agents()
            await self.hub.restore()

    async def close(self) -> None:
        if "hub" in vars(self):
            await self.hub.close()
