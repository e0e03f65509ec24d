"""The values that a cell takes: those of the column's type, and those that n8n takes for one of it.

Texts that are no number, truth value or date are refused with n8n's words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime

from jackfield.api.date_patterns import read_date
from jackfield.api.dates import settled
from jackfield.api.errors import InvalidInput
from jackfield.api.javascript import number_text, text_number
from jackfield.api.jsontext import Json
from jackfield.api.storage.tables import Cell, ColumnType

_LONGEST = 200
"""Characters of a text that is read as a number or a date."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ISO = re.compile(r"\d{4}(?:-?\d{2}(?:-?\d{2})?|-?W\d{2}(?:-?\d)?)?(?:[T ]\S.*)?", re.ASCII)
_OTHER = tuple(
    date + time
    for time in ("", " H:mm", " H:mm:ss", " h:mm A", " h:mm:ss A")
    for date in ("M/D/YYYY", "YYYY/M/D", "MMM D, YYYY", "MMMM D, YYYY", "D MMM YYYY", "D MMMM YYYY")
)
_FIELD_TYPES: Mapping[ColumnType, str] = {"date": "dateTime"}


class TableRefusal(InvalidInput):
    """A data table does not take what it was given."""

    def __init__(self, reason: str, *, details: Mapping[str, str] | None = None) -> None:
        super().__init__(f"Validation error with data table request: {reason}", details=details)
        self.reason = reason


def typed(value: Json, name: str, kind: ColumnType, zone: tzinfo = UTC) -> Cell:
    """The value as a cell of the column. zone: of dates that name none. Raises `TableRefusal`."""
    if value is None:
        return None
    if isinstance(value, list) and kind != "string":
        value = shown(value)  # a list of one is what is in it
    if isinstance(value, dict | list):
        raise _unfit(value, name, kind)
    if kind == "string":
        return text_of(value)
    if kind == "number":
        return _number(value, name)
    return _boolean(value, name) if kind == "boolean" else _date(value, name, zone)


def text_of(value: str | float | bool) -> str:
    """As n8n keeps it in a column of texts."""
    if isinstance(value, bool):
        return str(int(value))
    return value if isinstance(value, str) else number_text(value)


def moment_of(value: str | float | bool, zone: tzinfo) -> int:
    """A date as Unix ms. Raises ValueError."""
    text = value.strip() if isinstance(value, str) else "" if isinstance(value, bool) else number_text(value)
    if not text or len(text) > _LONGEST:
        raise ValueError("no date")
    moment = _read(text, zone)
    return math.floor((moment - _EPOCH) / timedelta(milliseconds=1))


def _read(text: str, zone: tzinfo) -> datetime:
    if _ISO.fullmatch(text):
        if len(text) == 4 or (len(text) == 7 and text[4] == "-" and text[5] != "W"):
            text += "-01-01"[: 10 - len(text)] if len(text) == 4 else "-01"
        return _placed(datetime.fromisoformat(text), zone)
    try:
        return _placed(parsedate_to_datetime(text), UTC)
    except (ValueError, IndexError, TypeError):
        pass
    for form in _OTHER:
        try:
            return read_date(text, form, "moment", zone)
        except ValueError:
            continue
    raise ValueError("no date")


def _placed(moment: datetime, zone: tzinfo) -> datetime:
    return moment if moment.tzinfo else settled(moment.replace(tzinfo=zone))


def _number(value: str | float | bool, name: str) -> Cell:
    if isinstance(value, str):
        found = text_number(value) if len(value) <= _LONGEST else math.nan
    else:
        found = int(value) if isinstance(value, bool) else value
    try:
        fits = math.isfinite(found)
    except OverflowError:
        fits = False
    if not fits:
        raise _unfit(value, name, "number")
    return found


def _boolean(value: str | float | bool, name: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value.lower() in ("true", "false"):
            return value.lower() == "true"
        number = text_number(value) if value.strip() and len(value) <= _LONGEST else math.nan
    else:
        number = value
    if number not in (0, 1):
        raise _unfit(value, name, "boolean")
    return bool(number)


def _date(value: str | float | bool, name: str, zone: tzinfo) -> int:
    try:
        return moment_of(value, zone)
    except (ValueError, OverflowError):
        raise _unfit(value, name, "date") from None


def described(value: Json) -> str:
    """How n8n names a value that does not fit."""
    if isinstance(value, dict | list):
        return "array" if isinstance(value, list) else "object"
    return f"'{shown(value)}'"


def shown(value: Json) -> str:
    """`String(value)`"""
    if isinstance(value, dict | list):
        return "[object Object]" if isinstance(value, dict) else ",".join(map(shown, value))
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else number_text(value)


def _unfit(value: Json, name: str, kind: ColumnType) -> TableRefusal:
    said = f"value '{shown(value)[:_LONGEST]}' does not match column type '{kind}'"
    wanted = f"'{name}' expects a {_FIELD_TYPES.get(kind, kind)} but we got {described(value)[:_LONGEST]}"
    return TableRefusal(f"{said}: {wanted}", details={name: f"give a {kind}"})
