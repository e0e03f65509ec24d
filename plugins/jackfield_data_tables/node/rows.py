"""Values and conditions of the node's rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import cast

from jackfield.api.clock import iso
from jackfield.api.dates import iana_zone
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.storage import SYSTEM_COLUMNS, ColumnType, DataTable, RowFilter
from jackfield_data_tables.filters import Asked, checked
from jackfield_data_tables.node.parameters import DataTableParameters, MappedColumn, RowCondition, TableColumns
from jackfield_data_tables.values import TableRefusal, described, moment_of, text_of, typed

_CHECKED: Mapping[str, ColumnType] = {"number": "number", "boolean": "boolean", "dateTime": "date"}
_VALUELESS = ("isEmpty", "isNotEmpty", "isTrue", "isFalse")


def row_of(run: NodeRun, parameters: DataTableParameters, index: int) -> dict[str, Json]:
    """The row that an item is to become. Raises `NodeError`."""
    mapper = parameters.columns
    if mapper.mapping_mode == "autoMapInputData":
        data = {name: value for name, value in run.items[index]["json"].items() if name not in SYSTEM_COLUMNS}
    elif mapper.value is None:
        raise NodeError("The parameter columns has no values; map at least one column.", item=index)
    else:
        data = _mapped(mapper, index)
    for value in data.values():
        if isinstance(value, dict | list):
            kind = "array" if isinstance(value, list) else "object"
            text = dumps(value).decode()
            raise NodeError(f"unexpected {kind} input '{text[:1000]}' in row {index}", item=index)
    return data


def _mapped(mapper: TableColumns, index: int) -> dict[str, Json]:
    """The mapped values, checked against what the editor knew of the columns."""
    known = {column.id: column for column in mapper.schema_}
    given = cast("Mapping[str, Json]", mapper.value or {})  # resolved parameters are JSON
    return {
        name: _fitted(mapper, known[name], value, index) if name in known and value is not None else value
        for name, value in given.items()
    }


def _fitted(mapper: TableColumns, column: MappedColumn, value: Json, index: int) -> Json:
    kind = _CHECKED.get(column.type)
    strict = not mapper.attempt_to_convert_types
    if column.type == "string" and mapper.convert_fields_to_string:
        if isinstance(value, str) or not strict:
            return dumps(value).decode() if isinstance(value, dict | list) else _as_text(value)
    elif kind is None:
        return value
    elif not strict or kind == "date" or isinstance(value, bool if kind == "boolean" else int | float):
        try:
            made = typed(value, column.id, kind)
        except TableRefusal:
            pass
        else:
            return value if kind == "date" else made
    if mapper.ignore_type_mismatch_errors:
        return value
    raise NodeError(
        f"Invalid input for '{column.id}' [item {index}]",
        item=index,
        description=f"'{column.id}' expects a {column.type} but we got {described(value)}",
    )


def _as_text(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return text_of(cast("str | float", value))


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


def _asked(given: RowCondition, types: Mapping[str, ColumnType]) -> Asked:
    column, operator, value = given.key_name, given.condition or "eq", cast("Json", given.key_value)
    if operator in ("isTrue", "isFalse"):
        return Asked(column, "eq", operator == "isTrue")
    if operator not in _VALUELESS and types[column] == "date" and isinstance(value, str):
        try:
            moment = moment_of(value, UTC)
        except (ValueError, OverflowError):
            raise NodeError(f"Invalid date string '{value[:200]}' for column '{column}'") from None
        return Asked(column, operator, iso(moment))
    return Asked(column, operator, value)


def columns_of(parameters: DataTableParameters) -> Sequence[tuple[str, ColumnType]]:
    return [(column.name, column.type) for column in parameters.columns.column]
