"""What the plugin gives at the start. The parts behind it are loaded when the registry is used first."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Metric
from jackfield.api.errors import JackfieldError
from jackfield.api.registry import OpenSource, RegistrySource, RegistryStatus
from jackfield_registry.settings import RegistrySettings


class RegistryPort:
    """See `jackfield.api.registry.Registry`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def status(self) -> RegistryStatus:
        from jackfield_registry.service import RegistryService

        return await self._context.port(RegistryService).status()

    async def sync(self, *, force: bool = False) -> RegistryStatus:
        from jackfield_registry.service import RegistryService

        return await self._context.port(RegistryService).sync(force=force)


class _Files:
    """See `jackfield_registry.files.FileSource`."""

    schemes: tuple[str, ...] = ("file", "")

    def open(self, base: str) -> AbstractAsyncContextManager[OpenSource]:
        from jackfield_registry.files import open_directory

        return open_directory(base)


class _Web:
    """See `jackfield_registry.web.WebSource`."""

    schemes: tuple[str, ...] = ("https", "http")

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def open(self, base: str) -> AbstractAsyncContextManager[OpenSource]:
        from jackfield_registry.web import open_web

        settings = self._context.settings(RegistrySettings)
        return open_web(base, timeout=settings.timeout, allow_http=settings.allow_http)


def sources(context: PluginContext) -> Sequence[RegistrySource]:
    return [_Files(), _Web(context)]


def metrics(context: PluginContext) -> Sequence[Metric]:
    """How often was synced since the start."""
    counts: dict[str, int] = {}
    if context.is_built("jackfield_registry.service:RegistryService"):
        from jackfield_registry.service import RegistryService

        counts = context.port(RegistryService).counts
    return [
        Metric("registry_syncs_total", "Syncs of the registry by result.", "counter", counts.get(result, 0), labels)
        for result in ("updated", "unchanged", "failed")
        for labels in ({"result": result},)
    ]


def sync_by_itself(context: PluginContext) -> None:
    """Sync behind the start and then regularly, where the settings want it."""
    settings = context.settings(RegistrySettings)
    if settings.auto_sync and settings.url:
        context.spawn("auto_sync", _sync_for_ever(context, settings.auto_sync_interval))


async def _sync_for_ever(context: PluginContext, interval: float) -> None:
    from jackfield_registry.service import RegistryService

    while True:
        try:
            await context.port(RegistryService).sync(unattended=True)
        except JackfieldError as exc:
            context.log.warning("The registry was not synced: %s", exc.message)
        await context.clock.sleep(interval)
