"""A connection to a SQLite file. It lives on its own thread; a statement whose run is over is interrupted.

Statements reach no other file. ATTACH, and with it VACUUM INTO, are refused, and so is every PRAGMA but a few that tell
of the schema.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.sql.placeholders import statements_of
from jackfield_integrations.sql.session import Rows, SqlReading, too_many
from jackfield_integrations.sql.statements import SQLITE, Statement
from jackfield_integrations.sql.values import named, number, plain, scalar

Result = TypeVar("Result")

_LISTS = ("foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_list", "table_xinfo")
_PRAGMAS = frozenset({"foreign_keys", *_LISTS})
_REFUSED = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer"})
_BUSY_S = 5
_CHUNK = 500


def _authorise(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    refused = (
        action in _REFUSED
        or (action == sqlite3.SQLITE_PRAGMA and (first or "").lower() not in _PRAGMAS)
        or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS)
    )
    return sqlite3.SQLITE_DENY if refused else sqlite3.SQLITE_OK


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.set_authorizer(_authorise)
    return connection


class SqliteSession:
    """`jackfield_integrations.sql.session.Session`."""

    def __init__(self, connection: sqlite3.Connection, thread: ThreadPoolExecutor) -> None:
        self._connection = connection
        self._thread = thread

    async def run(self, statement: Statement, reading: SqlReading) -> Rows:
        return await self._on_thread(partial(self._run, statement, reading))

    async def _on_thread(self, work: Callable[[], Result]) -> Result:
        """A wait that is given up interrupts what runs."""
        future = asyncio.get_running_loop().run_in_executor(self._thread, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self._connection.interrupt()
            with contextlib.suppress(Exception):
                await future
            raise
        except (sqlite3.Error, sqlite3.Warning, OverflowError) as exc:
            raise NodeError(f"SQLite: {exc}.") from None

    def _run(self, statement: Statement, reading: SqlReading) -> Rows:
        made: Rows = []
        for parts in statements_of(statement.parts, "sqlite"):
            text, values = SQLITE.render(parts)
            cursor = self._connection.execute(text, [scalar(value.value) for value in values])
            with contextlib.closing(cursor):
                _read(cursor, reading, made)
        return made

    @contextlib.asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        await self._on_thread(partial(self._connection.execute, "BEGIN IMMEDIATE"))
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                await self._on_thread(partial(self._connection.execute, "ROLLBACK"))
            raise
        await self._on_thread(partial(self._connection.execute, "COMMIT"))


def _read(cursor: sqlite3.Cursor, reading: SqlReading, made: Rows) -> None:
    columns = [str(column[0]) for column in cursor.description or ()]
    while rows := cursor.fetchmany(_CHUNK):
        made += [named(columns, [_value(value, reading) for value in row]) for row in rows]
        if len(made) > reading.most:
            raise too_many(reading.most)


def _value(value: object, reading: SqlReading) -> Json:
    if isinstance(value, int) and reading.large == "numbers":
        return number(value, as_numbers=True)
    return plain(value)


@contextlib.asynccontextmanager
async def opened(file: Path, settings: IntegrationSettings) -> AsyncIterator[SqliteSession]:
    """The file's database. Raises `NodeError`."""
    loop = asyncio.get_running_loop()
    thread = ThreadPoolExecutor(1, "sqlite-node")
    try:
        try:
            connection = await loop.run_in_executor(thread, _connect, file)
        except sqlite3.Error as exc:
            raise NodeError(f"SQLite: the file cannot be opened: {exc}.") from None
        try:
            yield SqliteSession(connection, thread)
        finally:
            await asyncio.shield(loop.run_in_executor(thread, connection.close))
    finally:
        thread.shutdown(wait=False)
