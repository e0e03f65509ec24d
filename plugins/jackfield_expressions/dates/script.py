"""JavaScript's own `Date` in expressions, exactly, or `NotExact`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from jackfield.api.javascript import UNDEFINED, NotExact, Special
from jackfield_expressions.dates.luxon import (
    DATETIME,
    EPOCH,
    ISO,
    MILLISECOND,
    YEARS,
    LuxonDate,
    formatted,
    minus,
    moment_at,
    plus,
)
from jackfield_expressions.operators import to_number
from jackfield_expressions.scope import ItemScope

_DAY = 86_400_000


class ScriptDate(Special):
    """A valid `Date`."""

    __slots__ = ("scope", "ts")

    def __init__(self, ts: int, scope: ItemScope) -> None:
        self.ts = ts
        self.scope = scope
        if abs(ts) > 7_000_000_000_000 or self.utc.year not in YEARS:
            raise NotExact

    @property
    def utc(self) -> datetime:
        return EPOCH + timedelta(milliseconds=self.ts)

    def json(self) -> str:
        return f"{self.utc.isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"

    def number(self) -> int:
        return self.ts

    def methods(self) -> Mapping[str, tuple[int, int, Callable[..., object]]]:
        return DATE

    def moment(self) -> LuxonDate:
        return moment_at(self.ts, self.scope.around.timezone)

    def like(self, other: LuxonDate) -> ScriptDate:
        """The moment of another one, as a date of this kind."""
        return ScriptDate(other.number(), self.scope)


def new_date(scope: ItemScope, *values: object) -> ScriptDate:
    """`new Date(...)` of one value at most."""
    if not values:
        return ScriptDate(time.time_ns() // 1_000_000, scope)
    (value,) = values
    if value is UNDEFINED:
        raise NotExact
    if type(value) is str:
        return ScriptDate(_parsed(value), scope)
    number = to_number(value)
    if type(number) is float and not abs(number) < 1e14:
        raise NotExact
    return ScriptDate(int(number), scope)


def _parsed(text: str) -> int:
    """As `Date.parse` does, to which a day is one of UTC; Unix milliseconds."""
    try:
        moment = datetime.fromisoformat(text) if ISO.fullmatch(text) else None
    except ValueError:
        moment = None
    if moment is None or moment.year not in YEARS:
        raise NotExact
    if moment.tzinfo is not None:
        return (moment - EPOCH) // MILLISECOND
    ts = (moment.replace(tzinfo=UTC) - EPOCH) // MILLISECOND
    if "T" in text and any(time.localtime(near // 1000).tm_gmtoff for near in (ts - _DAY, ts, ts + _DAY)):
        raise NotExact  # the process's own clock does not show UTC
    return ts


DATE: Mapping[str, tuple[int, int, Callable[..., object]]] = {
    "getTime": (0, 0, ScriptDate.number),
    "toISOString": (0, 0, ScriptDate.json),
    "toJSON": (0, 1, lambda date, key="": date.json()),
    "plus": (1, 2, lambda date, amount, unit=UNDEFINED: date.like(plus(date.moment(), amount, unit))),
    "minus": (1, 2, lambda date, amount, unit=UNDEFINED: date.like(minus(date.moment(), amount, unit))),
    "format": (1, 1, lambda date, pattern: formatted(date.moment(), pattern)),
}
CALLS = DATETIME.keys() | DATE.keys()
"""Names of methods of dates."""
