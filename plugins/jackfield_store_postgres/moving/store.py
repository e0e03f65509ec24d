"""`MovableStore` over PostgreSQL: one transaction that sees one moment of the source, and one per batch of the target.
An advisory lock, the one under which daemons migrate, keeps them from starting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from psycopg import conninfo

from jackfield.api.errors import ConfigurationError, Conflict, StoreUnavailable
from jackfield.api.sql.moves import FormStatements, SqlTableWriter
from jackfield.api.store_forms import FORMS, Cell, Row, StoreForm
from jackfield.api.store_moves import UNFINISHED
from jackfield_store_postgres import failures
from jackfield_store_postgres.contents.places import PLACE
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.dialect import SQL
from jackfield_store_postgres.migrating import LOCK_KEY, migrate
from jackfield_store_postgres.moving.tables import ENDING, SOURCES, filled
from jackfield_store_postgres.schema import MIGRATIONS
from jackfield_store_postgres.server.connections import Connection

_CONFIGURE = """SELECT set_config('search_path', %s, true), set_config('statement_timeout', '0', true),
    set_config('lock_timeout', '10s', true), set_config('idle_in_transaction_session_timeout', '0', true)"""
_LOCK = f"SELECT pg_try_advisory_xact_lock({LOCK_KEY})"
_IDENTITY = "SELECT current_database(), oid::bigint FROM pg_namespace WHERE nspname = %s"
_ALIVE = """SELECT daemon, ceil(extract(epoch FROM lease_until - clock_timestamp()))::bigint FROM incarnations
    WHERE alive AND lease_until > clock_timestamp() ORDER BY daemon LIMIT 1"""
_VERSION = "SELECT version FROM jackfield_schema"
_TABLES = """SELECT relname FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = %s)
    AND relkind IN ('r', 'p') AND NOT relispartition"""
_NOTES = 'CREATE TABLE copy_notes (name text COLLATE "C" PRIMARY KEY, text text COLLATE "C" NOT NULL)'
_FORMS = FormStatements(SQL, SOURCES)


class PostgresTableReader:
    """`TableReader`, inside of a transaction; the rows of a writer, too."""

    def __init__(self, connection: Connection, database: PostgresDatabase) -> None:
        self._connection = connection
        self._database = database
        schema = database.settings.schema_name
        row = connection.execute(_IDENTITY, [schema]).fetchone()
        self.identity = "postgres " + " ".join(str(part) for part in row or ())

    def rows(self, form: StoreForm, after: Sequence[Cell] | None) -> Iterator[Row]:
        sql, values = (_FORMS.every(form), []) if after is None else (_FORMS.behind(form), [after[0], *after])
        with _answered("the store cannot be read"), self._connection.cursor() as cursor:
            yield from cursor.stream(SQL.marked(sql).encode(), values, binary=True)

    def expect_alone(self) -> None:
        """A daemon that was started by a version of before may not have heeded the lock."""
        with _answered("the store cannot be read"):
            self._connection.execute("SELECT 1")
            with closing(self._database.connector.connect()) as connection:
                _expect_no_daemon(connection, self._database)


class PostgresTableWriter(SqlTableWriter[Connection]):
    """`TableWriter`"""

    def __init__(self, connection: Connection, database: PostgresDatabase) -> None:
        super().__init__(connection, SQL)
        self._database = database

    def rows(self, form: StoreForm, after: Sequence[Cell] | None) -> Iterator[Row]:
        with self.transaction("the copy cannot be read"):
            yield from PostgresTableReader(self._connection, self._database).rows(form, after)

    def finish(self) -> None:
        schema = self._database.settings.schema_name
        with self.transaction("the copy is not marked as ended"):
            for (table,) in self._connection.execute(_TABLES, [schema]).fetchall():
                self._connection.execute(f"ANALYZE {table}".encode())
            for statement in ENDING:
                self._connection.execute(statement.encode())
            self._connection.execute("UPDATE jackfield_schema SET version = %s", [len(MIGRATIONS)])

    def add(self, form: StoreForm, rows: Sequence[Row]) -> None:
        way = filled(form)
        sql = f"COPY {form.name} ({', '.join(way.columns)}) FROM STDIN (FORMAT BINARY)"
        with self._connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
            copy.set_types(list(way.types))
            for row in rows:
                copy.write_row([*row[way.leaves_out :], *way.constants])
        placed = [row[:3] for row in rows if row[0]] if form.name == "calls" else []
        if placed:
            self._connection.execute(PLACE.encode(), [list(column) for column in zip(*placed, strict=True)])

    @contextmanager
    def transaction(self, trouble: str) -> Iterator[None]:
        with _answered(trouble), self._connection.transaction():
            _configure(self._connection, self._database)
            yield


class PostgresMoves:
    """`jackfield.api.store_moves.MovableStore`."""

    _db: PostgresDatabase

    @property
    def place(self) -> str:
        known = conninfo.conninfo_to_dict(self._db.settings.dsn)
        named = [f"{name} {known[key]}" for name, key in _SHOWN.items() if known.get(key)]
        return " ".join(("the PostgreSQL store", *named, "schema", self._db.settings.schema_name))

    @contextmanager
    def reading(self) -> Iterator[PostgresTableReader]:
        with _opened(self._db) as connection:
            migrate(connection, self._db.settings)
            with _held(connection, self._db, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"):
                _expect_no_daemon(connection, self._db)
                yield PostgresTableReader(connection, self._db)

    @contextmanager
    def filling(self) -> Iterator[PostgresTableWriter]:
        with _opened(self._db) as connection, _opened(self._db) as lock:
            if not _is_unfinished(connection, self._db):
                migrate(connection, self._db.settings)
            with _held(lock, self._db, "BEGIN"):
                with connection.transaction():
                    _configure(connection, self._db)
                    _begin(connection, self._db)
                yield PostgresTableWriter(connection, self._db)

    def discard_unfinished(self) -> None:
        with _opened(self._db) as connection:
            if not _tables(connection, self._db):
                return
            if not _is_unfinished(connection, self._db):
                raise _not_empty(self._db)
            with _held(connection, self._db, "BEGIN"):
                for table in _tables(connection, self._db):
                    connection.execute(f"DROP TABLE {table} CASCADE".encode())
                connection.execute("DROP FUNCTION IF EXISTS digits(double precision)")
                connection.execute("COMMIT")


_SHOWN = {"on": "host", "port": "port", "database": "dbname"}


@contextmanager
def _answered(what: str) -> Iterator[None]:
    """Raises `StoreUnavailable` in place of psycopg.Error. what: half a sentence."""
    try:
        yield
    except psycopg.Error as error:
        known = failures.is_outage(error)
        raise StoreUnavailable(f"{failures.reason(error) if known else _said(error)}; {what}.") from error


def _said(error: psycopg.Error) -> str:
    """Without the row that PostgreSQL quotes behind its first line."""
    return f"PostgreSQL failed ({(error.diag.message_primary or type(error).__name__).strip()})"


@contextmanager
def _opened(database: PostgresDatabase) -> Iterator[Connection]:
    """Raises `ConfigurationError`, `StoreUnavailable`."""
    try:
        connection = database.connector.connect()
    except psycopg.Error as error:
        raise failures.unusable(error, database.connector.password) from None
    with closing(connection), _answered("the copy has stopped"):
        yield connection


@contextmanager
def _held(connection: Connection, database: PostgresDatabase, begin: str) -> Iterator[None]:
    """A transaction that keeps daemons from starting on the schema. Raises `ConfigurationError`."""
    connection.execute(begin.encode())
    try:
        _configure(connection, database)
        row = connection.execute(_LOCK, [database.settings.schema_name]).fetchone()
        if row is None or not row[0]:
            raise ConfigurationError(
                f"Another copy, or a daemon that starts, uses the schema {database.settings.schema_name}; wait until "
                "it has ended."
            )
        yield
    finally:
        if not connection.closed:
            connection.execute("ROLLBACK")


def _configure(connection: Connection, database: PostgresDatabase) -> None:
    connection.execute(_CONFIGURE, [f'"{database.settings.schema_name}"'])


def _tables(connection: Connection, database: PostgresDatabase) -> list[str]:
    return [str(name) for (name,) in connection.execute(_TABLES, [database.settings.schema_name]).fetchall()]


def _is_unfinished(connection: Connection, database: PostgresDatabase) -> bool:
    if "jackfield_schema" not in _tables(connection, database):
        return False
    with connection.transaction():
        _configure(connection, database)
        return _version(connection) >= UNFINISHED


def _version(connection: Connection) -> int:
    row: tuple[Any, ...] | None = connection.execute(_VERSION).fetchone()  # Any: of the statement
    return int(row[0]) if row else 0


def _begin(connection: Connection, database: PostgresDatabase) -> None:
    """Raises `Conflict`, `ConfigurationError`."""
    version = _version(connection)
    if version == UNFINISHED + len(MIGRATIONS):
        return
    if version >= UNFINISHED:
        raise ConfigurationError(
            "The copy was begun by another version; use that one, or --restart to begin the copy anew."
        )
    for form in FORMS:
        if connection.execute(f"SELECT 1 FROM {form.name} LIMIT 1".encode()).fetchone():  # noqa: S608 - our own names
            raise _not_empty(database)
    connection.execute(_NOTES)
    connection.execute("UPDATE jackfield_schema SET version = %s", [UNFINISHED + len(MIGRATIONS)])


def _not_empty(database: PostgresDatabase) -> Conflict:
    return Conflict(
        f"The schema {database.settings.schema_name} holds a store already; set store.postgres.schema_name to another "
        "one, or drop that schema."
    )


def _expect_no_daemon(connection: Connection, database: PostgresDatabase) -> None:
    """Raises `ConfigurationError`."""
    schema = database.settings.schema_name
    row = connection.execute(_ALIVE.replace("incarnations", f'"{schema}".incarnations').encode()).fetchone()
    if row is not None:
        raise ConfigurationError(
            f"The daemon {row[0]} uses the store; stop it. If it was killed, its lease runs out in {row[1]} s."
        )
