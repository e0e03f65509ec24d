"""The rows of data tables as SQL: one table of SQLite per data table, one typed field per column.

A field is named after a number that its column keeps, so that no name of a user stands in a statement and renaming a
column changes no row. Dates are Unix milliseconds, truth values 0 and 1. `size` is what a row takes of the limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.errors import InvalidInput
from jackfield.api.records import record
from jackfield.api.table_storage import Cell, Cells, ColumnType, Condition, DataRow, DataTable, RowFilter, RowOrder
from jackfield_store_sqlite.rows import Row, Value, encodable

FIELD_TYPES: Mapping[ColumnType, str] = {"string": "TEXT", "number": "REAL", "boolean": "INTEGER", "date": "INTEGER"}
_SYSTEM: Mapping[str, str] = {"id": "id", "createdAt": "created_at", "updatedAt": "updated_at"}
_COMPARED: Mapping[str, str] = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
ROW_SIZE = 32
"""Bytes that a row counts without its texts; each further column of another type counts 8."""
_FIELD_SIZE = 8
_EXACT = 2**53
_SEARCHED: Mapping[ColumnType, str] = {
    "string": "{field}",
    "number": "printf('%.15g', {field})",
    "boolean": "iif({field}, 'true', 'false')",
    "date": "strftime('%Y-%m-%dT%H:%M:%S', {field} / 1000, 'unixepoch') || printf('.%03dZ', {field} % 1000)",
}
"""A cell as the text that is searched; it counts only where there is something."""


@record
class Field:
    """Where a column of a table's own stands. name: of the column; field: of SQLite's table."""

    name: str
    field: str
    type: ColumnType


@record
class RowTable:
    """SQLite's table of a data table's rows."""

    number: int
    table: DataTable
    fields: Sequence[Field]

    @property
    def name(self) -> str:
        return f"data_rows_{self.number}"

    @property
    def columns(self) -> str:
        """Those that `row` reads."""
        return ", ".join(("id", "created_at", "updated_at", *(each.field for each in self.fields)))

    def row(self, values: Sequence[Value]) -> DataRow:
        id_, created_at, updated_at, *cells = values
        made = {each.name: cell_of(value, each.type) for each, value in zip(self.fields, cells, strict=True)}
        return DataRow(id_, created_at, updated_at, made)  # type: ignore[arg-type]  # integers by the schema

    def place(self, column: str) -> tuple[str, ColumnType]:
        """The field of a column of any kind. Raises `InvalidInput`."""
        if column in _SYSTEM:
            return _SYSTEM[column], "number" if column == "id" else "date"
        for each in self.fields:
            if each.name == column:
                return each.field, each.type
        raise self._no_column(column)

    def own_fields(self, cells: Cells) -> list[tuple[Field, Value]]:
        """The given cells. Raises `InvalidInput` for a column that is not one of the table's own."""
        known = {each.name: each for each in self.fields}
        for name in cells:
            if name not in known:
                raise self._no_column(name)
        return [(known[name], value_of(cell, known[name].type)) for name, cell in cells.items()]

    def _no_column(self, name: str) -> InvalidInput:
        message = f"The data table {self.table.name} has no column {name}."
        return InvalidInput(message, details={"column": f"{name} is not there"})

    def size_of(self, values: Sequence[Value]) -> int:
        """Of a row with these values of all fields."""
        return ROW_SIZE + sum(len(value.encode()) if isinstance(value, str) else _FIELD_SIZE for value in values)

    def size_sql(self, given: Mapping[str, Value]) -> str:
        """The size of a row that gets these values of some fields, as SQL."""
        kept = [size_sql(each) for each in self.fields if each.field not in given]
        return " + ".join([str(self.size_of(list(given.values()))), *kept])

    def clause(self, where: RowFilter) -> tuple[str, list[Value]]:
        """` WHERE ...` and its values; empty for all rows. Raises `InvalidInput`."""
        values: list[Value] = []
        parts = [self._condition(each, values) for each in where.conditions]
        sql = f"({(' OR ' if where.any_of else ' AND ').join(parts)})" if parts else ""
        if where.search and self.fields:
            found = " OR ".join(self._searched(each, where.search, values) for each in self.fields)
            sql = f"{sql} AND ({found})" if sql else f"({found})"
        return (f" WHERE {sql}" if sql else ""), values

    def order(self, order: RowOrder) -> str:
        """Raises `InvalidInput`."""
        field, _ = self.place(order.column)
        way = " DESC" if order.descending else ""
        return f" ORDER BY {field}{way}" + ("" if field == "id" else ", id")

    def _condition(self, condition: Condition, values: list[Value]) -> str:
        field, kind = self.place(condition.column)
        operator, value = condition.operator, value_of(condition.value, kind)
        if operator in ("isEmpty", "isNotEmpty"):
            empty = f"({field} IS NULL OR {field} = '')" if kind == "string" else f"{field} IS NULL"
            return empty if operator == "isEmpty" else f"NOT {empty}"
        if operator in ("eq", "neq"):
            values.append(value)
            return f"{field} IS {'' if operator == 'eq' else 'NOT '}?"
        if operator == "like":
            values.append(glob_of(str(value)))
            return f"{field} GLOB ?"
        if operator == "ilike":
            values.append(like_of(str(value)))
            return f"{field} LIKE ? ESCAPE '\\'"
        values.append(value)
        return f"{field} {_COMPARED[operator]} ?"

    @staticmethod
    def _searched(field: Field, search: str, values: list[Value]) -> str:
        values.append(like_of(search))
        text = _SEARCHED[field.type].format(field=field.field)
        return f"({field.field} IS NOT NULL AND {text} LIKE ? ESCAPE '\\')"


def size_sql(field: Field) -> str:
    """What a field counts in the size of a row, as SQL."""
    if field.type != "string":
        return str(_FIELD_SIZE)
    return f"coalesce(length(CAST({field.field} AS BLOB)), {_FIELD_SIZE})"


def value_of(cell: Cell, kind: ColumnType) -> Value:
    """A cell as SQLite keeps it."""
    if cell is None:
        return None
    if kind == "number":
        return float(cell)
    return int(cell) if isinstance(cell, bool) else encodable(cell)


def cell_of(value: Value, kind: ColumnType) -> Cell:
    """A number that is whole comes as an int, as far as that is exact."""
    if value is None:
        return None
    if kind == "boolean":
        return bool(value)
    if kind == "number" and isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value  # type: ignore[return-value]  # no bytes by the schema


def glob_of(pattern: str) -> str:
    """A pattern with `%` for any characters, in the language of GLOB."""
    return "".join("*" if sign == "%" else f"[{sign}]" if sign in "[]*?" else sign for sign in pattern)


def like_of(pattern: str) -> str:
    """The same in the language of LIKE with a backslash as escape."""
    return pattern.replace("\\", "\\\\").replace("_", "\\_")


def inserted(row: Sequence[Value]) -> Row:
    """Values for a statement: what SQLite cannot hold is replaced."""
    return tuple(encodable(value) for value in row)
