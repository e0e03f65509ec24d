"""What the plugin does at the start and the stop, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.auth import AuthMethod
from jackfield.api.context import PluginContext
from jackfield_auth.service import Auth


def methods(context: PluginContext) -> Sequence[AuthMethod]:
    return context.port(Auth).methods


async def start(context: PluginContext) -> None:
    await context.port(Auth).open()


async def stop(context: PluginContext) -> None:
    await context.port(Auth).close()
