"""Deleting calls that are past their time, in small steps. Executions are the engine's."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import KEEP_ALL, Retention
from jackfield_webhooks.settings import HistorySettings, WebhookSettings

_DAY_MS = 86_400_000
_PAUSE = 0.05
"""Seconds between two steps, in which others write."""


def hold_cap(context: PluginContext) -> None:
    """In each process that takes calls: it may have a store of its own."""
    context.store.hold_caps(calls=context.settings(WebhookSettings).history.max_calls)


async def prune_forever(context: PluginContext) -> None:
    """Every `webhooks.history.prune_interval` seconds; goes on while there is more to delete than one step takes."""
    history = context.settings(WebhookSettings).history
    while True:
        await context.clock.sleep(history.prune_interval)
        try:
            while await _prune(context, history):
                await context.clock.sleep(_PAUSE)
        except StoreUnavailable:
            context.log.warning("The webhook history could not be pruned; it is tried again later.")


async def _prune(context: PluginContext, history: HistorySettings) -> bool:
    """One step; whether there may be more."""
    now = context.clock.now_ms()
    retention = Retention(
        executions_before=0,
        executions_keep=KEEP_ALL,
        calls_before=now - round(history.max_age_days * _DAY_MS),
        calls_keep=history.max_calls,
        now=now,
    )
    return await context.store.prune(retention) >= retention.limit
