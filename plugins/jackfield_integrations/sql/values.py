"""The values of databases as JSON, in the form of n8n's nodes. Dates are ISO 8601 in UTC, decimals and large numbers
are text, and bytes are a Buffer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError

SAFE = 2**53 - 1
"""Largest whole number that JavaScript holds exactly."""


def moment(value: datetime) -> str:
    """A time without a zone is UTC."""
    utc = value.astimezone(UTC) if value.tzinfo else value
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


def moment_of(text: str) -> str:
    """A database's text of a date or a time; as it is when it is out of Python's range (infinity, BC)."""
    try:
        return moment(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return text


def buffer(value: bytes) -> Json:
    return {"type": "Buffer", "data": list(value)}


def number(value: Decimal | float, *, as_numbers: bool) -> Json:
    """A large or decimal number: text, or a number where that is wanted."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if not as_numbers:
        return str(value)
    return value if isinstance(value, int) else number(float(value), as_numbers=True)


def plain(value: object) -> Json:
    """Any value of a driver."""
    match value:
        case None | str() | bool():
            return value
        case int():
            return value if abs(value) <= SAFE else str(value)
        case float():
            return number(value, as_numbers=True)
        case Decimal():
            return str(value)
        case datetime():
            return moment(value)
        case date():
            return f"{value.isoformat()}T00:00:00.000Z"
        case bytes() | bytearray() | memoryview():
            return buffer(bytes(value))
        case timedelta():
            return duration(value)
        case time():
            return value.isoformat()
        case Mapping():
            return {str(name): plain(entry) for name, entry in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(entry) for entry in value]
    return str(value)


def duration(value: timedelta) -> str:
    """Hours, minutes and seconds, as MySQL writes them."""
    seconds = int(abs(value).total_seconds())
    sign = "-" if value < timedelta(0) else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def scalar(value: Json) -> str | int | float | bool | None:
    """A value as a driver binds it: lists and objects as JSON text."""
    if isinstance(value, dict | list):
        return dumps(value).decode()
    if isinstance(value, str) and "\0" in value:
        raise NodeError("A value has a zero byte, which databases refuse; remove it.")
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def named(columns: Sequence[str], row: Sequence[Json]) -> dict[str, Json]:
    """One row; of columns of the same name the last counts."""
    return dict(zip(columns, row, strict=True))
