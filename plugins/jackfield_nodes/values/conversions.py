"""Conversions between the types that fields and conditions have; numbers are read and printed as JavaScript does.

Every `to_*` raises `UnfitValue`, a ValueError, when there is no sensible result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from email.utils import parsedate_to_datetime

from jackfield.api.errors import InvalidInput
from jackfield.api.javascript import number_text, text_number, trimmed
from jackfield.api.jsontext import Json, dumps, loads
from jackfield_nodes.values.object_literals import read_literal

_YEAR_OR_MONTH = re.compile(r"\d{4}(?:-\d\d)?", re.ASCII)
_LONGEST_NUMBER = 400


class UnfitValue(ValueError):
    """The value cannot be read as the wanted type; the message says what it is."""


def text_of(value: object) -> str:
    """The value as text: objects and lists as JSON, null as nothing."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    return dumps(value).decode()


def type_name(value: object) -> str:
    """The user's name for the value's type."""
    if value is None:
        return "null"
    names: Mapping[type, str] = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
    return names.get(type(value), "object")


def with_article(kind: str) -> str:
    """a string, an array"""
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def _number_from_text(text: str) -> int | float:
    if len(text.strip()) > _LONGEST_NUMBER:
        raise UnfitValue("too long for a number")
    value = text_number(text)
    if value != value:
        raise UnfitValue("not a number")
    if math.isinf(value):
        raise UnfitValue("too large a number")
    return value


def to_number(value: object) -> int | float:
    """Numbers, truth values, numeric text (also hexadecimal); empty text is 0. Lists of one are what is in them."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        return _number_from_text(value)
    if isinstance(value, list) and len(value) < 2:
        return 0 if not value or value[0] is None else to_number(value[0])
    raise UnfitValue("not a number")


def to_boolean(value: object) -> bool:
    """true, false, their names in any case, and what is 1 or 0 as a number."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    text = isinstance(value, str) and trimmed(value)
    if (text or isinstance(value, int | float)) and (number := to_number(value)) in (0, 1):
        return bool(number)
    raise UnfitValue("neither true nor false")


def _parsed(text: str) -> Json:
    try:
        return loads(text)
    except InvalidInput as exc:
        raise UnfitValue("not valid JSON") from exc


def _literal(text: str) -> dict[str, Json]:
    try:
        return read_literal(text)
    except ValueError as exc:
        raise UnfitValue("not an object") from exc


def to_array(value: object) -> list[Json]:
    """A list, or JSON text of one, also with single quotes."""
    found: object = value
    if isinstance(value, str):
        try:
            found = _parsed(value)
        except UnfitValue:
            found = _parsed(value.replace("'", '"'))
    if not isinstance(found, list):
        raise UnfitValue("not a list")
    return found


def to_object(value: object) -> dict[str, Json]:
    """An object, or text of one: JSON, or JavaScript's source."""
    found: object = value
    if isinstance(value, str):
        try:
            found = _parsed(value)
        except UnfitValue:
            found = _literal(value)
    if not isinstance(found, dict):
        raise UnfitValue("not an object")
    return found


def _read_date(text: str) -> datetime:
    if _YEAR_OR_MONTH.fullmatch(text):
        text = f"{text}-01-01"[:10]
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return parsedate_to_datetime(text)


def to_time(value: object, zone: tzinfo) -> int:
    """Unix milliseconds of an ISO 8601 or RFC 2822 date, or of a number of milliseconds. A date without an offset is in
    `zone`."""
    if isinstance(value, bool):
        raise UnfitValue("not a date")
    if isinstance(value, int | float) and math.isfinite(value):
        return int(value)
    if not isinstance(value, str):
        raise UnfitValue("not a date")
    try:
        moment = _read_date(value.strip())
    except (TypeError, IndexError) as exc:
        raise UnfitValue("not a date") from exc
    try:
        return round((moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp() * 1000)
    except OverflowError as exc:
        raise UnfitValue("not a date") from exc


CONVERSIONS: Mapping[str, Callable[[object], Json]] = {
    "string": text_of,
    "number": to_number,
    "boolean": to_boolean,
    "array": to_array,
    "object": to_object,
}
"""Type of a field -> conversion. Values of other types stay as they are."""
