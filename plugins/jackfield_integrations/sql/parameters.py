"""The parameters of postgres 2-2.6, mySql 2-2.5 and sqlite, and what they make of an item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_integrations.form import CONDITION, LEGACY_OPTIONS, LEGACY_SQL, SENT, SORTED, SQL, SQL_OPTIONS
from jackfield_integrations.parameters import Locator, Text, names
from jackfield_integrations.sql import build
from jackfield_integrations.sql.build import Removal, Selection, SqlCondition, SqlTable, SqlWhere
from jackfield_integrations.sql.placeholders import with_values
from jackfield_integrations.sql.statements import SqlDialect, Statement

Batching: TypeAlias = Literal["single", "independently", "transaction"]
Row: TypeAlias = "dict[str, Json]"


def _listed(value: object) -> object:
    return names(value) if isinstance(value, str) else ([] if value is None else value)


Names: TypeAlias = Annotated[list[str], BeforeValidator(_listed)]


class ConditionRow(Parameters):
    ui_fields: ClassVar[UiFields] = CONDITION

    column: Locator = ""
    condition: Text = "equal"
    value: object = None


class ConditionRows(Parameters):
    values: list[ConditionRow] = Field(default_factory=list)


class SortRow(Parameters):
    ui_fields: ClassVar[UiFields] = SORTED

    column: Locator = ""
    direction: str = "ASC"


class SortRows(Parameters):
    values: list[SortRow] = Field(default_factory=list)


class ValueRow(Parameters):
    ui_fields: ClassVar[UiFields] = SENT

    column: Locator = ""
    value: object = None


class ValueRows(Parameters):
    values: list[ValueRow] = Field(default_factory=list)


class ColumnMapper(Parameters, title="Mapper"):
    """Which columns get which values: named one by one, or the item's fields of the same names."""

    mapping_mode: str = "defineBelow"
    value: dict[str, object] | None = None
    matching_columns: list[str] | None = None


class SqlOptions(Parameters):
    ui_fields: ClassVar[UiFields] = SQL_OPTIONS

    query_batching: Batching | None = Field(None, description="How the statements of several items go together.")
    query_replacement: object = Field(None, description="Values for $1, $2 ...: a list, or comma-separated text.")
    output_columns: Names = Field(default_factory=list, description="Columns to give back; all of them without any.")
    skip_on_conflict: bool = Field(False, description="Pass over rows that are there already.")
    replace_empty_strings: bool = Field(False, description="Write NULL instead of empty texts.")
    large_numbers_output: Literal["text", "numbers"] | None = Field(None, description="How numbers beyond 2^53 come.")
    decimal_numbers: bool = Field(False, description="Decimal numbers as numbers instead of texts (mySql).")
    select_distinct: bool = False
    priority: str = Field("", description="LOW_PRIORITY or HIGH_PRIORITY (mySql).")
    cascade: bool = False
    connection_timeout: float | None = Field(None, gt=0, description="Seconds to connect, within the setting's.")


class SqlParameters(Parameters):
    ui_fields: ClassVar[UiFields] = SQL
    ui_order: ClassVar[Sequence[str]] = ("operation", "schema", "table", "query", "deleteCommand")

    operation: Literal["executeQuery", "insert", "update", "upsert", "select", "deleteTable"] = "insert"
    schema_name: Locator = Field("public", alias="schema")
    table: Locator = ""
    query: Text = Field("", description="SQL with $1, $2 ... where values go.")
    data_mode: str | None = Field(None, description="autoMapInputData or defineBelow, where there is no mapper.")
    values_to_send: ValueRows = Field(default_factory=ValueRows)
    columns: ColumnMapper | None = None
    column_to_match_on: Locator = ""
    value_to_match_on: object = None
    return_all: bool = False
    limit: int = Field(50, ge=0)
    where: ConditionRows = Field(default_factory=ConditionRows)
    combine_conditions: Literal["AND", "OR"] = "AND"
    sort: SortRows = Field(default_factory=SortRows)
    delete_command: Literal["truncate", "delete", "drop"] = "truncate"
    restart_sequences: bool = False
    options: SqlOptions = Field(default_factory=SqlOptions)

    def batching(self) -> Batching:
        return self.options.query_batching or "single"

    def statement(self, dialect: SqlDialect, item: Row) -> Statement:
        """The statement to run for an item. Raises `NodeError`."""
        if self.operation == "executeQuery":
            return with_values(self.query, self._replacements(), dialect.name)
        table = SqlTable(dialect, self.table, self.schema_name, self.options.output_columns or ("*",))
        match self.operation:
            case "select":
                return build.select(table, self._selection())
            case "deleteTable":
                return build.remove(
                    table, Removal(self.delete_command, self._where(), self.options.cascade, self.restart_sequences)
                )
            case "insert":
                return build.insert(
                    table, self._row(item), skip=self.options.skip_on_conflict, words=self._words(dialect)
                )
        row, match = self._row(item), self._match(item)
        if self.operation == "upsert":
            return build.upsert(table, list(match), match | row)
        return build.update(table, match, {name: value for name, value in row.items() if name not in match})

    def _words(self, dialect: SqlDialect) -> str:
        wanted = self.options.priority.upper()
        return f" {wanted}" if dialect.name == "mysql" and wanted in {"LOW_PRIORITY", "HIGH_PRIORITY"} else ""

    def _replacements(self) -> list[Json]:
        given = self._filled(self.options.query_replacement)
        if given is None or given == "":
            return []
        if isinstance(given, str):
            return [self._filled(entry.strip()) for entry in given.split(",")]
        return [self._filled(entry) for entry in given] if isinstance(given, list) else [given]

    def _selection(self) -> Selection:
        return Selection(
            self.options.output_columns or ("*",),
            self._where(),
            [(row.column, row.direction) for row in self.sort.values],
            None if self.return_all else self.limit,
            self.options.select_distinct,
        )

    def _where(self) -> SqlWhere:
        rows = [SqlCondition(row.column, row.condition or "equal", as_json(row.value)) for row in self.where.values]
        return SqlWhere(rows, self.combine_conditions)

    def _filled(self, value: object) -> Json:
        return None if value == "" and self.options.replace_empty_strings else as_json(value)

    def _row(self, item: Row) -> Row:
        """The columns to write."""
        found: Mapping[str, object]
        if self.columns is not None:
            found = item if self.columns.mapping_mode == "autoMapInputData" else (self.columns.value or {})
        elif (self.data_mode or ("defineBelow" if self.values_to_send.values else "autoMapInputData")) == "defineBelow":
            found = {row.column: row.value for row in self.values_to_send.values}
        else:
            found = item
        return {name: self._filled(value) for name, value in found.items()}

    def _match(self, item: Row) -> Row:
        """The columns that tell rows apart, with their values."""
        if self.columns is not None:
            row = self._row(item)
            return {name: row.get(name) for name in self.columns.matching_columns or []}
        column = self.column_to_match_on
        if not column:
            return {}
        auto = (self.data_mode or "autoMapInputData") == "autoMapInputData"
        if auto and column not in item:
            raise NodeError(f"The item has no field '{column}', on which the parameter columnToMatchOn matches.")
        return {column: self._filled(item[column] if auto else self.value_to_match_on)}


class LegacySqlOptions(Parameters, title="LegacyOptions"):
    ui_fields: ClassVar[UiFields] = LEGACY_OPTIONS

    mode: Batching | None = None
    ignore: bool = False
    priority: str = ""
    large_numbers_output: Literal["text", "numbers"] | None = None
    decimal_numbers: bool = False
    connection_timeout: float | None = None
    query_params: Text = ""


class LegacySqlParameters(Parameters):
    """Version 1 of postgres and mySql: columns are fields of the item, by name."""

    ui_fields: ClassVar[UiFields] = LEGACY_SQL

    operation: Literal["executeQuery", "insert", "update"] = "insert"
    query: Text = ""
    schema_name: Locator = Field("public", alias="schema")
    table: Locator = ""
    columns: Names = Field(default_factory=list)
    update_key: Text = "id"
    return_fields: Names = Field(default_factory=lambda: ["*"])
    additional_fields: LegacySqlOptions = Field(default_factory=LegacySqlOptions)
    options: LegacySqlOptions = Field(default_factory=LegacySqlOptions)

    def batching(self) -> Batching:
        return self.additional_fields.mode or "single"

    def statement(self, dialect: SqlDialect, item: Row) -> Statement:
        """The statement to run for an item. Raises `NodeError`."""
        if self.operation == "executeQuery":
            wanted = names(self.additional_fields.query_params)
            return with_values(self.query, [item.get(name) for name in wanted], dialect.name)
        table = SqlTable(dialect, self.table, self.schema_name, self.return_fields or ("*",))
        row = {name: item.get(name) for name in (column.partition(":")[0] for column in self.columns)}
        if self.operation == "insert":
            return build.insert(table, row, skip=self.options.ignore)
        keys = names(self.update_key)
        match = {key: item.get(key) for key in keys}
        return build.update(table, match, {name: value for name, value in row.items() if name not in match})


AnySqlParameters: TypeAlias = "SqlParameters | LegacySqlParameters"


def as_json(value: object) -> Json:
    """The value as plain JSON, which it is unless a caller made it otherwise."""
    if value is None or isinstance(value, str | int | float | bool | list | dict):
        return value
    raise NodeError("A value is neither text, number, truth value, list nor object.")
