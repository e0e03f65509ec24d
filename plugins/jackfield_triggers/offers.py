"""What the plugin gives at the start. Nothing more is imported before a workflow has such a trigger."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.resealing import SealedValues
from jackfield.api.triggers import Trigger
from jackfield_triggers.kinds import POLL, SUBSCRIBE, SUBSCRIPTIONS
from jackfield_triggers.subscribing.records import SubscriptionRecords
from jackfield_triggers.triggers import PollTrigger, SubscribeTrigger

_RUNNING = "jackfield_triggers.running"
_RETRY_S = 1.0


def triggers(context: PluginContext) -> Sequence[Trigger]:
    return [PollTrigger(context), SubscribeTrigger(context)]


def sealed_values(context: PluginContext) -> Sequence[SealedValues]:
    return [context.port(SubscriptionRecords)]


def start(context: PluginContext) -> None:
    context.spawn("triggers", _serve(context))


async def _serve(context: PluginContext) -> None:
    """Behind the start, and only where there is something to serve: the first workflow that goes live begins it
    else."""
    while True:
        try:
            needed = await _is_needed(context)
            break
        except StoreUnavailable:
            await context.clock.sleep(_RETRY_S)
    if needed:
        (await asyncio.to_thread(import_module, _RUNNING)).begin(context)


async def _is_needed(context: PluginContext) -> bool:
    """Whether anything is live, or a service still has something to end. Other daemons of a shared store may make it
    so at any time."""
    if not context.store.exclusive or await context.store.fact(SUBSCRIPTIONS) is not None:
        return True
    page = await context.store.webhooks(kind=(POLL, SUBSCRIBE), offset=0, limit=1, active=True, workflow_id=None)
    return bool(page.rows)
