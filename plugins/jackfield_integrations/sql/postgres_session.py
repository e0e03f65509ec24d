"""A connection to PostgreSQL.

Values go into the query as literals that libpq quotes, not as parameters of a prepared statement. The node of n8n does
so, too. So the server tells each value's type from where it stands, and several statements can be one query. Values can
also stand where PostgreSQL takes no parameters (`CREATE ROLE`, `INTERVAL`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, TypeAlias

import certifi
import psycopg
from psycopg.types.string import TextLoader

from jackfield.api.databases import DatabaseRefusal
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.sql.placeholders import scan
from jackfield_integrations.sql.session import Rows, SqlReading, too_many
from jackfield_integrations.sql.statements import POSTGRES, SqlValue, Statement
from jackfield_integrations.sql.values import moment_of, named, number, plain, scalar
from jackfield_integrations.targets import Targets

Connection: TypeAlias = "psycopg.AsyncConnection[tuple[Any, ...]]"
Cursor: TypeAlias = "psycopg.AsyncClientCursor[tuple[Any, ...]]"
"""Rows hold whatever the server's types load as, hence Any."""

_AS_TEXT = ("date", "time", "timetz", "timestamp", "timestamptz", "interval")
_INT8, _NUMERIC = 20, 1700
_MOMENTS = frozenset({1082, 1114, 1184})
"""Type ids of date, timestamp and timestamptz."""


_SELECT = re.compile(rb"\s*+(?:SELECT|VALUES|TABLE)\b(?!.*\bINTO\b)", re.IGNORECASE | re.DOTALL)
_COLUMNS = b"""
    SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = %s AND table_name = %s
"""
_HEARTBEAT_S = 30.0
"""After that much silence a connection that listens is asked whether it lives, and has as long to answer."""
_CHUNK = 500
"""Rows that are fetched at once."""


@record
class PostgresNotice:
    """One NOTIFY. pid: of the server's process that told it."""

    pid: int
    channel: str
    payload: str


class PostgresSession:
    """`jackfield_integrations.sql.session.SqlSession`, and `SqlConnection` for nodes of other plugins."""

    def __init__(self, connection: Connection, values: DriverCredential, most: int) -> None:
        self._connection = connection
        self._values = values
        self._most = most
        self._types: dict[tuple[str, str], Mapping[str, str]] = {}

    async def run(self, statement: Statement, reading: SqlReading) -> Rows:
        text, values = POSTGRES.render(statement.parts)
        try:
            bound = [await self._bound(value, statement.table) for value in values]
            async with psycopg.AsyncClientCursor(self._connection) as cursor:
                if _SELECT.match(text.encode()) and scan(text, "postgres").single:
                    return await _streamed(cursor, text.encode(), bound or None, reading)
                return await _fetched(cursor, text.encode(), bound or None, reading)
        except psycopg.Error as exc:
            raise self._failure(exc) from None

    async def answers(self) -> None:
        """Raises `NodeError` when the server does not, any more."""
        await self.query("SELECT 1")

    async def query(self, statement: str, values: Sequence[object] = ()) -> Sequence[Sequence[object]]:
        """`SqlConnection.query`: the server gets the values apart from the statement."""
        try:
            async with psycopg.AsyncCursor(self._connection) as cursor:
                await cursor.execute(statement.encode(), values or None)
                if cursor.description is None:
                    return []
                if cursor.rowcount > self._most:
                    raise too_many(self._most)
                return await cursor.fetchall()
        except psycopg.Error as exc:
            raise DatabaseRefusal(self._failure(exc).message, exc.sqlstate or "") from None

    async def notices(self, channel: str) -> AsyncIterator[PostgresNotice]:
        """The notifications of a channel for which somebody has said LISTEN, from then on. Raises `NodeError`, also
        when the server is silent."""
        while True:
            try:
                async for one in self._connection.notifies(timeout=_HEARTBEAT_S):
                    if one.channel == channel:
                        yield PostgresNotice(one.pid, one.channel, one.payload)
                async with asyncio.timeout(_HEARTBEAT_S):
                    await self.query("SELECT 1")
            except psycopg.Error as exc:
                raise self._failure(exc) from None
            except TimeoutError:
                raise NodeError(f"PostgreSQL does not answer for {_HEARTBEAT_S:g} seconds.") from None

    def _failure(self, error: psycopg.Error) -> NodeError:
        return NodeError(f"PostgreSQL: {self._values.shown(error.diag.message_primary or str(error))}.")

    async def _bound(self, value: SqlValue, table: tuple[str, str]) -> object:
        """A list is an array in the author's own queries and where the column is one; else JSON, as objects are."""
        given = value.value
        if not isinstance(given, list) or any(isinstance(entry, dict | list) for entry in given):
            return scalar(given)
        if value.column and (await self._columns(table)).get(value.column) != "ARRAY":
            return scalar(given)
        alike = len({type(entry) for entry in given if entry is not None}) == 1
        return [scalar(entry) if alike or entry is None else str(entry) for entry in given]

    async def _columns(self, table: tuple[str, str]) -> Mapping[str, str]:
        """Column -> type."""
        if table not in self._types:
            async with psycopg.AsyncClientCursor(self._connection) as cursor:
                await cursor.execute(_COLUMNS, table)
                self._types[table] = {str(row[0]): str(row[1]) for row in await cursor.fetchall()}
        return self._types[table]

    @contextlib.asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        try:
            async with self._connection.transaction():
                yield
        except psycopg.Error as exc:
            raise self._failure(exc) from None


async def _streamed(cursor: Cursor, text: bytes, values: Sequence[object] | None, reading: SqlReading) -> Rows:
    """A query's rows, never more in memory than are wanted."""
    size = _CHUNK if psycopg.capabilities.has_stream_chunked() else 1
    made: Rows = []
    row_of: Callable[[Sequence[Any]], dict[str, Json]] | None = None
    stream = cursor.stream(text, values, size=size)
    async with contextlib.aclosing(stream) as rows:  # type: ignore[type-var]  # it is a generator
        async for row in rows:
            if len(made) == reading.most:
                raise too_many(reading.most)
            row_of = row_of or _row_maker(cursor, reading)
            made.append(row_of(row))
    return made


async def _fetched(cursor: Cursor, text: bytes, values: Sequence[object] | None, reading: SqlReading) -> Rows:
    """The rows of every result of one or several statements."""
    await cursor.execute(text, values)
    made: Rows = []
    while True:
        if cursor.description:
            if len(made) + cursor.rowcount > reading.most:
                raise too_many(reading.most)
            row_of = _row_maker(cursor, reading)
            while rows := await cursor.fetchmany(_CHUNK):
                made += [row_of(row) for row in rows]
        if not cursor.nextset():
            return made


def _row_maker(cursor: Cursor, reading: SqlReading) -> Callable[[Sequence[Any]], dict[str, Json]]:
    """Makes rows of the current result, each column by its type."""
    described = cursor.description or []
    columns = [column.name for column in described]
    makers = [_maker(column.type_code, reading) for column in described]

    def row_of(row: Sequence[Any]) -> dict[str, Json]:
        return named(columns, [None if value is None else make(value) for make, value in zip(makers, row, strict=True)])

    return row_of


def _maker(type_code: int, reading: SqlReading) -> Callable[[Any], Json]:
    if type_code in _MOMENTS:
        return moment_of
    if type_code == _INT8:
        return lambda value: number(value, as_numbers=reading.large == "numbers")
    if type_code == _NUMERIC:
        return lambda value: number(value, as_numbers=reading.decimals_as_numbers)
    return plain


def _tls(values: DriverCredential) -> tuple[str, str | None]:
    """libpq's words for the credential's choice: the mode, and the file of authorities."""
    match values.text("ssl", "disable"):
        case "require" if values.flag("allowUnauthorizedCerts"):
            return "require", None
        case "require":
            return "verify-full", certifi.where()
        case "allow":
            return "prefer", None
    return "disable", None


@contextlib.asynccontextmanager
async def opened(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings
) -> AsyncIterator[PostgresSession]:
    """A connection that is signed in. Raises `NodeError`."""
    if values.flag("sshTunnel"):
        raise NodeError("The credential postgres wants an SSH tunnel, which is not available.")
    host, port = values.needed("host"), values.port(5432)
    mode, authorities = _tls(values)

    async def connect(address: str) -> Connection:
        return await psycopg.AsyncConnection.connect(
            host=host,
            hostaddr=address,
            port=port,
            dbname=values.text("database"),
            user=values.text("user"),
            password=values.text("password"),
            passfile=os.devnull,  # nobody's password file counts but the credential
            connect_timeout=max(2, round(settings.connect_timeout)),
            application_name="jackfield",
            client_encoding="utf8",
            gssencmode="disable",
            autocommit=True,
            cursor_factory=psycopg.AsyncClientCursor,
            sslmode=mode,
            sslrootcert=authorities,
        )

    connection = await targets.reach(values, host, port, connect, [psycopg.Error])
    try:
        if connection.info.parameter_status("standard_conforming_strings") != "on":
            raise NodeError("The database has standard_conforming_strings off; turn it on for the credential's user.")
        for name in _AS_TEXT:
            connection.adapters.register_loader(name, TextLoader)
        yield PostgresSession(connection, values, settings.max_rows)
    finally:
        await connection.close()
