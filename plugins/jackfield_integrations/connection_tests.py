"""`POST /credentials/{id}/test` of databases: connect, sign in, leave."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from jackfield.api.context import PluginContext
from jackfield.api.credentials import CredentialKind
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield_integrations.kinds import KINDS
from jackfield_integrations.libraries import load
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets

_SESSIONS = {
    "postgres": ("sql.postgres_session", "postgres"),
    "mySql": ("sql.mysql_session", "mysql"),
    "redis": ("redis_session", "redis"),
    "mongoDb": ("mongo_session", "mongodb"),
}
"""Kind -> the module that opens a session, and the extra that it needs."""


def kinds(context: PluginContext) -> Sequence[CredentialKind]:
    """All kinds, with a connection test where there is one."""
    return [
        replace(kind, connection_test=_connection_test(context, kind)) if kind.name in _SESSIONS else kind
        for kind in KINDS
    ]


def _connection_test(context: PluginContext, kind: CredentialKind) -> Callable[[Mapping[str, str]], Awaitable[str]]:
    return partial(_tried, context, kind)


async def _tried(context: PluginContext, kind: CredentialKind, values: Mapping[str, str]) -> str:
    settings = context.settings(IntegrationSettings)
    given = DriverCredential(kind, values)
    sessions = await load(*_SESSIONS[kind.name])
    deadline = asyncio.timeout(settings.timeout)
    try:
        async with deadline, sessions.opened(Targets(settings), given, settings):
            return f"{_place(given)} accepted the credential."
    except TimeoutError:
        if not deadline.expired():
            raise
        limit = f"{settings.timeout:g}"
        raise NodeError(f"{_place(given)} took longer than {limit} seconds (integrations.timeout).") from None


def _place(values: DriverCredential) -> str:
    """The server's name, where a field of its own has it."""
    return "The server" if values.text("configurationType") == "connectionString" else values.text("host")
