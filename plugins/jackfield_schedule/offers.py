"""The offers that the plugin names at the start; a workflow's first use makes them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer
from jackfield.api.triggers import OfferedTrigger, Trigger
from jackfield_schedule.kinds import KINDS

_TRIGGER = "jackfield_schedule.trigger"


def nodes(context: PluginContext) -> Sequence[NodeOffer]:
    return [NodeOffer(kind, "jackfield_schedule.nodes:node", (context, kind)) for kind in KINDS]


def triggers(context: PluginContext) -> Sequence[Trigger]:
    return [OfferedTrigger("schedule", KINDS, f"{_TRIGGER}:of_daemon", context)]


def start(context: PluginContext) -> None:
    context.spawn("schedules", _serve(context))


async def _serve(context: PluginContext) -> None:
    """Behind the start: nothing is due before the moment at which this reads the store."""
    trigger = (await asyncio.to_thread(import_module, _TRIGGER)).of_daemon(context)
    await trigger.run()
