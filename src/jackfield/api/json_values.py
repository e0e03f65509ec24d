"""JSON values, how deep they are, and how they are written."""

from __future__ import annotations

import json
from typing import TypeAlias

import orjson

from .errors import InvalidInput

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
_CONTAINERS = frozenset((dict, list))


def depth_exceeds(value: object, limit: int) -> bool:
    """Whether lists and objects nest deeper than `limit` levels."""
    level: list[object] = [value] if type(value) is dict or type(value) is list else []
    for _ in range(limit):
        if not level:
            return False
        below: list[object] = []
        for container in level:
            items = container.values() if type(container) is dict else container
            below += [item for item in items if type(item) in _CONTAINERS]  # type: ignore[attr-defined]
        level = below
    return bool(level)


def dumps(value: object) -> bytes:
    """Compact JSON. Integers beyond 64 bits and half surrogates, which orjson refuses, are written as they are, the
    latter escaped."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, allow_nan=False, separators=(",", ":"), default=str).encode()


def invalid(reason: str) -> InvalidInput:
    """The error of what is no JSON. reason: of the parser; never quotes the data."""
    return InvalidInput("The body is not valid JSON.", details={"body": reason})


def too_deep(limit: int) -> InvalidInput:
    """The error of a document of more levels."""
    return InvalidInput(
        "The JSON document is nested too deeply.", details={"body": f"at most {limit} levels are accepted"}
    )
