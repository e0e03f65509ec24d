"""Deleting calls that are past their time, in small steps. Executions are the engine's."""

from __future__ import annotations

from functools import partial

from jackfield.api import pruning
from jackfield.api.context import PluginContext
from jackfield.api.storage import KEEP_ALL, Retention
from jackfield_webhooks.settings import HistorySettings, WebhookSettings

_DAY_MS = 86_400_000
_FAILED = "The webhook history could not be pruned; it is tried again later."


def hold_cap(context: PluginContext) -> None:
    """In each process that takes calls: it may have its own store."""
    context.store.hold_caps(calls=context.settings(WebhookSettings).history.max_calls)


async def prune_forever(context: PluginContext) -> None:
    """Every `webhooks.history.prune_interval` seconds."""
    history = context.settings(WebhookSettings).history
    await pruning.prune_forever(context, history.prune_interval, partial(_retention_at, history), _FAILED)


def _retention_at(history: HistorySettings, now: int) -> Retention:
    """The calls to delete. now: Unix time in milliseconds."""
    return Retention(
        executions_before=0,
        executions_keep=KEEP_ALL,
        calls_before=now - round(history.max_age_days * _DAY_MS),
        calls_keep=history.max_calls,
        now=now,
    )
