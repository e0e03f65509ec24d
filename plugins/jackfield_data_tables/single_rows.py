"""`jackfield.api.data_tables.SingleRows`."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.jsontext import Json
from jackfield.api.storage.tables import ColumnType, RowFilter, RowOrder
from jackfield_data_tables.filters import AskedCondition, checked
from jackfield_data_tables.service import DataTables

_BY_TRUTH = ("isTrue", "isFalse")


class TableRows:
    """One row of a table after another."""

    def __init__(self, context: PluginContext) -> None:
        self._tables = context.port(DataTables)

    async def first(
        self, table_id: str, conditions: Sequence[tuple[str, str, Json]], *, any_of: bool
    ) -> tuple[Mapping[str, Json] | None, int]:
        table = await self._tables.find(table_id)
        asked = [
            AskedCondition(column, "eq", operator == "isTrue")
            if operator in _BY_TRUTH
            else AskedCondition(column, operator, value)
            for column, operator, value in conditions
        ]
        where = checked(table, asked, any_of=any_of, most=self._tables.settings.max_conditions)
        page, _ = await self._tables.page(table, where, order=RowOrder(), offset=0, limit=1)
        return (page.rows[0] if page.rows else None), page.total

    async def write(self, table_id: str, row_id: int, values: Mapping[str, Json]) -> None:
        table = await self._tables.find(table_id)
        for name, value in values.items():
            if name not in table.types():
                with contextlib.suppress(Conflict):  # somebody else was faster
                    await self._tables.add_column(table_id, name, _type_of(value), None)
        table = await self._tables.find(table_id)
        where: RowFilter = checked(table, [AskedCondition("id", "eq", row_id)], any_of=False, most=1)
        await self._tables.update(table, where, values)


def _type_of(value: Json) -> ColumnType:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "string"
