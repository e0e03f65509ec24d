"""Deleting calls that are past their time, in small steps. Executions are the engine's."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.growth import step_of
from jackfield.api.storage import KEEP_ALL, Retention
from jackfield_webhooks.settings import HistorySettings, WebhookSettings

_DAY_MS = 86_400_000
_SHARE = 125
"""A look at a webhook's calls passes over all that are kept: more of them would cost more than they are worth."""
_PAUSE = 0.05
"""Seconds between two steps, in which others write."""


async def prune_forever(context: PluginContext) -> None:
    """Every `webhooks.history.prune_interval` seconds, and for the cap of single webhooks after each 125th of
    it; goes on while there is more to delete than one step takes."""
    history = context.settings(WebhookSettings).history
    added = context.store.added_calls
    step = step_of(history.max_calls, _SHARE)
    due = context.clock.monotonic() + history.prune_interval
    while True:
        if await added.wait(step, context.clock, due - context.clock.monotonic()):
            retention = _caps(history, added.take(step))
        else:
            added.take_all()
            due = context.clock.monotonic() + history.prune_interval
            retention = _everything(context, history)
        try:
            while await context.store.prune(retention) >= retention.limit:
                await context.clock.sleep(_PAUSE)
        except StoreUnavailable:
            context.log.warning("The webhook history could not be pruned; it is tried again later.")


def _caps(history: HistorySettings, webhooks: Sequence[str]) -> Retention:
    return Retention(0, KEEP_ALL, 0, history.max_calls, 0, webhooks=webhooks)


def _everything(context: PluginContext, history: HistorySettings) -> Retention:
    now = context.clock.now_ms()
    return Retention(
        executions_before=0,
        executions_keep=KEEP_ALL,
        calls_before=now - round(history.max_age_days * _DAY_MS),
        calls_keep=history.max_calls,
        now=now,
    )
