"""Users, logins, tokens, API keys and Basic: who calls, and how that is proved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    import click
    from quart import Blueprint

    from jackfield.api.auth import AuthMethod
    from jackfield.api.context import PluginContext


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_auth.settings import TABLES

    return TABLES


@hookimpl
def jackfield_auth_methods(context: PluginContext) -> Sequence[AuthMethod]:
    from jackfield_auth.service import auth_of

    return auth_of(context).methods


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_auth.routes import blueprints
    from jackfield_auth.service import auth_of

    return blueprints(auth_of(context))


@hookimpl
def jackfield_commands() -> Sequence[click.Command]:
    from jackfield_auth.commands import user
    from jackfield_auth.open_command import open_ui

    return [user, open_ui]


@hookimpl
async def jackfield_startup(context: PluginContext) -> None:
    from jackfield_auth.service import auth_of

    await auth_of(context).open()


@hookimpl
async def jackfield_shutdown(context: PluginContext) -> None:
    from jackfield_auth.service import auth_of, forget

    await auth_of(context).close()
    forget(context)
