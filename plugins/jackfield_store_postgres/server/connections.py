"""Connections to the database, and how values travel on them.

Through a pooler no connection keeps a state between two transactions: neither settings nor prepared statements, and
never temporary tables, advisory locks or channels. That is what PgBouncer in transaction mode asks for.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from typing import Any, TypeAlias

import psycopg
from psycopg import adapters, conninfo, pq
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Dumper, Loader

from jackfield_store_postgres import columns, failures
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.texts import encoded_text, plain_text

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"
"""Any: the columns of a row have the types of its statement."""

_USES = 5
"""Of a statement, until the server keeps its plan."""
_KEEPALIVE: dict[str, int] = {"keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
"""Half-open connections end within half a minute. Seconds."""


class _TextDumper(Dumper):
    oid = adapters.types["text"].oid

    def dump(self, obj: str) -> Buffer:
        return encoded_text(obj)


class _BinaryTextDumper(_TextDumper):
    format = pq.Format.BINARY


class _TextLoader(Loader):
    def load(self, data: Buffer) -> str:
        return plain_text(str(data, "utf-8"))


class _BinaryTextLoader(_TextLoader):
    format = pq.Format.BINARY


class Connector:
    """Makes connections to the database of the settings."""

    def __init__(self, settings: PostgresSettings) -> None:
        """Raises `ConfigurationError` for an address that cannot be read."""
        try:
            self._given = conninfo.conninfo_to_dict(settings.dsn)
        except psycopg.Error:
            raise failures.bad_dsn() from None
        self._timeout = settings.timeout
        self._adapters = AdaptersMap(adapters)
        _register(self._adapters)

    @property
    def password(self) -> str:
        return str(self._given.get("password") or "")

    def connect(self) -> Connection:
        """Raises psycopg.Error."""
        options: dict[str, Any] = {  # Any: whatever libpq takes
            "connect_timeout": max(2, round(self._timeout)),
            "tcp_user_timeout": round(self._timeout * 2000),
            "application_name": "jackfield",
            **_KEEPALIVE,
            **self._given,
            "client_encoding": "UTF8",
        }
        connection = psycopg.connect(
            "", autocommit=True, prepare_threshold=None, context=_Context(self._adapters), **options
        )
        with answered(connection, self._timeout):
            row = connection.execute("SELECT pg_backend_pid()").fetchone()
        if row is not None and row[0] == connection.info.backend_pid:
            connection.prepare_threshold = _USES
        return connection


def is_direct(connection: Connection) -> bool:
    """Whether nobody stands between.

    Then a setting on the connection stays, and the server keeps plans of statements that are sent often, which saves it
    half of its time. A pooler shows other process numbers than the server.
    """
    return connection.prepare_threshold is not None


def cut(connection: Connection) -> None:
    """End the wait of another thread for a server that does not answer; that thread finds its connection lost."""
    with contextlib.suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def answered(connection: Connection, seconds: float) -> Iterator[None]:
    """The first words on a connection, which nobody else knows yet.

    It is cut when they take longer, and closed when they fail.
    """
    timer = threading.Timer(seconds, cut, [connection])
    timer.daemon = True
    timer.start()
    try:
        yield
    except BaseException:
        connection.close()
        raise
    finally:
        timer.cancel()


class _Context:
    """The context from which psycopg takes adapters."""

    connection = None

    def __init__(self, given: AdaptersMap) -> None:
        self.adapters = given


def _register(own: AdaptersMap) -> None:
    """Texts in both directions, and columns."""
    columns.register(own)
    for dumper in (_BinaryTextDumper, _TextDumper):
        own.register_dumper(str, dumper)
    for name in ("text", "varchar"):
        own.register_loader(name, _TextLoader)
        own.register_loader(name, _BinaryTextLoader)
