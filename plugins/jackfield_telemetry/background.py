"""The plugin's work beside requests: from the daemon's start on, until its stop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

from jackfield.api.context import PluginContext
from jackfield.api.object_references import load
from jackfield.api.telemetry import TELEMETRY_SINKS
from jackfield_telemetry.settings import TelemetrySettings

WATCH_SECONDS = 10
"""After the start, until logs are followed: `/ready` and the first requests do not wait for it."""
SETTLE_SECONDS = 2
"""After the start, until the log of sessions is looked at."""
STOP_SECONDS = 6
SINKS = "jackfield_telemetry.sinks.feed"
"""A daemon without sinks does not load it."""
SERVICE = "jackfield_telemetry.service:UsageService"
SHARING = "jackfield_telemetry.sharing.shipping:LedgerSharing"
"""A daemon that has its store for itself does not load it."""


class Background:
    """The tasks of one daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        context = self._context
        if context.extensions(TELEMETRY_SINKS):
            cast("Callable[[PluginContext], None]", load(f"{SINKS}:start"))(context)
        if context.service.worker:
            return  # which runs executions, and has no ledger
        context.spawn("settle the log of sessions", self._settle())
        if context.settings(TelemetrySettings).watch:
            self._tasks.append(context.spawn("follow the logs of agents", self._follow()))
        if not context.store.exclusive:
            self._tasks.append(context.spawn("share the ledger of usage", self._share()))

    async def stop(self) -> None:
        """Before the ledger is closed."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=STOP_SECONDS)

    async def _settle(self) -> None:
        """Where there is no log of sessions yet, nothing is loaded."""
        await self._context.clock.sleep(SETTLE_SECONDS)
        if (self._context.service.config_dir / "telemetry" / "sessions.jsonl").exists():
            await (await _loaded("jackfield_telemetry.service:settle"))(self._context)

    async def _share(self) -> None:
        await (await _loaded("jackfield_telemetry.sharing.shipping:run"))(self._context)

    async def _follow(self) -> None:
        await self._context.clock.sleep(WATCH_SECONDS)
        await (await _loaded("jackfield_telemetry.watching.following:follow"))(self._context)


async def _loaded(place: str) -> Callable[[PluginContext], Awaitable[None]]:
    """A thread imports it, since a start loads none of it and later requests should not wait."""
    return cast("Callable[[PluginContext], Awaitable[None]]", await asyncio.to_thread(load, place))


def start(context: PluginContext) -> None:
    context.port(Background).start()


async def stop(context: PluginContext) -> None:
    await context.port(Background).stop()
    if context.is_built(SHARING):
        await (await _loaded("jackfield_telemetry.sharing.shipping:finish"))(context)
    if context.is_built(SERVICE):
        await (await _loaded("jackfield_telemetry.service:close"))(context)
    if context.is_built(f"{SINKS}:SinkFeed"):
        await (await _loaded(f"{SINKS}:stop"))(context)
