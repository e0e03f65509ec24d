"""Data table nodes whose runs n8n and Jackfield are compared in: each stands behind the webhook, in this order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

TABLE = "People"
COLUMNS = [
    {"name": "name", "type": "string"},
    {"name": "age", "type": "number"},
    {"name": "open", "type": "boolean"},
    {"name": "born", "type": "date"},
]
ROWS = [
    {"name": "Ada", "age": 36, "open": True, "born": "1815-12-10T00:00:00.000Z"},
    {"name": "bob_%", "age": 7.5, "open": False, "born": "2020-02-03T04:05:06.789Z"},
    {"name": "", "age": -1},
    {"open": True},
    {"name": "ada [*?]", "age": 36},
    {"name": "Zoë", "age": 1e21},
]
BY_NAME = {"__rl": True, "mode": "name", "value": TABLE}
COMPUTED = {"__rl": True, "mode": "name", "value": "={{ 'People' }}"}
Case = tuple[str, dict[str, Any], str]
"""Name, parameters, onError."""


def conditions(*rows: tuple[Any, ...], match: str = "allConditions") -> dict[str, Any]:
    made = [{"keyName": row[0], "condition": row[1], **({"keyValue": row[2]} if len(row) > 2 else {})} for row in rows]
    return {"matchType": match, "filters": {"conditions": made}}


def mapped(value: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    schema = [
        {"id": each["name"], "displayName": each["name"], "required": False, "defaultMatch": False, "display": True,
         "type": {"date": "dateTime"}.get(each["type"], each["type"]), "canBeUsedToMatch": True}
        for each in COLUMNS
    ]  # fmt: skip
    return {"columns": {"mappingMode": "defineBelow", "value": value, "schema": schema, **more}}


AUTO = {"columns": {"mappingMode": "autoMapInputData", "value": None}}
FILTERS: Sequence[tuple[Any, ...]] = (
    ("name", "eq", "Ada"), ("name", "eq"), ("name", "neq", "Ada"), ("name", "like", "a"), ("name", "like", "a%"),
    ("name", "like", "[*?]"), ("name", "ilike", "ADA"), ("name", "ilike", "b_"), ("name", "ilike", "%_\\%"),
    ("name", "gt", "Ada"), ("name", "lte", "Ada"), ("name", "isEmpty"), ("name", "isNotEmpty"), ("name", "like", ""),
    ("name", "eq", "={{ null }}"), ("name", "neq", "={{ null }}"), ("name", "gt", "={{ null }}"),
    ("name", "eq", "={{ 36 }}"), ("age", "eq", "36"), ("age", "eq", "={{ 36 }}"), ("age", "eq", ""),
    ("age", "neq", "36"), ("age", "gte", "7.5"), ("age", "lt", "x"), ("age", "isEmpty"), ("age", "isNotEmpty"),
    ("age", "like", "3"), ("open", "isTrue"), ("open", "isFalse"), ("open", "eq", "true"), ("open", "eq", "maybe"),
    ("open", "isEmpty"), ("born", "gt", "2000-01-01"), ("born", "eq", "2020-02-03T05:05:06.789+01:00"),
    ("born", "lte", "1815-12-10"), ("born", "isEmpty"), ("born", "eq", "never"), ("id", "gt", "3"),
    ("id", "eq", "={{ 2 }}"), ("createdAt", "gt", "2020-01-01"), ("updatedAt", "lt", "2020-01-01"), ("nope", "eq", "1"),
    ("age", "eq", "={{ [36] }}"),
)  # fmt: skip


def get(name: str, parameters: dict[str, Any], on_error: str = "continueRegularOutput") -> Case:
    return name, {"operation": "get", "dataTableId": BY_NAME, "returnAll": True, **parameters}, on_error


def on(name: str, operation: str, parameters: dict[str, Any], on_error: str = "continueRegularOutput") -> Case:
    return name, {"operation": operation, "dataTableId": BY_NAME, **parameters}, on_error


def reading() -> list[Case]:
    return [
        *(get(f"filter {index}", conditions(row)) for index, row in enumerate(FILTERS)),
        *(on(f"exists {index}", "rowExists", conditions(row)) for index, row in enumerate(FILTERS[:3])),
        *(on(f"not exists {index}", "rowNotExists", conditions(row)) for index, row in enumerate(FILTERS[:3])),
        get("any", conditions(("age", "eq", "36"), ("open", "isTrue"), match="anyCondition")),
        get("all", conditions(("age", "eq", "36"), ("open", "isTrue"))),
        get("by item", conditions(("name", "eq", "={{ $json.name }}"))),
        get("no conditions", {}),
        get("limited", {"returnAll": False, "limit": 2}),
        get("computed table", {"dataTableId": COMPUTED}),
        *(
            get(f"by {name} {way}", {"orderBy": True, "orderByColumn": name, "orderByDirection": way})
            for name in ("id", "name", "age", "open", "born") for way in ("ASC", "DESC")
        ),
        get("by nothing there", {"orderBy": True, "orderByColumn": "nope"}),
        get("unknown table", {"dataTableId": {"__rl": True, "mode": "name", "value": "Nobody"}}),
        get("unknown id", {"dataTableId": {"__rl": True, "mode": "id", "value": "Nobody"}}),
        get("unknown, error output", conditions(("nope", "eq", "1")), "continueErrorOutput"),
    ]  # fmt: skip


def writing() -> list[Case]:
    ada, none = conditions(("name", "eq", "Ada")), conditions(("name", "eq", "={{ 'Eve' + $itemIndex }}"))
    full = {"name": "New", "age": 4, "open": False, "born": "2021-01-01T00:00:00.000Z"}
    rest = {"operation": "get", "dataTableId": BY_NAME, "returnAll": True}
    return [
        on("dry update", "update", {**ada, **mapped({"age": 40}), "options": {"dryRun": True}}),
        on("dry update of a date", "update", {**ada, **mapped({"born": "2021-05-06"}), "options": {"dryRun": True}}),
        on("dry upsert", "upsert", {**none, **mapped({"name": "x", "age": 1}), "options": {"dryRun": True}}),
        on("dry delete", "deleteRows", {**ada, "options": {"dryRun": True}}),
        on("update", "update", {**ada, **mapped({"age": 40, "open": None})}),
        on("update nothing", "update", {**none, **mapped({"age": 40})}),
        on("update without values", "update", {**ada, **mapped({})}),
        on("upsert", "upsert", {**none, **mapped({"name": "={{ 'Eve' + $itemIndex }}", "age": 1})}),
        on("insert", "insert", mapped(full)),
        on("insert, convert", "insert", mapped({**full, "age": "5", "open": "true"}, attemptToConvertTypes=True)),
        on("insert, strict number", "insert", mapped({"age": "5"})),
        on("insert, strict boolean", "insert", mapped({"open": "true"})),
        on("insert, ignored mismatch", "insert", mapped({"age": "={{ 'x' }}"}, ignoreTypeMismatchErrors=True)),
        on("insert, lax", "insert", {"columns": {"mappingMode": "defineBelow", "value": {"age": "5", "open": 1}}}),
        on("insert, date", "insert", mapped({"born": "2021-05-06"})),
        on("insert, bad date", "insert", mapped({"born": "={{ 'some day' }}"})),
        on("insert, number as text", "insert", mapped({"name": "={{ 12.5 }}"})),
        on("insert, true as text", "insert", mapped({"name": "={{ true }}"})),
        on("insert, object", "insert", mapped({"name": "={{ {a: 1} }}"})),
        on("insert, list", "insert", {"columns": {"mappingMode": "defineBelow", "value": {"name": "={{ [1] }}"}}}),
        on("insert, unknown column", "insert", mapped({"nope": 1})),
        on("insert, no values", "insert", mapped(None)),
        on("insert, empty", "insert", mapped({})),
        on("insert, error output", "insert", mapped({"age": "={{ 'x' }}"}), "continueErrorOutput"),
        on("insert, computed", "insert", {"dataTableId": COMPUTED, **mapped({"name": "c"})}),
        on("insert, computed, bad", "insert", {"dataTableId": COMPUTED, **mapped({"nope": 1})}),
        on("insert, optimized", "insert", {**mapped({"name": "o"}), "options": {"optimizeBulk": True}}),
        on("insert, mapped by name", "insert", AUTO),
        on("delete", "deleteRows", conditions(("name", "eq", "o"))),
        ("list", {"resource": "table", "operation": "list"}, "continueRegularOutput"),
        ("create", {"resource": "table", "operation": "create", "tableName": "Made", "columns": {"column": [
            {"name": "a"}, {"name": "b", "type": "date"}]}}, "continueRegularOutput"),
        ("create again", {"resource": "table", "operation": "create", "tableName": "Made",
         "options": {"createIfNotExists": True}}, "continueRegularOutput"),
        ("create bad column", {"resource": "table", "operation": "create", "tableName": "Odd", "columns": {"column": [
            {"name": "1a"}]}}, "continueRegularOutput"),
        ("create system column", {"resource": "table", "operation": "create", "tableName": "Odd",
         "columns": {"column": [{"name": "createdat"}]}}, "continueRegularOutput"),
        ("rename", {"resource": "table", "operation": "update", "newName": "Renamed",
         "dataTableId": {"__rl": True, "mode": "name", "value": "Made"}}, "continueRegularOutput"),
        ("list by name", {"resource": "table", "operation": "list", "options": {"filterName": "REN",
         "sortField": "name", "sortDirection": "asc"}}, "continueRegularOutput"),
        ("remove", {"resource": "table", "operation": "delete",
         "dataTableId": {"__rl": True, "mode": "name", "value": "Renamed"}}, "continueRegularOutput"),
        ("the rest", rest, "continueRegularOutput"),
        ("clear", {"resource": "table", "operation": "clear", "dataTableId": BY_NAME}, "continueRegularOutput"),
    ]  # fmt: skip


def workflow(name: str, cases: Sequence[Case], version: float) -> dict[str, Any]:
    """A document whose webhook gives two items to each case."""
    hook = {
        "id": "hook", "name": "Hook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
        "webhookId": name, "parameters": {"path": name, "httpMethod": "POST", "responseMode": "lastNode"},
    }  # fmt: skip
    items = {
        "id": "items", "name": "Items", "type": "n8n-nodes-base.splitOut", "typeVersion": 1, "position": [100, 0],
        "parameters": {"fieldToSplitOut": "body.items", "options": {}},
    }  # fmt: skip
    nodes = [
        {"id": f"n{index}", "name": title, "type": "n8n-nodes-base.dataTable", "typeVersion": version,
         "position": [300, 100 * index], "parameters": parameters, "onError": on_error}
        for index, (title, parameters, on_error) in enumerate(cases)
    ]  # fmt: skip
    links = [{"node": node["name"], "type": "main", "index": 0} for node in nodes]
    return {
        "id": name, "name": name, "active": False, "nodes": [hook, items, *nodes],
        "connections": {
            "Hook": {"main": [[{"node": "Items", "type": "main", "index": 0}]]},
            "Items": {"main": [links]},
        },
        "settings": {"executionOrder": "v1", "timezone": "UTC", "saveDataSuccessExecution": "all"},
    }  # fmt: skip
