"""`MovableStore` over SQLite: its own connection, and the lock that keeps daemons away."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from jackfield.api.errors import ConfigurationError, Conflict, StoreUnavailable
from jackfield.api.sql.moves import FormStatements, SqlTableWriter
from jackfield.api.store_forms import FORMS, Cell, Row, StoreForm
from jackfield.api.store_moves import UNFINISHED
from jackfield_store_sqlite import failures
from jackfield_store_sqlite.claim import FileClaim
from jackfield_store_sqlite.connections import connect_reader, connect_writer, create_file
from jackfield_store_sqlite.contents.counting import COUNT_ALL
from jackfield_store_sqlite.contents.packing import Packing
from jackfield_store_sqlite.damage.reach import reached
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.dialect import SQL
from jackfield_store_sqlite.moving.tables import OPENED, SOURCES, writing
from jackfield_store_sqlite.schema import MIGRATIONS, migrate

_NOTES = "CREATE TABLE copy_notes (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID"
_FORMS = FormStatements(SQL, SOURCES)


class SqliteTableReader:
    """`TableReader`; the rows of a writer, too."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        known = reached(connection)
        self.identity = f"sqlite {known.store.hex()}"
        self._sequence = known.sequence

    def rows(self, form: StoreForm, after: Sequence[Cell] | None) -> Iterator[Row]:
        try:
            if after is None:
                found = self._connection.execute(_FORMS.every(form))
            else:
                found = self._connection.execute(_FORMS.behind(form), (after[0], *after))
            flags = [place for place, kind in enumerate(form.columns.values()) if kind == "boolean"]
            for row in found:
                yield _with_flags(row, flags) if flags else row
        except sqlite3.Error as error:
            raise StoreUnavailable(f"{failures.reason(error)}; the store cannot be read.") from error

    def expect_alone(self) -> None:
        """The lock keeps daemons away; a command may have written."""
        if reached(self._connection).sequence != self._sequence:
            raise Conflict("The store was changed while it was copied; run `jackfield store copy` with --restart.")


class SqliteTableWriter(SqlTableWriter[sqlite3.Connection]):
    """`TableWriter`"""

    def __init__(self, connection: sqlite3.Connection, packing: Packing) -> None:
        super().__init__(connection, SQL)
        self._packing = packing
        self._reader = SqliteTableReader(connection)

    def rows(self, form: StoreForm, after: Sequence[Cell] | None) -> Iterator[Row]:
        return self._reader.rows(form, after)

    def add(self, form: StoreForm, rows: Sequence[Row]) -> None:
        writing(form, self._packing)(self._connection, rows)

    def finish(self) -> None:
        connection = self._connection
        connection.execute("PRAGMA synchronous = FULL")
        with self.transaction("the copy is not marked as ended"):
            connection.execute("DROP TABLE copy_notes")
            connection.execute(COUNT_ALL)
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        with _answered("the copy has ended"):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def transaction(self, trouble: str) -> Iterator[None]:
        with _answered(trouble):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")


class SqliteMoves:
    """`jackfield.api.store_moves.MovableStore`."""

    _db: SqliteDatabase

    @property
    def place(self) -> str:
        return f"the database {self._db.file.absolute()}"

    @contextmanager
    def reading(self) -> Iterator[SqliteTableReader]:
        file = self._db.file
        if not file.exists():
            raise ConfigurationError(f"There is no database {file}; name the store that is to be copied with --from.")
        with _claimed(file), closing(_opened(self._db)) as writer:
            migrate(writer, file)
            with closing(connect_reader(file, self._db.settings)) as connection:
                connection.create_function(*OPENED, deterministic=True)
                yield SqliteTableReader(connection)

    @contextmanager
    def filling(self) -> Iterator[SqliteTableWriter]:
        file = self._db.file
        with _claimed(file), closing(_opened(self._db)) as connection:
            connection.create_function(*OPENED, deterministic=True)
            if not _is_unfinished(connection):
                migrate(connection, file)
                _expect_empty(connection, file)
                _begin(connection)
            elif _version(connection) != UNFINISHED + len(MIGRATIONS):
                raise ConfigurationError(
                    f"The copy in {file} was begun by another version; use that one, or --restart to begin anew."
                )
            connection.execute("PRAGMA synchronous = NORMAL")
            yield SqliteTableWriter(connection, self._db.packing)

    def discard_unfinished(self) -> None:
        file = self._db.file
        if not file.exists():
            return
        with _claimed(file):
            with closing(_opened(self._db)) as connection:
                if not _is_unfinished(connection):
                    raise _not_empty(file)
            for ending in ("-wal", "-shm", "-reach", ""):
                file.with_name(file.name + ending).unlink(missing_ok=True)


@contextmanager
def _answered(trouble: str) -> Iterator[None]:
    """Raises `StoreUnavailable` in place of sqlite3.Error. trouble: half a sentence."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreUnavailable(f"{_reason(error)}; {trouble}.") from error


@contextmanager
def _claimed(file: Path) -> Iterator[None]:
    claim = FileClaim(file)
    claim.take()
    try:
        yield
    finally:
        claim.release()


def _opened(database: SqliteDatabase) -> sqlite3.Connection:
    failures.refuse_old_library()
    try:
        create_file(database.file)
        return connect_writer(database.file, database.settings)
    except (OSError, sqlite3.Error) as error:
        if failures.is_damage(error):
            raise failures.damaged(database.file) from error
        raise failures.unusable(database.file, error) from error


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _is_unfinished(connection: sqlite3.Connection) -> bool:
    return _version(connection) >= UNFINISHED


def _begin(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(_NOTES)
    connection.execute(f"PRAGMA user_version = {UNFINISHED + len(MIGRATIONS)}")
    connection.execute("COMMIT")


def _expect_empty(connection: sqlite3.Connection, file: Path) -> None:
    for form in FORMS:
        if connection.execute(f"{_FORMS.every(form)} LIMIT 1").fetchone():
            raise _not_empty(file)


def _not_empty(file: Path) -> Conflict:
    return Conflict(f"The database {file} holds a store already; name a file that is not there, or move it away.")


def _with_flags(row: tuple[Cell, ...], flags: Sequence[int]) -> Row:
    made = list(row)
    for place in flags:
        value = made[place]
        made[place] = None if value is None else bool(value)
    return made


def _reason(error: sqlite3.Error) -> str:
    if failures.is_outage(error):
        return failures.reason(error)
    return f"SQLite failed ({error})"
