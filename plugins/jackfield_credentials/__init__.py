"""Credentials: kinds, sealed values, OAuth 2 tokens, and how they get onto requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    from quart import Blueprint

    from jackfield.api.asgi import AsgiMount
    from jackfield.api.context import PluginContext
    from jackfield.api.credentials import CredentialKind, Credentials


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_credentials.settings import CredentialSettings

    return [SettingsTable("credentials", CredentialSettings)]


@hookimpl
def jackfield_credential_kinds(context: PluginContext) -> Sequence[CredentialKind]:
    from jackfield_credentials.kinds import KINDS

    return KINDS


@hookimpl
def jackfield_credentials(context: PluginContext) -> Credentials:
    from jackfield_credentials.port import CredentialPort

    return CredentialPort(context)


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_credentials.routes import blueprints

    return blueprints(context)


@hookimpl
def jackfield_asgi(context: PluginContext) -> Sequence[AsgiMount]:
    from jackfield_credentials.port import mounts

    return mounts(context)


@hookimpl
def jackfield_shutdown(context: PluginContext) -> None:
    import sys

    if service := sys.modules.get("jackfield_credentials.service"):
        service.forget(context)
