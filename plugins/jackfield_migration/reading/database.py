"""n8n's own database.

Of SQLite a private copy is read, together with its write-ahead log. Opening the file itself would write beside it, and
leaving the log out would lose what n8n wrote last. PostgreSQL is read in one read-only transaction.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield_migration.bundle import Bundle
from jackfield_migration.reading.cipher import DataKey
from jackfield_migration.reading.data_tables import ROWS
from jackfield_migration.reading.tables import CREDENTIALS, KNOWN_TABLES, WORKFLOWS, Row, data_keys, read_tables

MAGIC = b"SQLite format 3\x00"
_NEEDED = {WORKFLOWS: {"id", "name", "nodes", "connections"}, CREDENTIALS: {"id", "name", "type", "data"}}
_BESIDE = ("-wal",)


def is_database(path: Path) -> bool:
    """Whether the file begins as a SQLite database does."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def read_database(path: Path, origin: str, bundle: Bundle) -> list[DataKey]:
    """Add what the database holds, and return its keys of data. The file is never changed. Raises `InvalidInput`."""
    with tempfile.TemporaryDirectory(prefix="jackfield-import-") as place:
        copy = Path(place) / "database.sqlite"
        try:
            shutil.copyfile(path, copy)
            for suffix in _BESIDE:
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
        except OSError as exc:
            raise InvalidInput(f"It cannot be read: {exc.strerror}.") from None
        return _read_copy(copy, origin, bundle)


def _read_copy(copy: Path, origin: str, bundle: Bundle) -> list[DataKey]:
    try:
        with closing(sqlite3.connect(copy)) as connection:
            connection.row_factory = sqlite3.Row
            tables = _Tables(connection, origin, bundle)
            tables.check()
            read_tables(tables.rows, origin, bundle, tables.count)
            return list(data_keys(tables.rows))
    except sqlite3.Error as exc:
        raise InvalidInput(f"It is no whole SQLite database: {exc}. Copy it again while n8n is stopped.") from None


class _Tables:
    """Tables by their names without a prefix."""

    def __init__(self, connection: sqlite3.Connection, origin: str, bundle: Bundle) -> None:
        self._connection = connection
        self._origin = origin
        self._bundle = bundle
        self._told: set[str] = set()
        sql = "SELECT name FROM sqlite_master WHERE type = 'table'"
        self._names = _without_prefix([str(row["name"]) for row in connection.execute(sql)])

    def check(self) -> None:
        """Raises `InvalidInput` for another program's database, and for one of an n8n that is too new or too old."""
        if not self._names.get(WORKFLOWS):
            raise InvalidInput("It is a SQLite database, but not n8n's: it has no table workflow_entity.")
        for table, needed in _NEEDED.items():
            if table in self._names and (missing := needed - self._columns(table)):
                raise InvalidInput(
                    f"The table {table} has no {' and no '.join(sorted(missing))}: this version of n8n is not known. "
                    "Import what `n8n export:workflow --all` and `n8n export:credentials --all` write."
                )
        found = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            self._bundle.fail(self._origin, f"It is damaged; what can be read of it was taken. {found}")

    def rows(self, table: str) -> Iterator[Row]:
        """A table that is damaged ends where it is damaged, and the bundle says so, once."""
        if table not in self._names:
            return
        done = 0
        try:
            for row in self._connection.execute(f'SELECT * FROM "{self._names[table]}"'):  # noqa: S608 - the database's own name
                yield {key: _plain(row[key]) for key in row.keys()}  # noqa: SIM118 - a Row is no mapping
                done += 1
        except sqlite3.DatabaseError as exc:
            if table not in self._told:
                self._told.add(table)
                self._bundle.fail(f"{self._origin}, table {table}", f"It is damaged after {done} rows: {exc}.")

    def count(self, table: str) -> int:
        if table not in self._names:
            return 0
        try:
            return int(self._connection.execute(f'SELECT count(*) FROM "{self._names[table]}"').fetchone()[0])  # noqa: S608 - as above
        except sqlite3.DatabaseError:
            return 0

    def _columns(self, table: str) -> set[str]:
        return {str(row["name"]) for row in self._connection.execute(f'PRAGMA table_info("{self._names[table]}")')}


def _without_prefix(names: list[str]) -> Mapping[str, str]:
    """Known name -> name with the prefix of DB_TABLE_PREFIX."""
    found = [name for name in names if name.endswith(WORKFLOWS)]
    prefix = min(found, key=len).removesuffix(WORKFLOWS) if found else ""
    own = [name.removeprefix(prefix) for name in names if name.startswith(prefix + ROWS)]
    return {known: prefix + known for known in (*KNOWN_TABLES, *own) if prefix + known in names}


def _plain(value: object) -> Json:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str | int | float) else None
