"""Rows as objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ..records import record
from ..storage import Page
from .dialect import ConnectionT, SqlValue, StoreDialect

RowT = TypeVar("RowT")


@record
class Query(Generic[ConnectionT, RowT]):
    """A list of rows as objects. make: gets the columns of a row. counted: the tables that suffice to count them, by
    default `tables`.

    Conditions and clauses have `?` where a value stands. A store's own may have the marks of its driver instead.
    """

    dialect: StoreDialect[ConnectionT]
    columns: str
    tables: str
    order: str
    make: Callable[..., RowT]
    counted: str = ""

    def one(self, connection: ConnectionT, condition: str, *values: SqlValue) -> RowT | None:
        """The row that meets the condition."""
        row = self.dialect.execute(connection, self._select(f" WHERE {condition}"), values).fetchone()
        return None if row is None else self.make(*row)

    def every(self, connection: ConnectionT, clause: str = "", *values: SqlValue) -> list[RowT]:
        """All rows; clause: empty or ` WHERE ...`."""
        return self._made(connection, f"{clause} ORDER BY {self.order}", values)

    def page(
        self, connection: ConnectionT, clause: str, values: Sequence[SqlValue], offset: int, limit: int
    ) -> Page[RowT]:
        """One page, and the count of all."""
        counting = f"SELECT count(*) FROM {self.counted or self.tables}{clause}"  # noqa: S608 - our own names
        total = self.dialect.number(connection, counting, values)
        if total <= offset:  # a search that finds nothing looks at all rows only once
            return Page([], total)
        rest = f"{clause} ORDER BY {self.order} LIMIT ? OFFSET ?"
        return Page(self._made(connection, rest, [*values, limit, offset]), total)

    def _select(self, rest: str) -> str:
        return f"SELECT {self.columns} FROM {self.tables}{rest}"  # noqa: S608 - our own names

    def _made(self, connection: ConnectionT, rest: str, values: Sequence[SqlValue]) -> list[RowT]:
        return [self.make(*row) for row in self.dialect.execute(connection, self._select(rest), values)]
