"""NocoDB's API of version 3: rows and links as n8n's node makes them of its form."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_vendors.filters import to_json
from jackfield_vendors.templates import at


def fields(given: Mapping[str, Json]) -> Json:
    """`mode`: `autoMapInputData` takes the fields of the input item but the ignored ones. Else `mapped`, the value of
    n8n's mapper, counts, in which a list may be written as JSON. The fields of a row.
    """
    if given.get("mode") == "autoMapInputData":
        found, ignored = at(given.get("item"), ["fields"]), given.get("ignored")
        left_out = ignored if isinstance(ignored, list) else []
        return {name: one for name, one in found.items() if name not in left_out} if isinstance(found, dict) else {}
    value, schema = at(given.get("mapped"), ["value"]), at(given.get("mapped"), ["schema"])
    made: dict[str, Json] = dict(value) if isinstance(value, dict) else {}
    for column in schema if isinstance(schema, list) else []:
        name = at(column, ["id"])
        if isinstance(name, str) and at(column, ["type"]) == "array" and isinstance(held := made.get(name), str):
            made[name] = to_json(held, "") if held else held
    return made


def links(given: Mapping[str, Json]) -> Json:
    """ids: of rows, or such objects, or lists of these. The rows that are linked; raises `NodeError` without any."""
    found = given.get("ids")
    rows = [one for each in (found if isinstance(found, list) else [found]) for one in _several(each)]
    if not rows:
        raise NodeError("The parameter linkId is empty; give the ids of the rows.")
    return [{"id": one} if isinstance(one, str | int | float) else one for one in rows]


def _several(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [] if value in (None, "") else [value]
