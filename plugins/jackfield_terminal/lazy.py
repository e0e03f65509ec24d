"""The hub is loaded with the first session, client or request: a start needs none of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.context import PluginContext
from jackfield.api.events import STOPPING
from jackfield.api.profiles import Launch

if TYPE_CHECKING:
    from jackfield_terminal.hub import Hub

_hubs: WeakKeyDictionary[PluginContext, LazyHub] = WeakKeyDictionary()
"""One per context; a process may have several daemons, as tests do."""


class LazyHub:
    """`jackfield.api.terminals.Terminals`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @staticmethod
    def of(context: PluginContext) -> LazyHub:
        found = _hubs.get(context)
        if found is None:
            found = _hubs[context] = LazyHub(context)
        return found

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

    async def connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.hub.connect(scope, receive, send)

    async def close(self) -> None:
        if "hub" in vars(self):
            await self.hub.close()
