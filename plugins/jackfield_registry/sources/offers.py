"""The sources that come with Jackfield. A source that fetches from the web is loaded when a sync needs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import cast

from jackfield.api.context import PluginContext
from jackfield.api.object_references import load
from jackfield.api.registry import OpenSource, RegistrySource
from jackfield_registry.settings import RegistrySettings
from jackfield_registry.sources.directory import open_directory


class DirectorySource:
    """See `jackfield_registry.sources.directory`."""

    schemes: tuple[str, ...] = ("file", "")

    def open(self, base: str) -> AbstractAsyncContextManager[OpenSource]:
        return open_directory(base)


class WebServerSource:
    """See `jackfield_registry.sources.web`."""

    schemes: tuple[str, ...] = ("https", "http")

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def open(self, base: str) -> AbstractAsyncContextManager[OpenSource]:
        settings = self._context.settings(RegistrySettings)
        open_web = cast(
            "Callable[..., AbstractAsyncContextManager[OpenSource]]", load("jackfield_registry.sources.web:open_web")
        )
        return open_web(base, timeout=settings.timeout, allow_http=settings.allow_http)


def sources(context: PluginContext) -> Sequence[RegistrySource]:
    return [DirectorySource(), WebServerSource(context)]
