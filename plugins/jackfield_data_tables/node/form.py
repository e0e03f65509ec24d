"""How the node Data Table shows its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words

_ROW: Case = {"resource": "row"}
_TABLE: Case = {"resource": "table"}
_BY_CONDITIONS: Case = {**_ROW, "operation": ["get", "update", "upsert", "deleteRows", "rowExists", "rowNotExists"]}
_DIRECTIONS: Mapping[Scalar, Words] = {"ASC": "Ascending", "DESC": "Descending"}
LOCATOR = Ui(
    "locator",
    label="Data table",
    options={
        "modes": [
            {"name": "list", "label": "From list"},
            {"name": "id", "label": "By ID"},
            {"name": "name", "label": "By name"},
        ],
        "opens": "data-tables",
    },
)


class NewColumn(Parameters):
    name: str = ""
    type: Literal["string", "number", "boolean", "date"] = "string"

    ui_fields: ClassVar[UiFields] = {
        "type": Ui(choices={"string": "Text", "number": "Number", "boolean": "True or false", "date": "Date and time"})
    }


class NewColumns(Parameters):
    column: list[NewColumn] = Field(default_factory=list)


DATA_TABLE: UiFields = {
    "resource": Ui(choices={"row": "Row", "table": "Table"}, help="The thing to work on."),
    "operation": (
        Ui(
            when=_ROW,
            choices={
                "insert": "Insert",
                "get": "Get",
                "update": "Update",
                "upsert": "Insert or update",
                "deleteRows": "Delete",
                "rowExists": "Go on if a row exists",
                "rowNotExists": "Go on if no row exists",
            },
            help="The work that the node does.",
        ),
        Ui(
            when=_TABLE,
            choices={
                "list": "List",
                "create": "Create",
                "update": "Rename",
                "clear": "Remove all rows",
                "delete": "Delete",
            },
            default="list",
            help="The work that the node does.",
        ),
    ),
    "dataTableId": (Ui(when=_ROW), Ui(when={**_TABLE, "operation": ["clear", "delete", "update"]})),
    "matchType": Ui(
        help="How several conditions go together.",
        label="Rows must meet",
        when=_BY_CONDITIONS,
        choices={"anyCondition": "Any condition", "allConditions": "All conditions"},
    ),
    "filters": Ui(label="Conditions", when=_BY_CONDITIONS, options={"add": "Add condition"}),
    "columns": (
        Ui("mapper", when={**_ROW, "operation": ["insert", "update", "upsert"]}),
        Ui("fixedCollection", when={**_TABLE, "operation": "create"}, options={"add": "Add column"}, fields=NewColumns),
    ),
    "returnAll": (Ui(when={**_ROW, "operation": "get"}), Ui(when={**_TABLE, "operation": "list"}, default=True)),
    "limit": (
        Ui(when={**_ROW, "operation": "get", "returnAll": False}),
        Ui(when={**_TABLE, "operation": "list", "returnAll": False}),
    ),
    "orderBy": Ui(label="Sort", when={**_ROW, "operation": "get"}, help="Gives the rows in an order."),
    "orderByColumn": Ui(label="Sort by", when={**_ROW, "operation": "get", "orderBy": True}),
    "orderByDirection": Ui(label="Direction", when={**_ROW, "operation": "get", "orderBy": True}, choices=_DIRECTIONS),
    "options": (
        Ui(when={**_ROW, "operation": ["insert", "update", "upsert", "deleteRows"]}),
        Ui(when={**_TABLE, "operation": ["list", "create"]}),
    ),
    "tableName": Ui(label="Name", when={**_TABLE, "operation": "create"}),
    "newName": Ui(when={**_TABLE, "operation": "update"}),
}
CONDITION: UiFields = {
    "keyName": Ui(label="Column"),
    "condition": Ui(
        choices={
            "eq": "Is equal to",
            "neq": "Is not equal to",
            "like": "Is like",
            "ilike": "Is like, in any case",
            "gt": "Is greater than",
            "gte": "Is greater than or equal to",
            "lt": "Is less than",
            "lte": "Is less than or equal to",
            "isEmpty": "Is empty",
            "isNotEmpty": "Is not empty",
            "isTrue": "Is true",
            "isFalse": "Is false",
        }
    ),
    "keyValue": Ui(label="Value", hide={"condition": ["isEmpty", "isNotEmpty", "isTrue", "isFalse"]}),
}
OPTIONS: UiFields = {
    "dryRun": Ui("switch", when={"/resource": "row", "/operation": ["update", "upsert", "deleteRows"]}),
    "optimizeBulk": Ui(label="Count only", when={"/resource": "row", "/operation": "insert"}),
    "createIfNotExists": Ui(label="Take the existing one", when={"/resource": "table", "/operation": "create"}),
    "filterName": Ui(label="Name contains", when={"/resource": "table", "/operation": "list"}),
    "sortField": Ui(
        label="Sort by",
        when={"/resource": "table", "/operation": "list"},
        choices={"": "Not set", "name": "Name", "createdAt": "Creation", "updatedAt": "Last change"},
    ),
    "sortDirection": Ui(
        label="Direction",
        when={"/resource": "table", "/operation": "list"},
        choices={"": "Not set", "asc": "Ascending", "desc": "Descending"},
    ),
}
