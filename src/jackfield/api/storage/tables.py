"""The part of the store port that keeps data tables; see `jackfield.api.storage`.

A data table has typed columns, and rows with a number, two times and a cell per column. Every store gives the same
answers. Texts compare by code points, and nothing is smaller than everything else. In patterns, every character but `%`
stands for itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, get_args

from ..paging import Page
from ..records import record
from .projects import Within

ColumnType = Literal["string", "number", "boolean", "date"]
COLUMN_TYPES: tuple[ColumnType, ...] = get_args(ColumnType)
Operator = Literal["eq", "neq", "like", "ilike", "gt", "gte", "lt", "lte", "isEmpty", "isNotEmpty"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)
TableOrder = Literal["name", "createdAt", "updatedAt", "size"]
TABLE_ORDERS: tuple[TableOrder, ...] = get_args(TableOrder)
SYSTEM_COLUMNS: Mapping[str, ColumnType] = {"id": "number", "createdAt": "date", "updatedAt": "date"}
"""Columns that every table has beside its own."""
Cell: TypeAlias = "str | float | bool | None"
"""By the column's type: a text; a finite number; a truth value; Unix ms as an int; None is nothing."""
Cells: TypeAlias = Mapping[str, Cell]
"""By the name of the column; one that is missing holds nothing."""


@record
class DataColumn:
    """A column of a table's own."""

    id: str
    name: str
    type: ColumnType
    created_at: int
    updated_at: int


@record
class DataTable:
    """`columns`: in their order.

    `rows`: how many there are. `size`: bytes that their cells take, as the store counts. `last_row`: the highest id
    that a row of it has had.
    """

    id: str
    name: str
    columns: Sequence[DataColumn]
    created_at: int
    updated_at: int
    rows: int = 0
    size: int = 0
    last_row: int = 0

    def column(self, name: str) -> DataColumn | None:
        """The column of a table's own that has this name."""
        return next((each for each in self.columns if each.name == name), None)

    def types(self) -> dict[str, ColumnType]:
        """Of all its columns, by name."""
        return {**SYSTEM_COLUMNS, **{each.name: each.type for each in self.columns}}


@record
class DataTableFilter:
    """search: literal, case-insensitive part of the name; name: the whole of it; ids: of which a table has one;
    within: None: every project."""

    search: str | None = None
    name: str | None = None
    ids: Sequence[str] | None = None
    within: Within | None = None


@record
class Condition:
    """A condition that a row must meet. `column`: one of the table's own or of `SYSTEM_COLUMNS`. `value`: of the
    column's type.

    `eq`, `neq`: None stands for nothing, and nothing differs from every value. `like`, `ilike`: of texts. The value is
    a pattern for the whole of it, in which `%` stands for any characters. `ilike` takes a-z and A-Z for the same. `gt`
    to `lte`: nothing never meets it. `isEmpty`: nothing, or an empty text. `isNotEmpty`: everything else.
    """

    column: str
    operator: Operator
    value: Cell = None


@record
class RowFilter:
    """Rows that meet every condition, or with `any_of` one of them; without conditions: all rows.

    `search`: and that have, in a column of the table's own, a text that meets this pattern as by `ilike`. Empty: no
    search. Numbers count as their digits, truth values as true and false, dates as 2026-01-31T12:00:00.123Z.
    """

    conditions: Sequence[Condition] = ()
    any_of: bool = False
    search: str = ""


@record
class RowOrder:
    """By a column of any kind, then by id upwards. Nothing is smaller than everything else."""

    column: str = "id"
    descending: bool = False


@record
class RowMark:
    """Where a row stands in an order, also once it is gone. cell: of the column that orders, as the row has it."""

    cell: Cell
    id: int


@record
class NewDataRow:
    """A row to add. `id`, times: of one that comes from elsewhere; None: the next number, and the current time."""

    cells: Cells
    id: int | None = None
    created_at: int | None = None
    updated_at: int | None = None


@record
class DataRow:
    """cells: of every column of the table's own. id: a number that no other row of the table ever has."""

    id: int
    created_at: int
    updated_at: int
    cells: Cells


class DataTableStore(Protocol):
    """Verbs on rows raise `NotFound` for an unknown table, and `InvalidInput` for an unknown column. Each verb that
    changes something does all of it or nothing, and makes `now` the table's `updated_at`."""

    async def data_tables(
        self, where: DataTableFilter, *, order: TableOrder, descending: bool, offset: int, limit: int
    ) -> Page[DataTable]:
        """Names are ordered without regard to case; tables that are equal in `order`, by id."""

    async def data_table(self, table_id: str) -> DataTable | None: ...

    async def data_tables_size(self) -> int:
        """Bytes of all tables together."""

    async def add_data_table(self, table: DataTable) -> None:
        """Without rows. Raises `Conflict` when another one has the id or the name."""

    async def rename_data_table(self, table_id: str, name: str, *, now: int) -> None:
        """Raises `NotFound`, and `Conflict` when another one has the name."""

    async def delete_data_table(self, table_id: str) -> bool:
        """With its rows."""

    async def add_data_column(self, table_id: str, column: DataColumn, *, index: int, now: int) -> None:
        """index: its place from 0; further back than the end is the end. Raises `NotFound`, and `Conflict` when the
        table has a column of this name."""

    async def change_data_column(self, table_id: str, column_id: str, *, name: str, index: int, now: int) -> None:
        """Rename and move. Raises as `add_data_column`, and `NotFound` for an unknown column."""

    async def delete_data_column(self, table_id: str, column_id: str, *, now: int) -> bool:
        """With its cells. Raises `NotFound` for an unknown table."""

    async def data_rows(
        self, table_id: str, where: RowFilter, *, order: RowOrder, offset: int, limit: int
    ) -> Page[DataRow]:
        """A page by its place. The last one costs what the first does; one in the middle, what is before it."""

    async def data_rows_after(
        self, table_id: str, where: RowFilter, *, order: RowOrder, mark: RowMark | None, limit: int
    ) -> list[DataRow]:
        """The rows behind a mark; None: the first ones. Where the id orders, every page costs the same, and where
        another column does, the same as the first. Rows that come and go meanwhile shift nothing."""

    async def add_data_rows(self, table_id: str, rows: Sequence[NewDataRow], *, now: int) -> list[int]:
        """The ids of the added rows, in order. A row with an id that the table has is left out, and the table's own
        stays."""

    async def change_data_rows(
        self, table_id: str, where: RowFilter, cells: Cells, *, now: int, otherwise_add: bool = False
    ) -> list[DataRow]:
        """The changed rows as they are now, by id. Other columns keep their cells. otherwise_add: where no row meets
        the filter, add one with these cells, which is returned then."""

    async def delete_data_rows(self, table_id: str, where: RowFilter, *, now: int) -> list[DataRow]:
        """The deleted rows as they were, by id."""

    async def clear_data_rows(self, table_id: str, *, now: int) -> int:
        """Delete all rows; how many there were. Their ids do not come again."""
