"""What expressions call of dates: luxon's `DateTime` and JavaScript's `Date`, exactly, or `Beyond`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from jackfield.api.javascript import UNDEFINED, Beyond, Special
from jackfield_workflows.jsdates import (
    EPOCH,
    YEARS,
    DateTime,
    amounts_of,
    in_milliseconds,
    zone_of,
)
from jackfield_workflows.jsdatetexts import formatted, read_script_date
from jackfield_workflows.jsoperators import to_number
from jackfield_workflows.scope import Scope

_DAY = 86_400_000


class ScriptDate(Special):
    """A valid `Date`."""

    __slots__ = ("scope", "ts")

    def __init__(self, ts: int, scope: Scope) -> None:
        self.ts = ts
        self.scope = scope
        if abs(ts) > 7_000_000_000_000 or self.utc.year not in YEARS:
            raise Beyond

    @property
    def utc(self) -> datetime:
        return EPOCH + timedelta(milliseconds=self.ts)

    def json(self) -> str:
        return f"{self.utc.isoformat(timespec='milliseconds')}Z"

    def number(self) -> int:
        return self.ts

    def methods(self) -> Mapping[str, tuple[int, int, Callable[..., object]]]:
        return DATE

    def moment(self) -> DateTime:
        home = zone_of(self.scope.around.timezone)
        return DateTime(self.ts, home)


def _own_offset(ts: int) -> int:
    """Seconds that the process's own clock is ahead of UTC."""
    return time.localtime(ts // 1000).tm_gmtoff


def _shows_utc(ts: int) -> bool:
    return not any(_own_offset(near) for near in (ts - _DAY, ts, ts + _DAY))


def _clock() -> int:
    return time.time_ns() // 1_000_000


# -- how dates are made


def now(scope: Scope) -> DateTime:
    """`$now`"""
    home = zone_of(scope.around.timezone)
    return DateTime(scope.now_ms(), home)


def today(scope: Scope) -> DateTime:
    """`$today`"""
    return now(scope).midnight()


def script_date(scope: Scope, value: object = UNDEFINED) -> ScriptDate:
    """`new Date(value)`; of nothing when it is called without."""
    if value is UNDEFINED:
        raise Beyond
    if type(value) is str:
        return ScriptDate(_parsed(value), scope)
    number = to_number(value)
    if type(number) is float and not abs(number) < 1e14:
        raise Beyond
    return ScriptDate(int(number), scope)


def _parsed(text: object) -> int:
    local, offset = read_script_date(text)
    shown = in_milliseconds(local)
    if offset is None and not _shows_utc(shown):
        raise Beyond
    return shown - (offset or 0) * 60_000


def new_date(scope: Scope, *values: object) -> ScriptDate:
    """`new Date(...)` of one value at most."""
    return script_date(scope, *values) if values else ScriptDate(_clock(), scope)


# -- methods


def _plus(date: DateTime, amount: object, unit: object = UNDEFINED) -> DateTime:
    return date.moved(amounts_of(amount, unit))


def _minus(date: DateTime, amount: object, unit: object = UNDEFINED) -> DateTime:
    return date.moved(amounts_of(amount, unit), -1)


DATETIME: Mapping[str, tuple[int, int, Callable[..., object]]] = {
    "plus": (1, 2, _plus),
    "minus": (1, 2, _minus),
    "toISO": (0, 0, DateTime.iso),
    "toISODate": (0, 0, DateTime.iso_date),
    "toFormat": (1, 1, formatted),
    "format": (0, 1, lambda date, pattern="yyyy-MM-dd": formatted(date, pattern)),
    "toString": (0, 0, DateTime.iso),
    "toJSON": (0, 0, DateTime.iso),
}
"""luxon's, and those that expressions add."""


DATE: Mapping[str, tuple[int, int, Callable[..., object]]] = {
    "getTime": (0, 0, ScriptDate.number),
    "toISOString": (0, 0, ScriptDate.json),
    "toJSON": (0, 1, lambda date, key="": date.json()),
    "plus": (1, 2, lambda date, amount, unit=UNDEFINED: _plus(date.moment(), amount, unit)),
    "minus": (1, 2, lambda date, amount, unit=UNDEFINED: _minus(date.moment(), amount, unit)),
    "format": (0, 1, lambda date, pattern="yyyy-MM-dd": formatted(date.moment(), pattern)),
}
CALLS = DATETIME.keys() | DATE.keys()
"""Names of methods."""
FORMATS = frozenset({"toFormat", "format"})
"""Those of a pattern."""
