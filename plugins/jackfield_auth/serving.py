"""The plugin's work at the start and the stop, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.auth import AuthMethod
from jackfield.api.context import PluginContext
from jackfield_auth.service import AuthService
from jackfield_auth.users.accounts import UserAccounts


def methods(context: PluginContext) -> Sequence[AuthMethod]:
    return context.port(AuthService).methods


def users(context: PluginContext) -> UserAccounts:
    return context.port(AuthService).accounts


async def start(context: PluginContext) -> None:
    await context.port(AuthService).open()


async def stop(context: PluginContext) -> None:
    await context.port(AuthService).close()
