"""Items of SharePoint's lists: which one a mapper means, and what is written to it. Source: Graph's listItem."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError

_NONE = "The columns to match do not fit any item; look at their values."
_SEVERAL = "The columns to match fit several items; name columns that tell them apart."


def fields(given: Mapping[str, Json]) -> Json:
    """columns: a mapper; item: the input item, for one that takes its fields.

    The fields to write; addresses have two parts.
    """
    mapper = _object(given.get("columns"))
    types = {str(row.get("id")): row.get("type") for row in _rows(mapper.get("schema"))}
    made: dict[str, Json] = {}
    for name, value in _values(given).items():
        head, _, part = name.rpartition(".")
        if name == "id":
            continue
        if head and part in ("Url", "Description") and name in types:
            made[head] = {**_object(made.get(head)), part: value}
        else:
            made[name] = {"Description": value, "Url": value} if types.get(name) == "url" else value
    return made


def wanted(given: Mapping[str, Json]) -> Json:
    """columns, item: as above. The filter that finds the item; None where its id is given. Raises `NodeError`."""
    values, matching = _values(given), _matching(given)
    if not matching or "id" in matching:
        return None
    return " and ".join(f"fields/{name} eq '{_escaped(values.get(name))}'" for name in matching)


def target(given: Mapping[str, Json]) -> Json:
    """columns, item: as above; found: the items that the filter found; create: whether none is right. The item's id.
    Raises `NodeError`."""
    rows, create = _rows(given.get("found")), given.get("create") is True
    if len(rows) > 1:
        raise NodeError(_SEVERAL)
    named = _values(given).get("id") if "id" in _matching(given) else None
    found = named or (rows[0].get("id") if rows else None)
    if found:
        return {"id": str(found)}
    if not create:
        raise NodeError(_NONE)
    return {"create": True}


def _values(given: Mapping[str, Json]) -> dict[str, Json]:
    mapper = _object(given.get("columns"))
    if mapper.get("mappingMode") != "autoMapInputData":
        return _object(mapper.get("value"))
    known = {str(row.get("id")) for row in _rows(mapper.get("schema"))}
    return {name: value for name, value in _object(given.get("item")).items() if not known or name in known}


def _matching(given: Mapping[str, Json]) -> list[str]:
    found = _object(given.get("columns")).get("matchingColumns")
    return [str(name) for name in found] if isinstance(found, list) else []


def _escaped(value: Json) -> str:
    return ("" if value is None else str(value)).replace("'", "''")


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _rows(value: Json) -> list[dict[str, Json]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
