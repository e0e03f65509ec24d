"""Rows of Google BigQuery. Source: its REST reference, `jobs.getQueryResults` and `tabledata.insertAll`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_vendors.dates import iso_time
from jackfield_vendors.filters import number, to_json

_NUMBERS = ("INTEGER", "NUMERIC", "FLOAT", "BIGNUMERIC")
_BATCH = 100
_TIMES_SINCE = 2.1
"""The version of the node from which on timestamps are ISO 8601."""


def rows(given: Mapping[str, Json]) -> Json:
    """`answer`: the first page of a query's result. `more`: rows of further ones. `raw`: whether the answer is meant.
    `schema`: whether each row has it. `numbers`: whether those at the top become numbers. `version`: of the node.
    """
    answer = given.get("answer")
    found = answer if isinstance(answer, dict) else {}
    listed = [*_listed(found.get("rows")), *_listed(given.get("more"))]
    if given.get("raw"):
        return {**found, "rows": listed}
    if found.get("schema") is None:
        return {"success": True}
    fields = _fields(found["schema"])
    times = (number(given.get("version"), "") or 0) >= _TIMES_SINCE  # type: ignore[operator]  # a number
    made = [_record(row, fields, times=times) for row in listed]
    if given.get("numbers"):
        made = [_with_numbers(row, fields) for row in made]
    shown: Json = [dict(field) for field in fields]
    return [{**row, "_schema": shown} for row in made] if given.get("schema") else list(made)


def record(given: Mapping[str, Json]) -> Json:
    """row; names: of its fields."""
    row, names = given.get("row"), _listed(given.get("names"))
    cells = _listed(row.get("f")) if isinstance(row, dict) else []
    return {str(name): _cell(cell) for name, cell in zip(names, cells, strict=False)}


def records(given: Mapping[str, Json]) -> Json:
    """items and parameters: of each item. The columns that they name, as rows of an insert."""
    pairs = zip(_listed(given.get("items")), _listed(given.get("parameters")), strict=True)
    return [{"json": _columns(item, parameters)} for item, parameters in pairs]


def batches(given: Mapping[str, Json]) -> Json:
    """schema: of the table; items and parameters: of each item; size: of a batch. Rows of inserts. Raises `NodeError`
    for a row that the schema forbids."""
    fields = _fields(given.get("schema"))
    if not fields:
        raise NodeError("The destination table has no defined schema.")
    pairs = zip(_listed(given.get("items")), _listed(given.get("parameters")), strict=True)
    made: list[Json] = [{"json": _fitted(_sent(item, parameters, fields), fields)} for item, parameters in pairs]
    size = _size(given)
    return [{"rows": made[begin : begin + size]} for begin in range(0, len(made), size)]


def inserted(given: Mapping[str, Json]) -> Json:
    """answers: to inserts; size: of a batch; skip: whether bad rows are left out. Raises `NodeError` that names the
    rows."""
    answers = _listed(given.get("answers"))
    for place, answer in enumerate(answers):
        errors = _listed(answer.get("insertErrors")) if isinstance(answer, dict) else []
        if errors and not given.get("skip"):
            raise NodeError(_told(errors, place * _size(given)))
    return answers


def _told(errors: Sequence[Json], begin: int) -> str:
    bad: dict[int, str] = {}
    for entry in errors:
        row = entry if isinstance(entry, dict) else {}
        reasons = [
            one for one in _listed(row.get("errors")) if isinstance(one, dict) and one.get("reason") != "stopped"
        ]
        if reasons:
            bad[int(str(row.get("index") or 0)) + begin] = ", ".join(str(one.get("message")) for one in reasons)
    numbers = ", ".join(map(str, bad))
    return f"Problem inserting item(s) [{numbers}]: {'; '.join(bad.values())}"


def _size(given: Mapping[str, Json]) -> int:
    wanted = given.get("size")
    return max(1, int(wanted)) if isinstance(wanted, int | float) else _BATCH


def _columns(item: Json, parameters: Json) -> Json:
    named = parameters.get("columns") if isinstance(parameters, dict) else None
    wanted = {name.strip() for name in str(named or "").split(",")}
    return {name: value for name, value in item.items() if name in wanted} if isinstance(item, dict) else {}


def _sent(item: Json, parameters: Json, fields: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    given = parameters if isinstance(parameters, dict) else {}
    if given.get("dataMode", "autoMap") == "autoMap":
        values = item if isinstance(item, dict) else {}
        return {name: values[name] for field in fields if (name := str(field.get("name"))) in values}
    chosen = given.get("fieldsUi")
    rows_ = _listed(chosen.get("values")) if isinstance(chosen, dict) else []
    return {str(row.get("fieldId")): row.get("fieldValue") for row in rows_ if isinstance(row, dict)}


def _fitted(row: dict[str, Json], fields: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    made = dict(row)
    for field in fields:
        name, kind = str(field.get("name")), field.get("type")
        if field.get("mode") == "REQUIRED" and name not in made:
            raise NodeError(f"The property '{name}' is required; define it in the fields to send.")
        if kind != "STRING" and made.get(name) == "":
            made[name] = None
        if kind == "JSON" and isinstance(made.get(name), dict | list):
            made[name] = json.dumps(made[name], separators=(",", ":"), ensure_ascii=False)
        if kind == "RECORD" and isinstance(made.get(name), str):
            if (found := to_json(made[name], "")) is None:
                raise NodeError(f"The property '{name}' is a record, and its value is neither an object nor JSON.")
            made[name] = found
    return made


def _record(row: Json, fields: Sequence[Mapping[str, Json]], *, times: bool) -> dict[str, Json]:
    cells = _listed(row.get("f")) if isinstance(row, dict) else []
    return {
        str(field.get("name")): _values(cell, field, times=times) for field, cell in zip(fields, cells, strict=False)
    }


def _values(cell: Json, field: Mapping[str, Json], *, times: bool) -> Json:
    if field.get("mode") != "REPEATED":
        return _value(cell, field, times=times)
    made: list[Json] = []
    for one in _listed(_cell(cell)):
        found = _value(one, field, times=times)
        made += found if isinstance(found, list) else [found]
    return made


def _value(cell: Json, field: Mapping[str, Json], *, times: bool) -> Json:
    value, kind = _cell(cell), field.get("type")
    if kind == "RECORD":
        return [_record(value, _fields(field), times=times)] if value is not None else []
    if kind == "JSON" and isinstance(value, str):
        found = to_json(value, "")
        return value if found is None else found
    seconds = number(value, "") if kind == "TIMESTAMP" and times else None
    return iso_time(round(seconds * 1000)) if isinstance(seconds, int | float) else value


def _with_numbers(row: dict[str, Json], fields: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    kinds = {str(field.get("name")): field.get("type") for field in fields}
    return {
        name: number(value, "") if kinds.get(name) in _NUMBERS and not isinstance(value, list) else value
        for name, value in row.items()
    }


def _cell(cell: Json) -> Json:
    return cell.get("v") if isinstance(cell, dict) else None


def _fields(schema: Json | Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    found = schema.get("fields") if isinstance(schema, Mapping) else None
    return [field for field in found if isinstance(field, dict)] if isinstance(found, list) else []


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
