"""Bringing a schema up to date, by one daemon at a time."""

from __future__ import annotations

import re

import psycopg
from psycopg import sql

from jackfield.api.errors import ConfigurationError
from jackfield.api.store_moves import UNFINISHED, unfinished_told
from jackfield_store_postgres.schema import COMPRESSED, MIGRATIONS
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.settings import PostgresSettings

LOCK_KEY = "hashtextextended('jackfield ' || %s, 0)"
"""Of the advisory lock that a migration holds, and a copy of the store as long as it takes; the schema is its value."""
_LOCK = f"SELECT pg_advisory_xact_lock({LOCK_KEY})"
_PATIENCE = "SELECT set_config('lock_timeout', %s, true)"
SHORTEST_WAIT = 10.0
"""Seconds for the lock, whatever `start_timeout` is: one that starts at the same time may be making the tables."""
_MARK = "jackfield"
_OLDEST = 130_000
"""Of servers: 13."""
_HAS_LZ4 = """SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = %s
    AND attcompression::text = 'l'"""
_TEXT = re.compile(r"\bTEXT\b")


def migrate(connection: Connection, settings: PostgresSettings) -> None:
    """Raises `ConfigurationError` for a newer schema, one of another program, or a copy that has not ended.

    Raises it also for a lock that another holds for longer than `start_timeout`, or a server that is too old or not in
    UTF-8. Raises psycopg.Error.
    """
    schema = settings.schema_name
    _check_server(connection)
    _expect_finished(connection, schema)
    with connection.transaction():
        _lock(connection, schema, settings.start_timeout)
        version = _version(connection, schema)
        if version == len(MIGRATIONS):
            return
        connection.execute(sql.SQL("SET LOCAL search_path TO {}").format(sql.Identifier(schema)))
        statements = ";\n".join(statement for step in MIGRATIONS[version:] for statement in step)
        connection.execute(_TEXT.sub('text COLLATE "C"', statements).encode())
        _compress(connection)
        connection.execute("UPDATE jackfield_schema SET version = %s", [len(MIGRATIONS)])
    _analyze(connection, schema)


def _expect_finished(connection: Connection, schema: str) -> None:
    """Before the lock, which whoever copies holds for long."""
    there = connection.execute("SELECT to_regclass(%s) IS NOT NULL", [f'"{schema}".jackfield_schema']).fetchone()
    if there is not None and there[0]:
        row = connection.execute(
            sql.SQL("SELECT version FROM {}.jackfield_schema").format(sql.Identifier(schema))
        ).fetchone()
        if row is not None and row[0] >= UNFINISHED:
            raise ConfigurationError(unfinished_told(f"The schema {schema}"))


def _lock(connection: Connection, schema: str, patience: float) -> None:
    """patience: seconds."""
    connection.execute(_PATIENCE, [str(round(max(patience, SHORTEST_WAIT) * 1000))])
    try:
        connection.execute(_LOCK, [schema])
    except psycopg.errors.LockNotAvailable:
        raise ConfigurationError(
            f"Another process holds the schema {schema}: `jackfield store copy` reads it, or another daemon changes "
            "its tables. Start again when it has ended."
        ) from None
    connection.execute(_PATIENCE, ["0"])


def _compress(connection: Connection) -> None:
    """By LZ4 where the server has it: PostgreSQL's own way takes ten times the processor time. A table that has it is
    left alone: the change locks everybody out, also whoever holds something that this transaction waits for."""
    known = "SELECT 1 FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)"
    if connection.execute(known).rowcount:
        for table, column in COMPRESSED:
            if not connection.execute(_HAS_LZ4, [table, column]).rowcount:
                connection.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET COMPRESSION lz4".encode())


def _check_server(connection: Connection) -> None:
    if connection.info.server_version < _OLDEST:
        raise ConfigurationError(
            f"PostgreSQL {connection.info.server_version // 10_000} is too old for the store; use 13 or newer."
        )
    row = connection.execute("SHOW server_encoding").fetchone()
    if row is None or row[0] != "UTF8":
        raise ConfigurationError(
            f"The database of store.postgres.dsn is encoded in {row and row[0]}; make one with ENCODING 'UTF8'."
        )


def _version(connection: Connection, schema: str) -> int:
    """Of the schema, which is made when it is not there."""
    name = sql.Identifier(schema)
    found = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema]).fetchone()
    if found is None:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(name))
    tables = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s "
        "AND c.relkind IN ('r', 'p', 'v')", [schema]
    ).fetchall()  # fmt: skip
    if not tables:
        connection.execute(
            sql.SQL("CREATE TABLE {}.jackfield_schema (program text NOT NULL, version bigint NOT NULL)").format(name)
        )
        connection.execute(sql.SQL("INSERT INTO {}.jackfield_schema VALUES (%s, 0)").format(name), [_MARK])
        return 0
    if ("jackfield_schema",) not in tables:
        raise ConfigurationError(
            f"The schema {schema} holds tables of another program; set store.postgres.schema_name to its own one."
        )
    row = connection.execute(sql.SQL("SELECT version FROM {}.jackfield_schema").format(name)).fetchone()
    version = int(row[0]) if row else 0
    if version > len(MIGRATIONS):
        raise ConfigurationError(
            f"The schema {schema} was written by a newer version (schema {version}, this program knows "
            f"{len(MIGRATIONS)}); update the program or restore an older backup."
        )
    return version


def _analyze(connection: Connection, schema: str) -> None:
    """Plans of tables that nobody has looked at are bad ones."""
    tables = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s "
        "AND c.relkind IN ('r', 'p')", [schema]
    ).fetchall()  # fmt: skip
    names = [sql.Identifier(schema, name) for (name,) in tables]
    try:
        connection.execute(sql.SQL("ANALYZE {}").format(sql.SQL(", ").join(names)))
    except psycopg.Error as error:
        if error.sqlstate != "40P01":  # another daemon looks at the same tables
            raise
