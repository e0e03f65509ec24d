"""Values of results, which come as texts, as n8n's node gives them.

Source: Snowflake's SQL API, "Handling responses", the format jsonv2. Times are written in Snowflake's default formats;
TIMESTAMP_LTZ in UTC, since the API does not tell the session's zone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import isfinite

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EXACT = 2**53
_OFFSETS = 1440
"""The number that is added to the minutes of an offset."""


def _number(text: str) -> Json:
    try:
        return whole if abs(whole := int(text)) <= _EXACT else float(whole)
    except ValueError:
        pass
    found = float(text)
    if not isfinite(found):
        return None
    return int(found) if found.is_integer() and abs(found) <= _EXACT else found


def _moment(text: str) -> datetime:
    """Of seconds since 1970 with up to nine decimals; what is finer than microseconds is cut off."""
    whole, _, decimals = text.partition(".")
    micros = int(decimals.ljust(6, "0")[:6])
    seconds = int(whole)
    return _EPOCH + timedelta(seconds=seconds, microseconds=-micros if whole.startswith("-") else micros)


def _date(text: str) -> Json:
    return f"{_EPOCH + timedelta(days=int(text)):%Y-%m-%d}"


def _time(text: str) -> Json:
    return f"{_moment(text):%H:%M:%S}"


def _written(moment: datetime) -> str:
    return moment.isoformat(" ", "milliseconds")[:23]


def _without_zone(text: str) -> Json:
    return _written(_moment(text))


def _local(text: str) -> Json:
    return f"{_written(_moment(text))} +0000"


def _with_zone(text: str) -> Json:
    seconds, _, offset = text.partition(" ")
    minutes = int(offset) - _OFFSETS
    sign, (hours, rest) = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    return f"{_written(_moment(seconds) + timedelta(minutes=minutes))} {sign}{hours:02}{rest:02}"


def _truth(text: str) -> Json:
    return text.lower() in ("true", "1")


def _json(text: str) -> Json:
    """As it is, where it is no JSON, such as with a NaN in it."""
    try:
        return loads(text, max_depth=200)
    except InvalidInput:
        return text


_READ: Mapping[str, Callable[[str], Json]] = {
    "fixed": _number,
    "real": _number,
    "boolean": _truth,
    "date": _date,
    "time": _time,
    "timestamp_ntz": _without_zone,
    "timestamp_ltz": _local,
    "timestamp_tz": _with_zone,
    **dict.fromkeys(("variant", "object", "array", "map"), _json),
}
_TIMES = frozenset({"date", "time", "timestamp_ntz", "timestamp_ltz", "timestamp_tz"})


class Columns:
    """The columns of one result. Raises `NodeError` for a description or a row that is none."""

    def __init__(self, described: Json) -> None:
        """described: `resultSetMetaData.rowType`."""
        rows = described if isinstance(described, list) else []
        self._columns: list[tuple[str, str]] = []
        for row in rows:
            if not isinstance(row, dict):
                raise NodeError("Snowflake's answer describes no columns.")
            self._columns.append((str(row.get("name")), str(row.get("type")).lower()))

    def row(self, values: Json) -> dict[str, Json | bytes]:
        """A row by its columns' names; BINARY is bytes."""
        if not isinstance(values, list) or len(values) != len(self._columns):
            raise NodeError("A row of Snowflake's answer does not fit its columns.")
        found = zip(self._columns, values, strict=True)
        return {name: _value(name, kind, value) for (name, kind), value in found}

    def rows(self, listed: Sequence[Json]) -> list[dict[str, Json | bytes]]:
        return [self.row(values) for values in listed]


def _value(name: str, kind: str, value: Json) -> Json | bytes:
    if not isinstance(value, str):
        return value
    try:
        if kind == "binary":
            return bytes.fromhex(value)
        read = _READ.get(kind)
        return value if read is None else read(value)
    except (ValueError, OverflowError):
        if kind in _TIMES:  # one that a format of the account has written already
            return value
        raise NodeError(f"Snowflake gives a value of the column {name[:100]} that does not fit {kind[:30]}.") from None
