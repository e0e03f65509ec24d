"""Deleting executions that are past their time, in small steps. Calls of webhooks are the webhooks' own."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.growth import step_of
from jackfield.api.storage import KEEP_ALL, Retention
from jackfield_engine.settings import ExecutionsSettings

_HOUR_MS = 3_600_000
_SHARE = 200
"""While a look is under way more comes: the cap is passed by less than two such parts."""
_PAUSE = 0.05
"""Seconds between two steps, in which others write."""


def start(context: PluginContext) -> None:
    context.spawn("retention", prune_forever(context, context.settings(ExecutionsSettings)))


async def prune_forever(context: PluginContext, settings: ExecutionsSettings) -> None:
    """Every `executions.prune_interval` seconds, and for the cap alone after each 200th of it; goes on while
    there is more to delete than one step takes."""
    added = context.store.added_executions
    interval = settings.prune_interval
    due = context.clock.monotonic() + interval
    while True:
        growing = await added.wait(step_of(settings.max_count, _SHARE), context.clock, due - context.clock.monotonic())
        added.take_all()
        retention = cap_alone if growing else every_limit
        if not growing:
            due = context.clock.monotonic() + interval
        try:
            while await prune(context, retention(context, settings)):
                await context.clock.sleep(_PAUSE)
        except StoreUnavailable:
            context.log.warning("Old executions could not be deleted; it is tried again later.")


async def prune(context: PluginContext, retention: Retention) -> bool:
    """One step; whether there may be more."""
    return await context.store.prune(retention) >= retention.limit


def cap_alone(_: PluginContext, settings: ExecutionsSettings) -> Retention:
    return Retention(0, settings.max_count, 0, KEEP_ALL, 0)


def every_limit(context: PluginContext, settings: ExecutionsSettings) -> Retention:
    now = context.clock.now_ms()
    return Retention(
        executions_before=now - round(settings.max_age_hours * _HOUR_MS),
        executions_keep=settings.max_count,
        calls_before=0,
        calls_keep=KEEP_ALL,
        now=now,
    )
