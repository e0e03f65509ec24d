"""Schedules: the trigger that starts workflows at times, and its nodes scheduleTrigger, cron and interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.nodes import NodeType
    from jackfield.api.triggers import Trigger


KINDS = ("scheduleTrigger", "cron", "interval")


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_schedule.settings import ScheduleSettings

    return [SettingsTable("schedule", ScheduleSettings)]


@hookimpl
def jackfield_nodes(context: PluginContext) -> Sequence[NodeType]:
    from functools import partial

    from jackfield.api.lazy import LazyNode

    return [LazyNode(kind, partial(_node, context, kind)) for kind in KINDS]


@hookimpl
def jackfield_triggers(context: PluginContext) -> Sequence[Trigger]:
    from jackfield.api.lazy import LazyTrigger

    return [LazyTrigger("schedule", KINDS, lambda: _trigger(context))]


@hookimpl
def jackfield_startup(context: PluginContext) -> None:
    context.spawn("schedules", _serve(context))


def _node(context: PluginContext, kind: str) -> NodeType:
    from jackfield_schedule.nodes import node_types

    return next(node for node in node_types(context) if node.kind == kind)


def _trigger(context: PluginContext) -> Trigger:
    from jackfield_schedule.trigger import ScheduleTrigger

    return ScheduleTrigger(context)


async def _serve(context: PluginContext) -> None:
    """Behind the start: nothing is due before the moment at which this reads the store."""
    import asyncio
    from importlib import import_module

    await asyncio.to_thread(import_module, "jackfield_schedule.trigger")
    from jackfield_schedule.trigger import trigger_of

    await trigger_of(context).run()
