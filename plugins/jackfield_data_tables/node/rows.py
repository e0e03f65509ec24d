"""Values and conditions of the node's rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from typing import cast

from jackfield.api.clock import iso
from jackfield.api.dates import iana_zone
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.storage.tables import SYSTEM_COLUMNS, ColumnType, DataTable, RowFilter
from jackfield_data_tables.filters import AskedCondition, checked
from jackfield_data_tables.node.errors import RefusedByTable
from jackfield_data_tables.node.parameters import (
    CHECKED,
    ColumnCondition,
    DataTableParameters,
    MappedColumn,
    TableColumns,
)
from jackfield_data_tables.values import TableRefusal, described, moment_of, typed
from jackfield_data_tables.views import shown_cell

_VALUELESS = ("isEmpty", "isNotEmpty", "isTrue", "isFalse")


def row_of(run: NodeRun, parameters: DataTableParameters, index: int) -> dict[str, Json]:
    """The row that an item is to become. Raises `NodeError`."""
    mapper = parameters.columns
    if mapper.mapping_mode == "autoMapInputData":
        data = {name: value for name, value in run.items[index]["json"].items() if name not in SYSTEM_COLUMNS}
    elif mapper.value is None:
        raise RefusedByTable("The parameter columns has no values; map at least one column.", item=index)
    else:
        data = _mapped(run, mapper, index)
    for value in data.values():
        if isinstance(value, dict | list):
            kind = "array" if isinstance(value, list) else "object"
            text = dumps(value).decode()
            raise NodeError(f"unexpected {kind} input '{text[:1000]}' in row {index}", item=index)
    return data


def _mapped(run: NodeRun, mapper: TableColumns, index: int) -> dict[str, Json]:
    """The mapped values, made to fit what the editor knew of the columns."""
    known = {column.id: column for column in mapper.schema_}
    given = cast("Mapping[str, Json]", mapper.value or {})  # resolved parameters are JSON
    zone = iana_zone(run.execution.timezone)
    return {name: _fitted(known[name], value, index, zone) if name in known else value for name, value in given.items()}


def _fitted(column: MappedColumn, value: Json, index: int, zone: tzinfo) -> Json:
    """Raises `RefusedByTable`."""
    if value is None:
        if column.required and column.type != "boolean":
            raise RefusedByTable(f'The value "{column.id}" is required but not set', item=index)
        return None
    kind = CHECKED.get(column.type)
    if kind is None:
        return value
    try:
        return shown_cell(typed(value, column.id, kind, zone), kind)
    except TableRefusal:
        raise RefusedByTable(
            f"Invalid input for '{column.id}' [item {index}]",
            item=index,
            description=f"'{column.id}' expects a {column.type} but we got {described(value)}",
        ) from None


def filter_of(run: NodeRun, parameters: DataTableParameters, table: DataTable, most: int) -> RowFilter:
    """The rows that the conditions say. Raises `NodeError` and `TableRefusal`."""
    if parameters.match_type not in ("anyCondition", "allConditions"):
        raise NodeError("unexpected match type")
    types = table.types()
    conditions = parameters.filters.conditions
    unknown = [each.key_name for each in conditions if each.key_name not in types]
    if unknown:
        raise NodeError(
            f'Filter validation failed: Column(s) "{", ".join(unknown)}" do not exist in the selected table. '
            "This often happens when switching between tables with different schemas. "
            "Please update your filter conditions."
        )
    asked = [_asked(each, types) for each in conditions]
    zone = iana_zone(run.execution.timezone)
    return checked(table, asked, any_of=parameters.match_type == "anyCondition", most=most, zone=zone)


def _asked(given: ColumnCondition, types: Mapping[str, ColumnType]) -> AskedCondition:
    column, operator, value = given.key_name, given.condition or "eq", cast("Json", given.key_value)
    if operator in ("isTrue", "isFalse"):
        return AskedCondition(column, "eq", operator == "isTrue")
    if operator not in _VALUELESS and types[column] == "date" and isinstance(value, str):
        try:
            moment = moment_of(value, UTC)
        except (ValueError, OverflowError):
            raise NodeError(f"Invalid date string '{value[:200]}' for column '{column}'") from None
        return AskedCondition(column, operator, iso(moment))
    return AskedCondition(column, operator, value)


def columns_of(parameters: DataTableParameters) -> Sequence[tuple[str, ColumnType]]:
    return [(column.name, column.type) for column in parameters.columns.column]
