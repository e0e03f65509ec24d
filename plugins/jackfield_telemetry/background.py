"""What the plugin does beside requests: from the daemon's start on, until its stop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from jackfield_telemetry.otel import own_sinks
from jackfield_telemetry.settings import TelemetrySettings

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext

WATCH_SECONDS = 10
"""After the start, until logs are followed: `/ready` and the first requests do not wait for it."""
STOP_SECONDS = 6

_tasks: dict[int, list[asyncio.Task[None]]] = {}
"""By the identity of the daemon's context."""


def start(context: PluginContext) -> None:
    tasks = _tasks.setdefault(id(context), [])
    if context.settings(TelemetrySettings).watch:
        tasks.append(context.spawn("follow the logs of agents", _follow(context)))
    tasks += [context.spawn("export executions", sink.follow_executions()) for sink in own_sinks(context)]


async def stop(context: PluginContext) -> None:
    """Before the ledger is closed."""
    if tasks := _tasks.pop(id(context), []):
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=STOP_SECONDS)


async def _follow(context: PluginContext) -> None:
    await context.clock.sleep(WATCH_SECONDS)
    from jackfield_telemetry.watching import Follower

    follower = Follower(context)
    heeding = context.spawn("heed new profiles", follower.heed_profiles())
    try:
        await follower.follow()
    finally:
        heeding.cancel()
