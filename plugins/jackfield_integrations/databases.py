"""Gives `jackfield.api.databases.DatabaseConnections` to the nodes of other plugins: the same targets, limits and
drivers as those of this plugin's own."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from jackfield.api.context import PluginContext
from jackfield.api.credentials import CredentialKind
from jackfield.api.databases import MongoConnection, RedisConnection, SqlConnection
from jackfield.api.nodes import NodeError, NodeUnavailable
from jackfield_integrations.idle import IdleSessions
from jackfield_integrations.kinds import MONGO_DB, POSTGRES, REDIS
from jackfield_integrations.libraries import sessions_of
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets


class SharedConnections:
    """`DatabaseConnections`: at most `integrations.max_connections` at once; others wait. Those that are done may serve
    the next one with the same credential (`integrations.idle_connections`)."""

    def __init__(self, context: PluginContext) -> None:
        settings = self._settings = context.settings(IntegrationSettings)
        self._idle = IdleSessions(
            context.spawn, settings.idle_connections, settings.idle_seconds, settings.connect_timeout
        )
        self._targets = Targets(self._settings)
        self._slots = asyncio.Semaphore(self._settings.max_connections)

    def postgres(self, values: Mapping[str, object]) -> AbstractAsyncContextManager[SqlConnection]:
        return self._opened(POSTGRES, values)

    def redis(self, values: Mapping[str, object]) -> AbstractAsyncContextManager[RedisConnection]:
        return self._opened(REDIS, values)

    def mongo(self, values: Mapping[str, object]) -> AbstractAsyncContextManager[MongoConnection]:
        return self._opened(MONGO_DB, values)

    @contextlib.asynccontextmanager
    async def _opened(
        self, kind: CredentialKind, values: Mapping[str, object]
    ) -> AsyncIterator[Any]:  # a session of the module's own class
        sessions = await sessions_of(kind)
        limit = self._settings.timeout
        deadline = asyncio.timeout(limit)
        try:
            async with (
                deadline,
                self._slots,
                self._idle.lent(
                    key_of(kind.name, values),
                    lambda: sessions.opened(self._targets, DriverCredential(kind, values), self._settings),
                    alive,
                ) as session,
            ):
                yield session
        except TimeoutError:
            if not deadline.expired():
                raise
            raise NodeUnavailable(f"The database took longer than {limit:g} seconds (integrations.timeout).") from None


def key_of(kind: str, values: Mapping[str, object]) -> str:
    """Tells credentials apart, without what is in them."""
    text = repr((kind, sorted((name, str(value)) for name, value in values.items())))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


async def alive(session: Any) -> bool:  # of any of the drivers' classes
    """Whether it still answers."""
    try:
        await session.answers()
    except NodeError:
        return False
    return True
