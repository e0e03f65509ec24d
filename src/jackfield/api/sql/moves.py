"""`jackfield.api.store_moves` over a database with SQL: how the forms of stores are read, and how a copy is filled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Generic

from ..storage.tables import ColumnType
from ..store_forms import ROWS, ColumnKind, Row, StoreForm
from .dialect import ConnectionT, RowDialect

FOLDERS = """WITH RECURSIVE below (depth, id) AS (
        SELECT CAST(0 AS bigint), id FROM folders WHERE parent_id IS NULL
        UNION ALL SELECT depth + 1, f.id FROM below JOIN folders f ON f.parent_id = below.id)
    SELECT depth, f.* FROM below JOIN folders f USING (id)"""
"""Folders with their depth, from the table `folders` that every store has."""
_NOTE = "INSERT INTO copy_notes VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET text = excluded.text"
_COLUMNS: Mapping[ColumnKind, ColumnType] = {
    "text": "string", "integer": "date", "real": "number", "boolean": "boolean",
}  # fmt: skip
_SYSTEM = frozenset({"id", "created_at", "updated_at", "size"})


class FormStatements(Generic[ConnectionT]):
    """Statements that read forms. sources: a SELECT for each form that is not a table as it stands."""

    def __init__(self, dialect: RowDialect[ConnectionT], sources: Mapping[str, str]) -> None:
        self._dialect = dialect
        self._sources = sources

    def every(self, form: StoreForm) -> str:
        """A statement without values."""
        return f"{self._select(form)} ORDER BY {', '.join(form.key)}"

    def behind(self, form: StoreForm) -> str:
        """One that takes the first value of the key behind which it begins, and then all of them. Databases that do not
        compare whole keys in an index find the first value there."""
        marks = [self._dialect.mark(_COLUMNS[form.columns[name]]) for name in form.key]
        key = ", ".join(form.key)
        begin = f"{form.key[0]} >= {marks[0]} AND ({key}) > ({', '.join(marks)})"
        return f"{self._select(form)} WHERE {begin} ORDER BY {key}"

    def _select(self, form: StoreForm) -> str:
        source = self._sources.get(form.name)
        return f"SELECT {', '.join(form.columns)} FROM {form.name if source is None else f'({source}) AS found'}"  # noqa: S608 - our own names


class SqlTableWriter(ABC, Generic[ConnectionT]):
    """`notes` and `put` of `TableWriter`. A batch is one transaction, which a killed process loses as a whole. Notes
    stand in the table `copy_notes`."""

    def __init__(self, connection: ConnectionT, dialect: RowDialect[ConnectionT]) -> None:
        self._connection = connection
        self._dialect = dialect

    @abstractmethod
    def transaction(self, trouble: str) -> AbstractContextManager[None]:
        """On the connection. trouble: the second half of the sentence when it fails. Raises `StoreUnavailable`."""

    @abstractmethod
    def add(self, form: StoreForm, rows: Sequence[Row]) -> None:
        """Rows, at least one, inside of a transaction. May raise the driver's errors."""

    def notes(self) -> Mapping[str, str]:
        with self.transaction("the copy cannot be read"):
            sql = "SELECT name, text FROM copy_notes"
            return dict(self._dialect.execute(self._connection, sql).fetchall())

    def put(self, form: StoreForm, rows: Sequence[Row], name: str, note: str) -> None:
        with self.transaction(f"the copy of {form.name} has stopped"):
            if form.name.startswith(ROWS):
                own = {field: _COLUMNS[kind] for field, kind in form.columns.items() if field not in _SYSTEM}
                table = self._dialect.rows_table(form.name, own)
                self._dialect.execute(self._connection, f"CREATE TABLE IF NOT EXISTS {table}")
            if rows:
                self.add(form, rows)
            self._dialect.execute(self._connection, _NOTE, [name, note])
