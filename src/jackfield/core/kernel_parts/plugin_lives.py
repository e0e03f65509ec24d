"""Starts and stops of plugins: whatever one does there concerns that plugin alone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from jackfield.api.errors import ConfigurationError
from jackfield.api.plugin import Plugin

from ..plugins import PluginHost
from ..process.alarm import alarm, bounded
from ..settings import Settings
from ..tables import PluginsSettings

log = logging.getLogger("jackfield.kernel")


class PluginLives:
    """Of one process. every: also of plugins that live in a daemon's first process alone."""

    def __init__(self, plugins: PluginHost, settings: Settings, *, every: bool) -> None:
        self._plugins = plugins
        self._settings = settings
        self._every = every

    async def start(self) -> None:
        for name, plugin in self._living():
            await self._bounded(name, plugin.start, "failed to start")

    def _living(self) -> list[tuple[str, Plugin]]:
        """Those with a start and a stop in this process."""
        every = self._plugins.instances.items()
        return [(name, each) for name, each in every if self._every or not each.first_process_only]

    async def stop(self) -> None:
        for name, plugin in reversed(self._living()):
            try:
                await self._bounded(name, plugin.stop, "failed to stop")
            except ConfigurationError as exc:  # the others stop all the same
                log.error("Plugin %s failed to stop: %s", name, exc.message)

    async def _bounded(self, name: str, act: Callable[[], Awaitable[None] | None], what: str) -> None:
        """The start or stop of a plugin concerns that plugin alone."""
        limit = self._settings.get(PluginsSettings).startup_timeout
        try:
            with alarm(limit):
                awaited = act()
            if awaited is not None:
                await bounded(limit, awaited)
        except ConfigurationError as exc:
            self._plugins.failed(name, exc, what)  # raises
        except asyncio.CancelledError as exc:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            self._plugins.failed(name, exc, what)
        except BaseException as exc:
            self._plugins.failed(name, exc, what)
