"""The rows of data tables as SQL: one table of PostgreSQL per data table, one typed field per column.

A field is named after a number that its column keeps, so that no name of a user stands in a statement and renaming a
column changes no row. Dates are Unix milliseconds. `size` is what a row takes of the limits.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence

from jackfield.api.errors import InvalidInput
from jackfield.api.records import record
from jackfield.api.table_storage import Cell, Cells, ColumnType, Condition, DataRow, DataTable, RowFilter, RowOrder
from jackfield_store_postgres.connections import kept_text
from jackfield_store_postgres.rows import Value, fitting

FIELD_TYPES: Mapping[ColumnType, str] = {
    "string": 'text COLLATE "C"', "number": "double precision", "boolean": "boolean", "date": "bigint",
}  # fmt: skip
_SYSTEM: Mapping[str, str] = {"id": "id", "createdAt": "created_at", "updatedAt": "updated_at"}
_COMPARED: Mapping[str, str] = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
ROW_SIZE = 32
"""Bytes that a row counts without its texts; each further column of another type counts 8."""
_FIELD_SIZE = 8
_EXACT = 2**53
_CASTS: Mapping[ColumnType, str] = {
    "string": "text", "number": "double precision", "boolean": "boolean", "date": "bigint",
}  # fmt: skip
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_SEARCHED: Mapping[ColumnType, str] = {
    "string": "{field}",
    "number": "digits({field})",
    "boolean": "{field}::text",
    "date": """to_char(timestamp 'epoch' + {field} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')""",
}
"""A cell as the text that is searched; it counts only where there is something."""


@record
class Field:
    """Where a column of a table's own stands. name: of the column; field: of PostgreSQL's table."""

    name: str
    field: str
    type: ColumnType


@record
class RowTable:
    """PostgreSQL's table of a data table's rows."""

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
        return ROW_SIZE + sum(_bytes(value) if isinstance(value, str) else _FIELD_SIZE for value in values)

    def size_sql(self, given: Mapping[str, Value]) -> str:
        """The size of a row that gets these values of some fields, as SQL."""
        kept = [size_sql(each) for each in self.fields if each.field not in given]
        return " + ".join([str(self.size_of(list(given.values()))), *kept])

    def insert(self) -> str:
        """A statement that takes an array per column: those of `row` with `size` after the times."""
        names = ("id", "created_at", "updated_at", "size", *(each.field for each in self.fields))
        types = (*("bigint",) * 4, *(_CASTS[each.type] for each in self.fields))
        arrays = ", ".join(f"%b::{each}[]" for each in types)
        return f"INSERT INTO {self.name} ({', '.join(names)}) SELECT * FROM unnest({arrays})"  # noqa: S608 - our own names

    def marker(self, field: str) -> str:
        """Stands for a value of this field in a statement."""
        return _marker(next(each.type for each in self.fields if each.field == field))

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
        way = " DESC NULLS LAST" if order.descending else " NULLS FIRST"
        return f" ORDER BY {field}{way}" + ("" if field == "id" else ", id")

    def _condition(self, condition: Condition, values: list[Value]) -> str:
        field, kind = self.place(condition.column)
        operator, value = condition.operator, value_of(condition.value, kind)
        if operator in ("isEmpty", "isNotEmpty"):
            empty = f"({field} IS NULL OR {field} = '')" if kind == "string" else f"{field} IS NULL"
            return empty if operator == "isEmpty" else f"NOT {empty}"
        if operator in ("eq", "neq"):
            values.append(value)
            return f"{field} IS {'NOT ' if operator == 'eq' else ''}DISTINCT FROM {_marker(kind)}"
        if operator == "like":
            values.append(like_of(str(value)))
            return f"{field} LIKE %s"
        if operator == "ilike":
            values.append(like_of(_lower(str(value))))
            return f"lower({field}) LIKE %s"
        values.append(value)
        return f"{field} {_COMPARED[operator]} {_marker(kind)}"

    @staticmethod
    def _searched(field: Field, search: str, values: list[Value]) -> str:
        values.append(like_of(_lower(search)))
        text = _SEARCHED[field.type].format(field=field.field)
        return f'lower({text} COLLATE "C") LIKE %s'


def size_sql(field: Field) -> str:
    """What a field counts in the size of a row, as SQL."""
    if field.type != "string":
        return str(_FIELD_SIZE)
    return f"coalesce(octet_length({field.field}), {_FIELD_SIZE})"


def value_of(cell: Cell, kind: ColumnType) -> Value:
    """A cell as PostgreSQL keeps it."""
    if cell is None:
        return None
    if kind == "number":
        return float(cell)
    return bool(cell) if kind == "boolean" else fitting(cell)


def cell_of(value: Value, kind: ColumnType) -> Cell:
    """A number that is whole comes as an int, as far as that is exact."""
    if value is None:
        return None
    if kind == "number" and isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value  # type: ignore[return-value]  # no bytes by the schema


def like_of(pattern: str) -> str:
    """A pattern with `%` for any characters, in the language of LIKE."""
    return pattern.replace("\\", "\\\\").replace("_", "\\_")


def _lower(text: str) -> str:
    """A to Z alone, as `lower` does in the collation C."""
    return text.translate(_LOWER)


def _bytes(text: str) -> int:
    return len(kept_text(text).encode("utf-8", "replace"))


def _marker(kind: ColumnType) -> str:
    return f"%s::{_CASTS[kind]}"
