"""A connection to MySQL or MariaDB. Values are quoted by the driver, in the connection's own character set."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import aiomysql
import orjson
from pymysql.constants import CLIENT, FIELD_TYPE
from pymysql.converters import conversions

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.sql.session import Rows, SqlReading, too_many
from jackfield_integrations.sql.statements import MYSQL, Statement
from jackfield_integrations.sql.values import moment_of, named, number, plain, scalar
from jackfield_integrations.targets import Targets, tls_for

_MOMENTS = frozenset({FIELD_TYPE.DATE, FIELD_TYPE.NEWDATE, FIELD_TYPE.DATETIME, FIELD_TYPE.TIMESTAMP})
_AS_TEXT = _MOMENTS | {FIELD_TYPE.TIME}
_DECIMALS = frozenset({FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL})
_BARE = "mysql_clear_password"
_ASKS = "the server asks for the bare password without TLS"
_CHUNK = 500
"""Rows that are fetched at once."""


class CheckedMysqlConnection(aiomysql.Connection):  # type: ignore[misc]  # the library has no types
    """Never falls back to an unprotected connection where TLS is wanted, and never sends the bare password without."""

    async def _request_authentication(self) -> None:
        if self._ssl_context and not self.server_capabilities & CLIENT.SSL:
            raise aiomysql.OperationalError(2026, "the server does not offer TLS")
        if self._server_auth_plugin == _BARE and not self._ssl_context:
            raise aiomysql.OperationalError(2061, _ASKS)
        await super()._request_authentication()

    async def _process_auth(self, plugin_name: bytes, auth_packet: object) -> object:
        if plugin_name == _BARE.encode() and not self._secure:
            raise aiomysql.OperationalError(2061, _ASKS)
        return await super()._process_auth(plugin_name, auth_packet)


class QuietCursor(aiomysql.SSCursor):  # type: ignore[misc]  # the library has no types
    """Does not print the server's warnings, which quote data."""

    async def _show_warnings(self, conn: CheckedMysqlConnection) -> None:
        return


class MySqlSession:
    """`jackfield_integrations.sql.session.Session`."""

    def __init__(self, connection: CheckedMysqlConnection, values: DriverCredential) -> None:
        self._connection = connection
        self._values = values

    async def run(self, statement: Statement, reading: SqlReading) -> Rows:
        text, values = MYSQL.render(statement.parts)
        bound = [scalar(value.value) for value in values]
        if self._connection.closed:
            raise NodeError("MySQL: the connection was given up at an earlier item.")
        try:
            return await self._rows(text, bound, reading)
        except (aiomysql.Error, UnicodeError) as exc:
            raise self._failure(exc) from None
        except (OSError, RuntimeError) as exc:  # RuntimeError: the server asks for a file of this machine
            self._connection.close()
            raise self._failure(exc) from None
        except BaseException:  # rows that nobody wants any more are not waited for
            self._connection.close()
            raise

    async def _rows(self, text: str, bound: Sequence[object], reading: SqlReading) -> Rows:
        made: Rows = []
        cursor = await self._connection.cursor(QuietCursor)
        await cursor.execute(text, bound or None)
        while True:
            await _read(cursor, reading, made)
            if not await cursor.nextset():
                return made

    def _failure(self, error: Exception) -> NodeError:
        said = error.args[1] if len(error.args) > 1 else error
        return NodeError(f"MySQL: {self._values.shown(str(said))}.")

    @contextlib.asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        try:
            await self._connection.begin()
            try:
                yield
            except BaseException:
                if not self._connection.closed:  # closing rolls back too
                    await self._connection.rollback()
                raise
            await self._connection.commit()
        except (aiomysql.Error, OSError) as exc:
            raise self._failure(exc) from None


async def _read(cursor: QuietCursor, reading: SqlReading, made: Rows) -> None:
    """Add the rows of the current result. Raises `NodeError`."""
    if not cursor.description:
        return
    columns = [str(column[0]) for column in cursor.description]
    makers = [_maker(column[1], reading) for column in cursor.description]
    while rows := await cursor.fetchmany(_CHUNK):
        for row in rows:
            made.append(named(columns, [_made(make, value) for make, value in zip(makers, row, strict=True)]))
        if len(made) > reading.most:
            raise too_many(reading.most)


def _made(make: Callable[[Any], Json], value: object) -> Json:
    return None if value is None else make(value)


def _maker(kind: int, reading: SqlReading) -> Callable[[Any], Json]:
    """Any: what the driver gives for this kind of column."""
    if kind in _MOMENTS:
        return lambda value: moment_of(str(value))
    if kind in _DECIMALS:
        return lambda value: number(value, as_numbers=reading.decimals_as_numbers)
    if kind == FIELD_TYPE.LONGLONG and reading.large:
        return lambda value: number(value, as_numbers=reading.large == "numbers")
    return _document if kind == FIELD_TYPE.JSON else plain


def _document(value: str) -> Json:
    try:
        found: Json = orjson.loads(value)
    except orjson.JSONDecodeError:
        return value
    return found


def _conversions() -> dict[Any, Any]:
    """The driver's own, without those for dates: what is no date stays readable so."""
    return {kind: how for kind, how in conversions.items() if kind not in _AS_TEXT}


@contextlib.asynccontextmanager
async def opened(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings
) -> AsyncIterator[MySqlSession]:
    """A connection that is signed in. Raises `NodeError`."""
    if values.flag("sshTunnel"):
        raise NodeError("The credential mySql wants an SSH tunnel, which is not available.")
    host, port = values.needed("host"), values.port(3306)
    tls = await tls_for(host, authorities=values.text("caCertificate")) if values.flag("ssl") else None

    async def connect(address: str) -> CheckedMysqlConnection:
        connection = CheckedMysqlConnection(
            host=address,
            port=port,
            user=values.text("user"),
            password=values.text("password"),
            db=values.text("database") or None,
            charset="utf8mb4",
            conv=_conversions(),
            connect_timeout=settings.connect_timeout,
            autocommit=True,
            ssl=tls,
        )
        try:
            await connection._connect()
        except aiomysql.Error as exc:
            connection.close()
            cause = exc.__cause__  # the driver's own words leave out why
            raise (cause if isinstance(cause, OSError) else aiomysql.OperationalError(exc.args[-1])) from None
        except BaseException:
            connection.close()
            raise
        return connection

    connection = await targets.reach(values, host, port, connect, [aiomysql.Error, ValueError, RuntimeError])
    try:
        yield MySqlSession(connection, values)
    finally:
        connection.close()
