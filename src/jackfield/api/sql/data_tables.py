"""`DataTableStore` over a database with SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic

from ..paging import Page
from ..storage.tables import (
    Cells,
    DataColumn,
    DataRow,
    DataTable,
    DataTableFilter,
    NewDataRow,
    RowFilter,
    RowMark,
    RowOrder,
    TableOrder,
)
from .dialect import ConnectionT, SqlDatabase
from .table_work import TableWork


class SqlDataTables(ABC, Generic[ConnectionT]):
    """Part of the store port."""

    _tables: TableWork[ConnectionT]

    @property
    @abstractmethod
    def database(self) -> SqlDatabase[ConnectionT]: ...

    async def data_tables(
        self, where: DataTableFilter, *, order: TableOrder, descending: bool, offset: int, limit: int
    ) -> Page[DataTable]:
        way = " DESC" if descending else ""
        return await self.database.read(
            lambda connection: self._tables.tables(connection, where, order, way, offset, limit)
        )

    async def data_table(self, table_id: str) -> DataTable | None:
        return await self.database.read(lambda connection: self._tables.table(connection, table_id))

    async def data_tables_size(self) -> int:
        return await self.database.read(self._tables.size)

    async def add_data_table(self, table: DataTable) -> None:
        await self.database.write(lambda connection: self._tables.add_table(connection, table))

    async def rename_data_table(self, table_id: str, name: str, *, now: int) -> None:
        await self.database.write(lambda connection: self._tables.rename_table(connection, table_id, name, now))

    async def delete_data_table(self, table_id: str) -> bool:
        return await self.database.write(lambda connection: self._tables.delete_table(connection, table_id))

    async def add_data_column(self, table_id: str, column: DataColumn, *, index: int, now: int) -> None:
        await self.database.write(lambda connection: self._tables.add_column(connection, table_id, column, index, now))

    async def change_data_column(self, table_id: str, column_id: str, *, name: str, index: int, now: int) -> None:
        await self.database.write(
            lambda connection: self._tables.change_column(connection, table_id, column_id, name, index, now)
        )

    async def delete_data_column(self, table_id: str, column_id: str, *, now: int) -> bool:
        return await self.database.write(
            lambda connection: self._tables.delete_column(connection, table_id, column_id, now)
        )

    async def data_rows(
        self, table_id: str, where: RowFilter, *, order: RowOrder, offset: int, limit: int
    ) -> Page[DataRow]:
        return await self.database.read(
            lambda connection: self._tables.rows(connection, table_id, where, order, offset, limit)
        )

    async def data_rows_after(
        self, table_id: str, where: RowFilter, *, order: RowOrder, mark: RowMark | None, limit: int
    ) -> list[DataRow]:
        return await self.database.read(
            lambda connection: self._tables.rows_after(connection, table_id, where, order, mark, limit)
        )

    async def add_data_rows(self, table_id: str, rows: Sequence[NewDataRow], *, now: int) -> list[int]:
        return await self.database.write(
            lambda connection: self._tables.add_rows(connection, table_id, rows, now),
            sum(_weight(row.cells) for row in rows),
        )

    async def change_data_rows(
        self, table_id: str, where: RowFilter, cells: Cells, *, now: int, otherwise_add: bool = False
    ) -> list[DataRow]:
        verb = self._tables.change_or_add_row if otherwise_add else self._tables.change_rows
        return await self.database.write(
            lambda connection: verb(connection, table_id, where, cells, now), _weight(cells)
        )

    async def delete_data_rows(self, table_id: str, where: RowFilter, *, now: int) -> list[DataRow]:
        return await self.database.write(lambda connection: self._tables.delete_rows(connection, table_id, where, now))

    async def clear_data_rows(self, table_id: str, *, now: int) -> int:
        return await self.database.write(lambda connection: self._tables.clear_rows(connection, table_id, now))


def _weight(cells: Cells) -> int:
    """Bytes that a write holds, about."""
    return sum(len(cell) for cell in cells.values() if isinstance(cell, str))
