"""The work of `jackfield registry`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield_registry.ports import LocalRegistry, TellProgress
from jackfield_registry.views import offer_view, status_view


async def sync(context: PluginContext, force: bool, tell: TellProgress) -> Mapping[str, Json]:
    return status_view(await context.port(LocalRegistry).sync(force=force, tell=tell))


async def offer(context: PluginContext, force: bool) -> Mapping[str, Json]:
    return offer_view(await context.port(LocalRegistry).offer(force=force))


async def status(context: PluginContext) -> tuple[Mapping[str, Json], Sequence[str]]:
    """The state, and what is damaged."""
    registry = context.port(LocalRegistry)
    return status_view(await registry.status()), await registry.damage()


async def verify(context: PluginContext) -> Sequence[str]:
    return await context.port(LocalRegistry).verify()


async def pin(context: PluginContext, commit: str | None) -> Mapping[str, Json]:
    return status_view(await context.port(LocalRegistry).pin(commit))
