"""The results of a program, as JSON."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any
from uuid import UUID

from jackfield.api.scripting.frames import fitting

DEEPEST = 200
FIRST = 16
"""Elements of a long list that are written at first; then as many as fit."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class NoJson(TypeError):
    """A value that has no form in JSON."""


def plain(value: object, path: str = "the result", depth: int = 0) -> Any:  # JSON
    """As JavaScript would give it: tuples and sets are lists, NaN is null, times are ISO 8601. Raises `NoJson` naming
    the place."""
    if isinstance(value, Enum):
        return plain(value.value, path, depth)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if depth >= DEEPEST:
        raise NoJson(f"{path} is nested too deeply, or holds itself.")
    if isinstance(value, Mapping):
        return {_key(key): plain(part, f"{path}.{key}", depth + 1) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset | Iterator):
        return [plain(part, f"{path}[{index}]", depth + 1) for index, part in enumerate(value)]
    return _other(value, path)


def encoded(value: object) -> bytes:
    """The JSON of `plain`. Raises `NoJson`."""
    try:
        return _text(value)
    except (TypeError, ValueError, RecursionError):  # something that only the careful way can write, or name
        return _text(plain(value))


def encoded_rows(rows: Sequence[object]) -> Iterator[tuple[bytes, int]]:
    """The JSON of a long list in lists of about the size of a frame, and how many elements each has. Raises
    `NoJson`."""
    start, count = 0, FIRST
    while start < len(rows):
        part = rows[start : start + count]
        try:
            text = _text(part)
        except (TypeError, ValueError, RecursionError):
            text = _text([plain(row, f"the result[{start + place}]", 1) for place, row in enumerate(part)])
        yield text, len(part)
        start, count = start + count, fitting(len(part), len(text))


def _text(value: object) -> bytes:
    return _ENCODER.encode(value).encode("utf-8", "replace")


def _key(key: object) -> str:
    """As the encoder in C has it: by its value, whatever its own class says of it."""
    if isinstance(key, str):
        return str.__str__(key)
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int):
        return int.__repr__(key)
    if isinstance(key, float):
        return float.__repr__(key)
    return "null" if key is None else str(key)


def _other(value: object, path: str) -> Any:  # JSON
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal | Fraction):
        number = float(value)
        return int(value) if number.is_integer() else number
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    if isinstance(value, UUID):
        return str(value)
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return plain(dict(value), path)
    if isinstance(value, range) or type(value).__name__ in ("deque", "dict_keys", "dict_values", "dict_items"):
        return plain(list(value), path)  # type: ignore[call-overload]
    raise NoJson(
        f"{path} is of the type {type(value).__name__}, which is no JSON; return texts, numbers, lists, dicts."
    )
