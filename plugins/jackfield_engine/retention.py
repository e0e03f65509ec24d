"""Deleting executions that are past their time, in small steps. Calls of webhooks are the webhooks' own."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import KEEP_ALL, Retention
from jackfield_engine.settings import ExecutionsSettings

_HOUR_MS = 3_600_000
_PAUSE = 0.05
"""Seconds between two steps, in which others write."""


def start(context: PluginContext) -> None:
    """A worker process may have a store of its own, and what it adds passes the cap, too."""
    settings = context.settings(ExecutionsSettings)
    context.store.hold_caps(executions=settings.max_count)
    if not context.service.worker:
        context.spawn("retention", prune_forever(context, settings))


async def prune_forever(context: PluginContext, settings: ExecutionsSettings) -> None:
    """Every `executions.prune_interval` seconds; goes on while there is more to delete than one step takes."""
    while True:
        await context.clock.sleep(settings.prune_interval)
        try:
            while await prune(context, settings):
                await context.clock.sleep(_PAUSE)
        except StoreUnavailable:
            context.log.warning("Old executions could not be deleted; it is tried again later.")


async def prune(context: PluginContext, settings: ExecutionsSettings) -> bool:
    """One step; whether there may be more."""
    now = context.clock.now_ms()
    retention = Retention(
        executions_before=now - round(settings.max_age_hours * _HOUR_MS),
        executions_keep=settings.max_count,
        calls_before=0,
        calls_keep=KEEP_ALL,
        now=now,
    )
    return await context.store.prune(retention) >= retention.limit
