"""Deleting calls that are past their time, in small steps. Executions are the engine's."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import Retention
from jackfield_webhooks.settings import WebhookSettings

_DAY_MS = 86_400_000
_EVERYTHING = 1 << 53


async def prune_forever(context: PluginContext) -> None:
    """Every `webhooks.history.prune_interval` seconds; goes on while there is more to delete than one step takes."""
    settings = context.settings(WebhookSettings)
    while True:
        await context.clock.sleep(settings.history.prune_interval)
        try:
            while await _prune(context, settings):
                await context.clock.sleep(0.05)
        except StoreUnavailable:
            context.log.warning("The webhook history could not be pruned; it is tried again later.")


async def _prune(context: PluginContext, settings: WebhookSettings) -> bool:
    now = context.clock.now_ms()
    retention = Retention(
        executions_before=0,
        executions_keep=_EVERYTHING,
        calls_before=now - round(settings.history.max_age_days * _DAY_MS),
        calls_keep=settings.history.max_calls,
        now=now,
    )
    return await context.store.prune(retention) >= retention.limit
