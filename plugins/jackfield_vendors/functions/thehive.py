"""TheHive 5: its query language, and the fields that n8n's mapper gives."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_vendors.filters import csv, millis
from jackfield_vendors.templates import at

_TIMES = frozenset({"date", "lastSyncDate", "startDate", "endDate", "dueDate", "includeInTimeline", "sightedAt"})
_LISTS = frozenset({"tags", "addTags", "removeTags"})
PAGE = 500
"""Rows of one page when all are wanted."""


def _rows(value: Json) -> list[dict[str, Json]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def query(given: Mapping[str, Json]) -> Json:
    """scope: the query's first steps; filters and sort: rows of the form; options: `returnCount` and `extraData`;
    all: whether every row is wanted, else limit. The whole query."""
    made: list[Json] = [dict(row) for row in _rows(given.get("scope"))]
    if filters := _rows(given.get("filters")):
        made.append({"_name": "filter", "_and": [_test(row) for row in filters if row.get("field")]})
    options = given.get("options")
    counted = at(options, ["returnCount"]) is True
    if (sort := _rows(given.get("sort"))) and not counted:
        fields: list[Json] = [{str(row.get("field")): row.get("direction") or "asc"} for row in sort]
        made.append({"_name": "sort", "_fields": fields})
    if counted:
        return [*made, {"_name": "count"}]
    page: dict[str, Json] = {"_name": "page", "from": 0, "to": PAGE if given.get("all") is True else given.get("limit")}
    if (extra := at(options, ["extraData"])) is not None:
        page["extraData"] = extra
    return [*made, page]


def _test(row: Mapping[str, Json]) -> Json:
    operator = str(row.get("operator") or "_eq")
    test: dict[str, Json] = {"_field": row.get("field")}
    if operator == "_between":
        test |= {"_from": row.get("from"), "_to": row.get("to")}
    elif operator == "_in":
        test["_values"] = csv(row.get("values") or "", "")
    else:
        test["_value"] = row.get("value")
    return {operator: test}


def fields(given: Mapping[str, Json]) -> Json:
    """mapped: the value of n8n's mapper; item: the input item. The fields that are sent, a dotted name inside of its
    object. Raises `NodeError` for an item without a field that is needed."""
    made: dict[str, Json] = {}
    for name, value in _chosen(given).items():
        _put(made, name, value)
    return made


def change(given: Mapping[str, Json]) -> Json:
    """mapped, item: as in `fields`. `place`: what stands in the address, the id or `_bulk`; `body`: what changes;
    `match`: for `_bulk`, tests that find the rows. Raises as `fields`."""
    found = at(given.get("mapped"), ["matchingColumns"])
    columns = [str(one) for one in found] if isinstance(found, list) else []
    body: dict[str, Json] = {}
    wanted: dict[str, Json] = {}
    for name, value in _chosen(given).items():
        if name == "customFields" and isinstance(value, dict):
            wanted |= {f"{name}.{one}": held for one, held in value.items() if f"{name}.{one}" in columns}
            _put(body, name, {one: held for one, held in value.items() if f"{name}.{one}" not in columns})
        elif name in columns:
            wanted[name] = value
        else:
            _put(body, name, value)
    if "id" in columns:
        if not wanted.get("id"):
            raise NodeError("The field id, by which the change finds its row, is empty; fill it in.")
        return {"place": quote(str(wanted["id"]), safe="~"), "body": body}
    tests: list[Json] = [{"_eq": {"_field": name, "_value": wanted.get(name)}} for name in columns]
    if not tests:
        raise NodeError("The change needs a column to match on; choose one, such as id.")
    return {"place": "_bulk", "body": body, "match": tests}


def changed(given: Mapping[str, Json]) -> Json:
    """plan: of `change`; found: rows of its query, for `_bulk`; title: of the kind. `body`, and `count`: how
    many rows change. Raises `NodeError` when no row was found."""
    body = at(given.get("plan"), ["body"])
    sent = dict(body) if isinstance(body, dict) else {}
    if at(given.get("plan"), ["place"]) != "_bulk":
        return {"body": sent, "count": 1}
    if not (rows := _rows(given.get("found"))):
        raise NodeError(f"No matching {given.get('title')}s found.")
    return {"body": {**sent, "ids": [row.get("_id") for row in rows]}, "count": len(rows)}


def failures(given: Mapping[str, Json]) -> Json:
    """answer: to new observables. The same; raises `NodeError` with what TheHive refused."""
    answer = given.get("answer")
    if refused := _rows(at(answer, ["failure"])):
        raise NodeError(", ".join(str(row.get("message")) for row in refused))
    return answer


def _chosen(given: Mapping[str, Json]) -> dict[str, Json]:
    mapped, item = given.get("mapped"), given.get("item")
    if at(mapped, ["mappingMode"]) != "autoMapInputData":
        value = at(mapped, ["value"])
        return {name: _typed(name, one) for name, one in value.items()} if isinstance(value, dict) else {}
    made: dict[str, Json] = {}
    for column in _rows(at(mapped, ["schema"])):
        name = str(column.get("id"))
        value = at(item, name.split("."))
        if value is None and column.get("required"):
            raise NodeError(f'The input item lacks the field "{name}", which TheHive needs; add it.')
        if value is not None:
            made[name] = _typed(name, value)
    return made


def _typed(name: str, value: Json) -> Json:
    if name in _TIMES and value is not None:
        return millis(value, "")
    return csv(value, "") if name in _LISTS and isinstance(value, str) else value


def _put(into: dict[str, Json], name: str, value: Json) -> None:
    first, _, rest = name.partition(".")
    if not rest:
        into[first] = value
        return
    inner = into.get(first)
    below: dict[str, Json] = dict(inner) if isinstance(inner, dict) else {}
    _put(below, rest, value)
    into[first] = below
