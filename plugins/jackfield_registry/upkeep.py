"""Syncing by itself, where the settings want it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import cast

from jackfield.api.context import PluginContext
from jackfield.api.object_references import load
from jackfield_registry.settings import RegistrySettings


def start(context: PluginContext) -> None:
    """Sync behind the start and then regularly."""
    settings = context.settings(RegistrySettings)
    if settings.auto_sync and settings.url:
        forever = cast(
            "Callable[..., Coroutine[object, object, None]]", load("jackfield_registry.auto_sync:sync_for_ever")
        )
        context.spawn("auto_sync", forever(context, settings.auto_sync_interval))
