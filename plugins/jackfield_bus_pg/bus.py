"""One connection that listens, and that notifies in between."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any, TypeAlias

import psycopg
from psycopg import conninfo

from jackfield.api.bus_drivers import LineBus
from jackfield.api.clock import Clock
from jackfield.api.errors import ConfigurationError
from jackfield_bus_pg.settings import PostgresBusSettings

Connection: TypeAlias = "psycopg.AsyncConnection[tuple[Any, ...]]"
"""Any: the columns of a row have the types of its statement."""
_OPTIONS: dict[str, str | int] = {
    "application_name": "jackfield bus", "keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5,
    "keepalives_count": 3,
}  # fmt: skip
"""Half-open connections end within half a minute. Seconds."""
_NOTIFY = "SELECT pg_notify(%s, %s)"
_POOLED = "a pooler stands before the server, where nobody can listen; set bus.pg.dsn to the server's own address"


class PostgresBus(LineBus):
    """`jackfield.api.bus.Bus`. Messages that are sent within one round trip to the server go in one notification."""

    name = "pg"

    def __init__(self, dsn: str, settings: PostgresBusSettings, clock: Clock, log: logging.Logger) -> None:
        """Raises `ConfigurationError` for an address that cannot be read."""
        super().__init__(clock, log)
        try:
            self._address: dict[str, Any] = conninfo.conninfo_to_dict(dsn)  # Any: whatever libpq takes
        except psycopg.Error:
            raise ConfigurationError("The address of the bus is not one that PostgreSQL's libpq can read.") from None
        self._settings = settings
        self._connection: Connection | None = None

    @property
    def password(self) -> str:
        return str(self._address.get("password") or "")

    async def serve(self) -> None:
        """Raises psycopg.Error, OSError, TimeoutError."""
        connection = await self._connected()
        try:
            self._connection = connection
            self.is_up()
            while True:
                await self.flush()
                self._take(connection)
                await self._wait(connection)
        finally:
            self._connection = None
            await _closed(connection)

    async def send_batch(self, batch: bytes) -> None:
        """Raises psycopg.Error, TimeoutError."""
        if self._connection is not None:
            notify = self._connection.execute(_NOTIFY, [self._settings.channel, batch.decode()])
            await asyncio.wait_for(notify, self._settings.timeout)

    async def _connected(self) -> Connection:
        timeout = max(2, round(self._settings.timeout))
        options = {**_OPTIONS, "connect_timeout": timeout, **self._address, "client_encoding": "UTF8"}
        connection: Connection = await psycopg.AsyncConnection.connect("", autocommit=True, **options)
        try:
            connection.add_notify_handler(lambda notify: self.received(notify.payload.encode()))
            row = await (await connection.execute("SELECT pg_backend_pid()")).fetchone()
            if row is None or row[0] != connection.info.backend_pid:
                raise psycopg.OperationalError(_POOLED)
            await connection.execute(f"LISTEN {self._settings.channel}".encode())
        except BaseException:
            await _closed(connection)
            raise
        return connection

    async def _wait(self, connection: Connection) -> None:
        """Until the server sends something, or something waits to be sent."""
        loop, line = asyncio.get_running_loop(), connection.fileno()
        loop.add_reader(line, self.outgoing.set)
        try:
            await self.outgoing.wait()
        finally:
            loop.remove_reader(line)

    def _take(self, connection: Connection) -> None:
        """The messages that the server has sent meanwhile. Raises psycopg.Error when the connection is gone."""
        connection.pgconn.consume_input()
        while (notify := connection.pgconn.notifies()) is not None:
            self.received(notify.extra)


async def _closed(connection: Connection) -> None:
    with contextlib.suppress(psycopg.Error):
        await connection.close()
