"""Webhooks: the trigger, the ingress that serves `/webhook` and `/webhook-test`, their history and management."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    from quart import Blueprint

    from jackfield.api.asgi import AsgiMount
    from jackfield.api.context import PluginContext
    from jackfield.api.nodes import NodeType
    from jackfield.api.triggers import Trigger


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_webhooks.settings import WebhookSettings

    return [SettingsTable("webhooks", WebhookSettings)]


@hookimpl
def jackfield_nodes() -> Sequence[NodeType]:
    from jackfield_webhooks.node import WebhookNode

    return [WebhookNode()]


@hookimpl
def jackfield_triggers(context: PluginContext) -> Sequence[Trigger]:
    from jackfield_webhooks.trigger import WebhookTrigger

    return [WebhookTrigger(context)]


@hookimpl
def jackfield_asgi(context: PluginContext) -> Sequence[AsgiMount]:
    from jackfield_webhooks.mounts import mounts

    return mounts(context)


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_webhooks.routes import blueprint

    return [blueprint(context)]


@hookimpl
async def jackfield_startup(context: PluginContext) -> None:
    from jackfield_webhooks.trigger import trigger_of

    await trigger_of(context).start()


@hookimpl
async def jackfield_shutdown(context: PluginContext) -> None:
    from jackfield_webhooks.trigger import trigger_of

    await trigger_of(context).stop()
