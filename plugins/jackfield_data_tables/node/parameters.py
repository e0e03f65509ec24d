"""Parameters of the Data table node, versions 1 and 1.1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, Parameters, needed
from jackfield.api.nodes.needs import EMPTY
from jackfield.api.nodes.ui import Ui, UiFields
from jackfield.api.storage.tables import ColumnType
from jackfield_data_tables.node.form import CONDITION, DATA_TABLE, LOCATOR, OPTIONS, NewColumn
from jackfield_data_tables.values import TableRefusal, typed

RowOperation = Literal["insert", "get", "update", "upsert", "deleteRows", "rowExists", "rowNotExists"]
TableOperation = Literal["create", "list", "update", "delete", "clear"]
DEFAULT_LIMIT = 50


class TableLocator(Parameters, title="Locator"):
    """A chosen data table. mode: list and id take its id, name its name."""

    ui: ClassVar[Ui] = LOCATOR

    value: str | None = ""
    mode: str = "list"


class ColumnCondition(Parameters, title="Condition"):
    ui_fields: ClassVar[UiFields] = CONDITION

    key_name: str = "id"
    condition: str | None = "eq"
    key_value: object = ""


class RowConditions(Parameters, title="Conditions"):
    conditions: list[ColumnCondition] = Field(default_factory=list)


class MappedColumn(Parameters):
    """A column as the editor knew it when the values were mapped."""

    id: str = ""
    type: str = ""
    required: bool = False


class TableColumns(Parameters, title="Mapper"):
    """Values of a row, or the columns of a new table."""

    mapping_mode: str = "defineBelow"
    value: dict[str, object] | None = None
    schema_: list[MappedColumn] = Field(default_factory=list, alias="schema")
    column: list[NewColumn] = Field(default_factory=list)


class DataTableOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = OPTIONS

    dry_run: object = Field(False, description="Change nothing; give rows as they are and as they would be.")
    optimize_bulk: Flag = Field(False, description="Give the number of added rows only.")
    create_if_not_exists: Flag = Field(False, description="Take the table of this name where there is one.")
    filter_name: str = Field("", description="A part of the names of tables.")
    sort_field: str = ""
    sort_direction: str = ""


_NUMBER = re.compile(r"[-+]?[0-9.]+")
_WRITE = ("insert", "update", "upsert")
CHECKED: Mapping[str, ColumnType] = {"number": "number", "boolean": "boolean", "dateTime": "date"}
_BY_CONDITIONS = ("update", "upsert", "deleteRows", "rowExists", "rowNotExists")


class DataTableParameters(Parameters):
    ui_fields: ClassVar[UiFields] = DATA_TABLE

    resource: Literal["row", "table"] = "row"
    operation: Literal[
        "insert", "get", "update", "upsert", "deleteRows", "rowExists", "rowNotExists",
        "create", "list", "delete", "clear",
    ] = "insert"  # fmt: skip
    data_table_id: TableLocator | str | None = Field(
        None,
        description="The table: from the list, by id or by name.",
        json_schema_extra=needed(
            {"resource": ["row"]}, {"resource": ["table"], "operation": ["clear", "delete", "update"]}
        ),
    )
    match_type: str = Field("anyCondition", description="anyCondition or allConditions.")
    filters: RowConditions = Field(default_factory=RowConditions)
    columns: TableColumns = Field(default_factory=TableColumns)
    return_all: Flag = False
    limit: float = Field(DEFAULT_LIMIT, description="Rows or tables per input item.")
    order_by: Flag = False
    order_by_column: str = "createdAt"
    order_by_direction: str = "DESC"
    table_name: str = Field("", json_schema_extra=needed({"resource": ["table"], "operation": ["create"]}))
    new_name: str = Field("", json_schema_extra=needed({"resource": ["table"], "operation": ["update"]}))
    options: DataTableOptions = Field(default_factory=DataTableOptions)

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        found = dict(super().obstacles(parameters))
        filters = parameters.get("filters")
        by_conditions = parameters.get("resource", "row") == "row" and parameters.get("operation") in _BY_CONDITIONS
        if by_conditions and not (isinstance(filters, dict) and filters.get("conditions")):
            found["filters"] = "It has no condition; add one, so that not every row is meant."
        if parameters.get("operation", "insert") in _WRITE and parameters.get("resource", "row") == "row":
            found |= dict(_unfit(parameters.get("columns")))
        return found

    @model_validator(mode="before")
    @classmethod
    def _of_resource(cls, given: object) -> object:
        """Defaults that differ for tables."""
        if isinstance(given, Mapping) and given.get("resource") == "table":
            return {"operation": "list", **({} if "returnAll" in given else {"return_all": True}), **given}
        return given


def _unfit(columns: Json) -> Iterator[tuple[str, str]]:
    """Path -> why, of each fixed value that is none of its column's type, and of required ones that are not there.
    Source: n8n's `validateResourceMapperParameter`."""
    if not isinstance(columns, dict) or columns.get("mappingMode") == "autoMapInputData":
        return
    given, known = columns.get("value"), columns.get("schema")
    values: Mapping[str, Json] = given if isinstance(given, dict) else {}
    for column in known if isinstance(known, list) else ():
        name = column.get("id") if isinstance(column, dict) else None
        if not isinstance(column, dict) or not isinstance(name, str):
            continue
        if column.get("required") is True and name not in values:
            yield f"columns.value.{name}", EMPTY
        elif told := _mistake(values.get(name), name, CHECKED.get(str(column.get("type")))):
            yield f"columns.value.{name}", told


def _mistake(value: Json, name: str, kind: ColumnType | None) -> str:
    """Numbers that stand for dates, and an empty list for a truth value, are left to the run: n8n starts with them."""
    if kind is None or (isinstance(value, str) and value.startswith("=")) or (kind == "boolean" and value == []):
        return ""
    first = value[0] if kind == "date" and isinstance(value, list) and len(value) == 1 else value
    if kind == "date" and not isinstance(first, bool | dict | list) and _NUMBER.fullmatch(str(first)):
        return ""
    try:
        typed(value, name, kind)
    except TableRefusal as exc:
        return f"{exc.message}; change it, or use an expression."
    return ""
