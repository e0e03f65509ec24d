"""The rows of data tables as SQL: one table of the database per data table, one typed field per column.

The name of a field comes from a number that its column keeps. So no name of a user stands in a statement, and renaming
a column changes no row. Dates are Unix milliseconds. `size` is what a row takes of the limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic

from ..errors import InvalidInput
from ..records import record
from ..storage.tables import Cell, Cells, ColumnType, Condition, DataRow, DataTable, RowFilter, RowMark, RowOrder
from .dialect import ConnectionT, RowDialect, SqlValue

ROW_SIZE = 32
"""Bytes that a row counts without its texts; each further column of another type counts `FIELD_SIZE`."""
FIELD_SIZE = 8
_SYSTEM: Mapping[str, str] = {"id": "id", "createdAt": "created_at", "updatedAt": "updated_at"}
_COMPARED: Mapping[str, str] = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_EXACT = 2**53


@record
class Field:
    """Where a column of a table's own stands. name: of the column; field: of the database's table."""

    name: str
    field: str
    type: ColumnType


@record
class RowTable(Generic[ConnectionT]):
    """The database's table of a data table's rows."""

    number: int
    table: DataTable
    fields: Sequence[Field]
    dialect: RowDialect[ConnectionT]

    @property
    def name(self) -> str:
        return rows_name(self.number)

    @property
    def columns(self) -> str:
        """Those that `row` reads."""
        return ", ".join(("id", "created_at", "updated_at", *(each.field for each in self.fields)))

    @property
    def added(self) -> dict[str, ColumnType]:
        """The fields of a row that is added: those of `row`, with `size` after the times."""
        system: dict[str, ColumnType] = dict.fromkeys(("id", "created_at", "updated_at", "size"), "date")
        return system | {each.field: each.type for each in self.fields}

    def row(self, values: Sequence[SqlValue]) -> DataRow:
        id_, created_at, updated_at, *cells = values
        made = {each.name: cell_of(value, each.type) for each, value in zip(self.fields, cells, strict=True)}
        return DataRow(id_, created_at, updated_at, made)  # type: ignore[arg-type]  # integers by the schema

    def own_values(self, cells: Cells) -> dict[str, SqlValue]:
        """The given cells by their fields. Raises `InvalidInput` for a column that is not one of the table's own."""
        known = {each.name: each for each in self.fields}
        for name in cells:
            if name not in known:
                raise self._no_column(name)
        return {known[name].field: self._value_of(cell, known[name].type) for name, cell in cells.items()}

    def marker(self, field: str) -> str:
        """Stands for a value of this field in a statement."""
        return self.dialect.mark(next(each.type for each in self.fields if each.field == field))

    def size_of(self, values: Sequence[SqlValue]) -> int:
        """Of a row with these values of all fields."""
        length = self.dialect.length
        return ROW_SIZE + sum(length(value) if isinstance(value, str) else FIELD_SIZE for value in values)

    def size_sql(self, given: Mapping[str, SqlValue]) -> str:
        """The size of a row that gets these values of some fields, as SQL."""
        kept = [self.field_size(each) for each in self.fields if each.field not in given]
        return " + ".join([str(self.size_of(list(given.values()))), *kept])

    def field_size(self, field: Field) -> str:
        """A field's share of the size of a row, as SQL."""
        if field.type != "string":
            return str(FIELD_SIZE)
        return f"coalesce({self.dialect.length_of(field.field)}, {FIELD_SIZE})"

    def clause(self, where: RowFilter) -> tuple[str, list[SqlValue]]:
        """` WHERE ...` and its values; empty for all rows. Raises `InvalidInput`."""
        values: list[SqlValue] = []
        parts = [self._condition(each, values) for each in where.conditions]
        sql = f"({(' OR ' if where.any_of else ' AND ').join(parts)})" if parts else ""
        if where.search and self.fields:
            found = " OR ".join(self._searched(each, where.search, values) for each in self.fields)
            sql = f"{sql} AND ({found})" if sql else f"({found})"
        return (f" WHERE {sql}" if sql else ""), values

    def order(self, order: RowOrder) -> str:
        """Raises `InvalidInput`."""
        field, _ = self._place(order.column)
        way = " DESC NULLS LAST" if order.descending else " NULLS FIRST"
        return f" ORDER BY {field}{way}" + ("" if field == "id" else ", id")

    def order_backwards(self, order: RowOrder) -> str:
        """The same from the end. Raises `InvalidInput`."""
        field, _ = self._place(order.column)
        way = " NULLS FIRST" if order.descending else " DESC NULLS LAST"
        return f" ORDER BY {field}{way}" + ("" if field == "id" else ", id DESC")

    def behind(self, order: RowOrder, mark: RowMark) -> tuple[str, list[SqlValue]]:
        """Which rows follow the mark in the order. Raises `InvalidInput`."""
        field, kind = self._place(order.column)
        way = "<" if order.descending else ">"
        if field == "id":
            return f"id {way} ?", [mark.id]
        value = self._value_of(mark.cell, kind)
        if value is None:
            later = f"({field} IS NULL AND id > ?)"
            return (later if order.descending else f"({field} IS NOT NULL OR {later})"), [mark.id]
        sign = self.dialect.mark(kind)
        nothing = f" OR {field} IS NULL" if order.descending else ""
        return f"({field} {way} {sign} OR ({field} = {sign} AND id > ?){nothing})", [value, value, mark.id]

    def _condition(self, condition: Condition, values: list[SqlValue]) -> str:
        field, kind = self._place(condition.column)
        operator, value = condition.operator, self._value_of(condition.value, kind)
        if operator in ("isEmpty", "isNotEmpty"):
            empty = f"({field} IS NULL OR {field} = '')" if kind == "string" else f"{field} IS NULL"
            return empty if operator == "isEmpty" else f"NOT {empty}"
        if operator in ("like", "ilike"):
            way = self.dialect.like if operator == "like" else self.dialect.ilike
            sql, value = way(field, str(value))
        elif operator == "eq":
            sql = self.dialect.equal(field, kind)
        elif operator == "neq":
            sql = self.dialect.different(field, kind)
        else:
            sql = f"{field} {_COMPARED[operator]} {self.dialect.mark(kind)}"
        values.append(value)
        return sql

    def _searched(self, field: Field, search: str, values: list[SqlValue]) -> str:
        sql, value = self.dialect.searched(field.field, field.type, search)
        values.append(value)
        return sql

    def _place(self, column: str) -> tuple[str, ColumnType]:
        """The field of a column of any kind. Raises `InvalidInput`."""
        if column in _SYSTEM:
            return _SYSTEM[column], "number" if column == "id" else "date"
        for each in self.fields:
            if each.name == column:
                return each.field, each.type
        raise self._no_column(column)

    def _no_column(self, name: str) -> InvalidInput:
        message = f"The data table {self.table.name} has no column {name}."
        return InvalidInput(message, details={"column": f"{name} is not there"})

    def _value_of(self, cell: Cell, kind: ColumnType) -> SqlValue:
        if cell is None:
            return None
        return float(cell) if kind == "number" else self.dialect.kept(cell, kind)


def rows_name(number: int) -> str:
    """Of the database's table with the rows of the data table that has this number."""
    return f"data_rows_{number}"


def cell_of(value: SqlValue, kind: ColumnType) -> Cell:
    """A number that is whole comes as an int, as far as that is exact."""
    if value is None:
        return None
    if kind == "boolean":
        return bool(value)
    if kind == "number" and isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value  # type: ignore[return-value]  # neither bytes nor a list by the schema
