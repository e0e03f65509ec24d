"""The plugin's offers at the start. Nothing more is imported before a workflow has such a trigger."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from importlib import import_module

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer
from jackfield.api.resealing import SealedValues
from jackfield.api.triggers import OfferedTrigger, Trigger
from jackfield_triggers.kinds import LIFECYCLE, LIFECYCLE_NODES, OF_SERVICES, SUBSCRIPTIONS
from jackfield_triggers.store_waits import answered
from jackfield_triggers.subscribing.records import SubscriptionRecords
from jackfield_triggers.triggers import ListenTrigger, PollTrigger, SubscribeTrigger

_RUNNING = "jackfield_triggers.running"
_LIFECYCLE = "jackfield_triggers.lifecycle"


def nodes(context: PluginContext) -> Sequence[NodeOffer]:
    return [NodeOffer(kind, f"{_LIFECYCLE}.nodes:node", (context, kind)) for kind in LIFECYCLE_NODES]


def triggers(context: PluginContext) -> Sequence[Trigger]:
    lifecycle = OfferedTrigger(LIFECYCLE, LIFECYCLE_NODES, f"{_LIFECYCLE}.trigger:of_daemon", context)
    return [PollTrigger(context), SubscribeTrigger(context), ListenTrigger(context), lifecycle]


def sealed_values(context: PluginContext) -> Sequence[SealedValues]:
    return [context.port(SubscriptionRecords)]


def start(context: PluginContext) -> None:
    context.spawn("triggers", _serve(context))


async def _serve(context: PluginContext) -> None:
    """Behind the start, and only where there is something to serve: the first workflow that goes live begins it
    else."""
    if await answered(context.clock, partial(_is_needed, context)):
        (await asyncio.to_thread(import_module, _RUNNING)).begin(context)
    if not context.service.worker and await answered(context.clock, partial(_has_own_events, context)):
        trigger = (await asyncio.to_thread(import_module, f"{_LIFECYCLE}.trigger")).of_daemon(context)
        await trigger.begun()


async def _is_needed(context: PluginContext) -> bool:
    """Whether anything is live, or a service still has something to end. Other daemons of a shared store may make it
    so at any time."""
    if not context.store.exclusive or await context.store.fact(SUBSCRIPTIONS) is not None:
        return True
    page = await context.store.webhooks(kind=OF_SERVICES, offset=0, limit=1, active=True, workflow_id=None)
    return bool(page.rows)


async def _has_own_events(context: PluginContext) -> bool:
    """Whether any workflow has a node that the daemon starts, live or not: the end of its life may be untold."""
    page = await context.store.webhooks(kind=LIFECYCLE, offset=0, limit=1, active=None, workflow_id=None)
    return bool(page.rows)
