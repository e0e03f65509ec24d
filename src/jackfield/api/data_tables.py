"""Data tables that come from elsewhere: a port that the plugin of data tables provides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from .jsontext import Json
from .records import record
from .storage.tables import ColumnType


@record
class ForeignTable:
    """A table of another system, or a part of its rows.

    `columns`: name and type, in their order. `rows`: by name of the column, with `id`, `createdAt` and `updatedAt` as
    far as they have them. `id`: that it is to have, of letters and digits; empty: a new one.
    """

    name: str
    columns: Sequence[tuple[str, ColumnType]]
    rows: Sequence[Mapping[str, Json]]
    id: str = ""


class TableImport(Protocol):
    """Takes tables over with the ids and times of their rows. Everything raises `JackfieldError` for what data tables
    do not take; then nothing of that call was stored."""

    async def create(self, table: ForeignTable) -> str:
        """A new table with these rows; its id. A name that is taken gets a number behind it. Raises `Conflict` for an
        id that is taken."""

    async def add_rows(self, table_id: str, rows: Sequence[Mapping[str, Json]]) -> int:
        """More rows of it; those whose id it has stay as they are. How many were added."""

    async def there(self, table_id: str) -> bool:
        """Whether there is such a table."""


class SingleRows(Protocol):
    """The port for those who work on one row of a table after another. Rows are JSON, as the node Data table gives
    them. All raise `NotFound` for an unknown table, and `InvalidInput` for what it does not take."""

    async def first(
        self, table_id: str, conditions: Sequence[tuple[str, str, Json]], *, any_of: bool
    ) -> tuple[Mapping[str, Json] | None, int]:
        """The row with the lowest id that meets the conditions, and how many do.

        `conditions`: column, condition as the node writes it, value. `any_of`: one of them is enough.
        """

    async def write(self, table_id: str, row_id: int, values: Mapping[str, Json]) -> None:
        """These cells of a row; nothing for a row that is gone. A column that the table has not got is made, of the
        value's type."""
