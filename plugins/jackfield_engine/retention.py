"""Deleting executions that are past their time, in small steps. Calls of webhooks are the webhooks' own."""

from __future__ import annotations

from functools import partial

from jackfield.api.context import PluginContext
from jackfield.api.pruning import prune_forever
from jackfield.api.storage import KEEP_ALL, Retention
from jackfield_engine.settings import ExecutionsSettings

_HOUR_MS = 3_600_000
_FAILED = "Old executions could not be deleted; it is tried again later."


def start(context: PluginContext) -> None:
    """A worker process may have its own store, and what it adds passes the cap, too."""
    settings = context.settings(ExecutionsSettings)
    context.store.hold_caps(executions=settings.max_count)
    if not context.service.worker:
        work = prune_forever(context, settings.prune_interval, partial(retention_at, settings), _FAILED)
        context.spawn("retention", work)


def retention_at(settings: ExecutionsSettings, now: int) -> Retention:
    """The executions to delete. `now`: Unix time in milliseconds."""
    return Retention(
        executions_before=now - round(settings.max_age_hours * _HOUR_MS),
        executions_keep=settings.max_count,
        calls_before=0,
        calls_keep=KEEP_ALL,
        now=now,
    )
