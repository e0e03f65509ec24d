"""The manager is loaded with the first proxy or request: a start of the daemon needs none of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from jackfield.api.context import PluginContext
from jackfield.api.proxy import ProxyAddress

if TYPE_CHECKING:
    from jackfield.api.diagnosis import Metric
    from jackfield_proxy.daemon.manager import Manager

MARKER = "proxies.json"
"""In the configuration directory: the aliases whose proxies run, to be started again with the daemon."""


class LazyProxies:
    """`jackfield.api.proxy.Proxies`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self.serving = False
        """Whether this process is the daemon; else it is a command."""

    @cached_property
    def manager(self) -> Manager:
        """Follows changes of profiles from now on."""
        from jackfield_proxy.daemon.manager import Manager

        made = Manager(self._context)
        self._context.spawn("follow profiles", made.follow())
        return made

    @property
    def _loaded(self) -> bool:
        return "manager" in vars(self)

    async def address(self, alias: str) -> ProxyAddress:
        """A command uses the daemon's proxy where that runs."""
        if not self.serving and (found := await self.manager.borrowed(alias)) is not None:
            return found
        return await self.manager.address(alias)

    async def reserve(self, alias: str) -> ProxyAddress:
        return await self.manager.reserve(alias)

    def running(self) -> int:
        return self.manager.running() if self._loaded else 0

    async def stop(self, alias: str) -> None:
        await self.manager.stop(alias)

    def metrics(self) -> Sequence[Metric]:
        return self.manager.metrics() if self._loaded else ()

    async def resume(self) -> None:
        """Start those that ran when the daemon stopped."""
        if await asyncio.to_thread((self._context.service.config_dir / MARKER).exists):
            await self.manager.resume()

    async def close(self) -> None:
        if self._loaded:
            await self.manager.close()
