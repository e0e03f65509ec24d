"""What happens, told over the WebSocket `/ws`, and the daemon's own status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    from quart import Blueprint

    from jackfield.api.asgi import AsgiMount
    from jackfield.api.context import PluginContext


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_events.settings import EventsSettings

    return [SettingsTable("events", EventsSettings)]


@hookimpl
def jackfield_asgi(context: PluginContext) -> Sequence[AsgiMount]:
    from jackfield_events.app import mounts

    return mounts(context)


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_events.logs import blueprint
    from jackfield_events.status import blueprints

    return [*blueprints(context), blueprint(context)]


@hookimpl
async def jackfield_startup(context: PluginContext) -> None:
    from jackfield_events.endpoint import announce

    await announce(context.service)


@hookimpl
async def jackfield_shutdown(context: PluginContext) -> None:
    from jackfield_events.endpoint import withdraw

    await withdraw(context.service)
