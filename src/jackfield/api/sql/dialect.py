"""How a database wants statements, and what a store offers to run them.

A shared statement has `?` where a value stands, and nowhere else; `execute` puts the database's own marks there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from ..storage.tables import ColumnType

SqlValue: TypeAlias = "str | bytes | int | float | bool | Sequence[str] | Sequence[int] | None"
"""A list goes only where a dialect asks for one."""
Part: TypeAlias = "tuple[str, SqlValue]"
"""A condition with one `?`, and its value."""
ConnectionT = TypeVar("ConnectionT")
ConnectionT_co = TypeVar("ConnectionT_co", covariant=True)
ResultT = TypeVar("ResultT")


class Found(Protocol):
    """The rows that a statement has found, one by one."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...  # Any: None, or a tuple whose values have the types of the statement

    def fetchall(self) -> list[Any]: ...  # Any: likewise

    def __iter__(self) -> Iterator[Any]: ...  # Any: likewise


class SqlDatabase(Protocol[ConnectionT_co]):
    """An open database. Each work is one transaction, which may be run again; nothing stays of one that raises. All
    raise `StoreUnavailable`."""

    async def read(self, work: Callable[[ConnectionT_co], ResultT]) -> ResultT: ...

    async def write(self, work: Callable[[ConnectionT_co], ResultT], size: int = 0) -> ResultT:
        """After everything queued before. size: bytes that the work holds."""

    async def write_alone(self, work: Callable[[ConnectionT_co], ResultT]) -> ResultT:
        """As `write`, in its own transaction: for work that locks rows that other daemons lock too."""


class StoreDialect(ABC, Generic[ConnectionT]):
    """Statements of every kind."""

    @abstractmethod
    def execute(self, connection: ConnectionT, sql: str, values: Sequence[SqlValue] = ()) -> Found:
        """Run a shared statement. Values that the database cannot hold are replaced by the nearest that it can."""

    @abstractmethod
    def repeat(self, connection: ConnectionT, sql: str, values: Sequence[SqlValue]) -> Found:
        """The same for a text that comes again and again, whose plan may be kept."""

    def marked(self, sql: str) -> str:
        """A shared statement with the marks of the database's driver in place of `?`."""
        return sql

    def number(self, connection: ConnectionT, sql: str, values: Sequence[SqlValue] = ()) -> int:
        """The only value of the only row; 0 where there is none."""
        row = self.execute(connection, sql, values).fetchone()
        return int(row[0] or 0) if row else 0

    @abstractmethod
    def listed(self, values: Sequence[str] | Sequence[int]) -> SqlValue:
        """A list as the value of a `?` in `among` and `each`."""

    @abstractmethod
    def among(self, field: str) -> str:
        """A condition with one `?`: the field is in the list."""

    @abstractmethod
    def each(self) -> str:
        """Stands behind FROM, with one `?`: a table of a list of texts, with one column `value`."""

    @abstractmethod
    def waiting(self, select: str) -> str:
        """The same SELECT, which waits for whoever changes one of its rows, and keeps others from that."""

    @abstractmethod
    def passing(self, select: str) -> str:
        """The same SELECT, which leaves out rows that somebody else changes, and keeps others from its own."""

    @abstractmethod
    def contains(self, field: str) -> str:
        """A condition with one `?`: the text in the field contains this one, literally."""


class RowDialect(StoreDialect[ConnectionT]):
    """And those on rows of data tables."""

    @abstractmethod
    def kind(self, column: ColumnType) -> str:
        """The type of a field."""

    @abstractmethod
    def rows_table(self, name: str, own: Mapping[str, ColumnType]) -> str:
        """The text behind CREATE TABLE: id, created_at, updated_at, size, and the table's own fields."""

    @abstractmethod
    def mark(self, column: ColumnType) -> str:
        """A `?` whose value is of this type, also where nothing else says so."""

    @abstractmethod
    def kept(self, cell: str | float, column: ColumnType) -> SqlValue:
        """A cell that is no number, as the database keeps it."""

    @abstractmethod
    def length(self, text: str) -> int:
        """Bytes that a text takes."""

    @abstractmethod
    def length_of(self, field: str) -> str:
        """The same of a field with texts, as SQL; NULL of NULL."""

    @abstractmethod
    def equal(self, field: str, column: ColumnType) -> str:
        """A condition with one `?`; NULL equals NULL."""

    @abstractmethod
    def different(self, field: str, column: ColumnType) -> str:
        """The opposite."""

    @abstractmethod
    def like(self, field: str, pattern: str) -> Part:
        """pattern: with `%` for any characters, everything else literally."""

    @abstractmethod
    def ilike(self, field: str, pattern: str) -> Part:
        """a-z and A-Z are the same."""

    @abstractmethod
    def searched(self, field: str, column: ColumnType, pattern: str) -> Part:
        """The same on a cell of any type as a text; see `RowFilter.search`."""

    @abstractmethod
    def add(
        self, connection: ConnectionT, table: str, fields: Mapping[str, ColumnType], rows: Sequence[Sequence[SqlValue]]
    ) -> None:
        """Add rows, at least one, with a value per field; integers of the system's have the type date."""
