"""Fields and headers of an answer that the description does not mention. A schema allows both, so that validation finds
neither."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

GENERAL = frozenset(
    {
        "cache-control",
        "connection",
        "content-length",
        "content-security-policy",
        "content-type",
        "date",
        "transfer-encoding",
        "x-accel-buffering",
        "x-content-type-options",
        "x-request-id",
    }
)
"""Headers of transport and caching, which any answer may have."""
IMPORT = "/api/v1/workflows/import"
"""Its refusal tells the result of each document, as `Error` says."""


class Described:
    """The document, with references followed."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document

    def answer(self, path: str, method: str, status: int) -> Mapping[str, Any] | None:
        found = self._document["paths"][path][method.lower()]["responses"].get(str(status))
        return None if found is None else self._followed(found)

    def unknown_headers(self, answer: Mapping[str, Any], names: Iterator[str]) -> list[str]:
        known = GENERAL | {name.lower() for name in answer.get("headers", ())}
        return sorted({name.lower() for name in names} - known)

    def unknown_fields(self, answer: Mapping[str, Any], value: object) -> list[str]:
        schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
        return sorted(set(self._fields(schema, value, "")))

    def _fields(self, schema: Mapping[str, Any], value: object, place: str) -> Iterator[str]:
        schema = self._followed(schema)
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            # A value that fits no branch is found by validation.
            found = [list(self._fields(branch, value, place)) for branch in branches if self._fits(branch, value)]
            yield from min(found, key=len, default=[])
        elif isinstance(value, list):
            for one in value:
                yield from self._fields(schema.get("items", {}), one, f"{place}[]")
        elif isinstance(value, dict) and "properties" in schema:
            more = schema.get("additionalProperties", False)
            for name, one in value.items():
                inner = schema["properties"].get(name, more)
                if inner is False:
                    yield f"{place}.{name}"
                elif inner is not True:
                    yield from self._fields(inner, one, f"{place}.{name}")

    def _fits(self, schema: Mapping[str, Any], value: object) -> bool:
        kind = self._followed(schema).get("type")
        return {"object": isinstance(value, dict), "array": isinstance(value, list)}.get(
            kind, not isinstance(value, dict | list)
        )

    def _followed(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            found: Any = self._document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            schema = found
        return schema
