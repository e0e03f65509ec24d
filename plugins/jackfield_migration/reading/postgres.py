"""n8n's PostgreSQL database, as n8n's own variables of the environment name it; read in one read-only transaction.

Loaded for those who ask for it: the driver is an extra.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.rows import DictRow, dict_row

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield_migration.bundle import Bundle
from jackfield_migration.reading.cipher import DataKey
from jackfield_migration.reading.data_tables import ROWS
from jackfield_migration.reading.tables import KNOWN_TABLES, WORKFLOWS, Row, data_keys, read_tables

_PREFIX = "DB_POSTGRESDB_"
_TIMEOUT = 10
"""Seconds for the connection."""
_FETCHED = 200
"""Rows at a time."""


def read_postgres(bundle: Bundle, environment: Mapping[str, str]) -> list[DataKey]:
    """Add what the database holds, and return its keys of data. Raises `InvalidInput`."""
    origin = f"PostgreSQL {environment.get(_PREFIX + 'DATABASE', 'n8n')}"
    try:
        connection = psycopg.connect(
            host=environment.get(f"{_PREFIX}HOST", "localhost"),
            port=int(environment.get(f"{_PREFIX}PORT", "5432")),
            dbname=environment.get(f"{_PREFIX}DATABASE", "n8n"),
            user=environment.get(f"{_PREFIX}USER", "postgres"),
            password=_password(environment),
            connect_timeout=_TIMEOUT,
            row_factory=dict_row,
        )
        with closing(connection):
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            tables = _Tables(connection, environment)
            tables.check()
            read_tables(tables.rows, origin, bundle, tables.count)
            return list(data_keys(tables.rows))
    except ValueError:
        raise InvalidInput(f"{_PREFIX}PORT must be a number.") from None
    except psycopg.Error as exc:
        raise InvalidInput(f"n8n's PostgreSQL database cannot be read: {type(exc).__name__}.") from None


def _password(environment: Mapping[str, str]) -> str | None:
    """None leaves it to PGPASSWORD or ~/.pgpass."""
    file = environment.get(f"{_PREFIX}PASSWORD_FILE")
    if file:
        try:
            return Path(file).read_text(encoding="utf-8").strip()
        except OSError as exc:
            raise InvalidInput(f"{_PREFIX}PASSWORD_FILE cannot be read: {exc.strerror}.") from None
    return environment.get(f"{_PREFIX}PASSWORD")


class _Tables:
    def __init__(self, connection: psycopg.Connection[DictRow], environment: Mapping[str, str]) -> None:
        self._connection = connection
        self._schema = environment.get(f"{_PREFIX}SCHEMA", "public")
        self._prefix = environment.get("DB_TABLE_PREFIX", "")
        listing = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
        found = {str(row["table_name"]) for row in connection.execute(listing, [self._schema])}
        own = [name.removeprefix(self._prefix) for name in found if name.startswith(self._prefix + ROWS)]
        self._names = {known for known in (*KNOWN_TABLES, *own) if self._prefix + known in found}

    def check(self) -> None:
        """Raises `InvalidInput`."""
        if WORKFLOWS not in self._names:
            raise InvalidInput(
                f"The schema {self._schema} has no table {self._prefix}{WORKFLOWS}; see {_PREFIX}SCHEMA and "
                "DB_TABLE_PREFIX."
            )

    def rows(self, table: str) -> Iterator[Row]:
        if table not in self._names:
            return
        with self._connection.cursor(name=f"jackfield_{table}") as cursor:
            cursor.itersize = _FETCHED
            cursor.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(self._schema, self._prefix + table)))
            for row in cursor:
                yield {key: _plain(value) for key, value in row.items()}

    def count(self, table: str) -> int:
        if table not in self._names:
            return 0
        named = sql.SQL("SELECT count(*) AS n FROM {}").format(sql.Identifier(self._schema, self._prefix + table))
        row = self._connection.execute(named).fetchone()
        return int(row["n"]) if row else 0


def _plain(value: object) -> Json:
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, str | int | float | dict | list) else None
