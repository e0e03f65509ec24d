"""The arguments of a tool as columns of a form. Source: n8n's node mcpClient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jackfield.api.jsontext import Json
from jackfield.api.nodes.lists import ListRow

_SAME = ("boolean", "array", "object")


def columns_of(schema: Mapping[str, Json]) -> Iterator[ListRow]:
    properties = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(properties, dict):
        return
    needed = schema.get("required")
    required = needed if isinstance(needed, list) else []
    for name, described in properties.items():
        if described is False:
            continue
        given = described if isinstance(described, dict) else {}
        title = given.get("title")
        label = title if isinstance(title, str) and title else name
        yield ListRow(name, f"{label} *" if name in required else label, type=_type(given))


def _type(described: Mapping[str, Json]) -> str:
    kind = described.get("type")
    if kind == "string" and described.get("format") == "date-time":
        return "dateTime"
    if kind in ("number", "integer"):
        return "number"
    return str(kind) if kind in _SAME else "string"
