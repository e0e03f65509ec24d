"""What expressions call of dates: luxon's `DateTime` and JavaScript's `Date`, exactly, or `Beyond`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from jackfield_workflows.jsdates import (
    EPOCH,
    UTC_ZONE,
    YEARS,
    DateTime,
    amounts_of,
    any_unit_of,
    in_milliseconds,
    placed,
    unit_of,
    zone_of,
)
from jackfield_workflows.jsdatetexts import formatted, read_format, read_iso, read_script_date
from jackfield_workflows.jsoperators import UNDEFINED, Thrown, normal, to_number
from jackfield_workflows.jsvalues import Beyond, Special
from jackfield_workflows.scope import Scope

_DAY = 86_400_000
_FIELDS: Mapping[str, range] = {
    "year": YEARS,
    "month": range(1, 13),
    "day": range(1, 32),
    "hour": range(24),
    "minute": range(60),
    "second": range(60),
    "millisecond": range(1000),
}


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

    def local(self) -> datetime:
        """What the process's own clock shows."""
        offset = _own_offset(self.ts)
        return self.utc + timedelta(seconds=offset) if not offset % 60 else _refuse()

    def moment(self) -> DateTime:
        home = zone_of(self.scope.around.timezone)
        return DateTime(self.ts, home, home)


def _refuse() -> datetime:
    raise Beyond


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
    return DateTime(scope.now_ms(), home, home)


def today(scope: Scope) -> DateTime:
    """`$today`"""
    return now(scope).start_of("days")


def _present(scope: Scope) -> DateTime:
    home = zone_of(scope.around.timezone)
    return DateTime(_clock(), home, home)


def _from_local(scope: Scope, local: datetime, offset: int | None, options: object) -> DateTime:
    home = zone = zone_of(scope.around.timezone)
    if options is not UNDEFINED:
        if type(options) is not dict or options.keys() != {"zone"} or type(options["zone"]) is not str:
            raise Beyond
        zone = zone_of(options["zone"])
    if offset is None:
        return DateTime(placed(local, zone.offset(_clock()), zone), zone, home)
    return DateTime(in_milliseconds(local) - offset * 60_000, zone, home)


def _from_iso(scope: Scope, text: object, options: object = UNDEFINED) -> DateTime:
    return _from_local(scope, *read_iso(text), options)


def _from_format(scope: Scope, text: object, pattern: object, options: object = UNDEFINED) -> DateTime:
    return _from_local(scope, read_format(text, pattern), None, options)


def _from_millis(scope: Scope, value: object) -> DateTime:
    if type(value) is not int:
        raise Beyond
    home = zone_of(scope.around.timezone)
    return DateTime(value, home, home)


def _from_seconds(scope: Scope, value: object) -> DateTime:
    return _from_millis(scope, value * 1000 if type(value) is int else None)


def _from_date(scope: Scope, value: object) -> DateTime:
    if not isinstance(value, ScriptDate):
        raise Beyond
    return value.moment()


def to_date_time(scope: Scope, value: object) -> DateTime:
    """The method `toDateTime` of texts and of dates."""
    if isinstance(value, DateTime):
        return value
    if value is None or value is UNDEFINED:
        raise Thrown
    return value.moment() if isinstance(value, ScriptDate) else _from_iso(scope, value)


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
    """`Date.parse(text)`"""
    local, offset = read_script_date(text)
    shown = in_milliseconds(local)
    if offset is None and not _shows_utc(shown):
        raise Beyond
    return shown - (offset or 0) * 60_000


Made = Callable[..., object]
MAKERS: Mapping[tuple[str, ...], tuple[int, int, Made]] = {
    ("DateTime", "now"): (0, 0, _present),
    ("DateTime", "local"): (0, 0, _present),
    ("DateTime", "utc"): (0, 0, lambda scope: _present(scope).within(UTC_ZONE)),
    ("DateTime", "fromISO"): (1, 2, _from_iso),
    ("DateTime", "fromFormat"): (2, 3, _from_format),
    ("DateTime", "fromMillis"): (1, 1, _from_millis),
    ("DateTime", "fromSeconds"): (1, 1, _from_seconds),
    ("DateTime", "fromJSDate"): (1, 1, _from_date),
    ("Date", "now"): (0, 0, lambda scope: _clock()),
    ("Date", "parse"): (1, 1, lambda scope, text: _parsed(text)),
}
"""Functions that are called with the scope and their arguments."""


def new_date(scope: Scope, *values: object) -> ScriptDate:
    """`new Date(...)` of one value at most."""
    return script_date(scope, *values) if values else ScriptDate(_clock(), scope)


# -- methods


def _iso_options(date: DateTime, options: object, *, day: bool) -> str:
    known = {"suppressMilliseconds": False, "includeOffset": True}
    if options is not UNDEFINED:
        if type(options) is not dict or any(name not in known or type(options[name]) is not bool for name in options):
            raise Beyond
        known |= options
    text = date.iso if day else date.iso_time
    return text(milliseconds=not known["suppressMilliseconds"], offset=known["includeOffset"])


def _set(date: DateTime, values: object) -> DateTime:
    if type(values) is not dict:
        raise Beyond
    found: dict[str, int] = {}
    for name, value in values.items():
        unit = name.lower().removesuffix("s")
        if unit not in _FIELDS or type(value) is not int or value not in _FIELDS[unit]:
            raise Beyond
        found[unit] = value
    return date.with_fields(found)


def _zoned(date: DateTime, zone: object) -> DateTime:
    return date.within(zone_of(zone)) if type(zone) is str else date.within(date.home)


def _set_zone(date: DateTime, zone: object) -> DateTime:
    return _zoned(date, zone) if type(zone) is str else _no_date()


def _no_date() -> DateTime:
    raise Beyond


def _plus(date: DateTime, amount: object, unit: object = UNDEFINED) -> DateTime:
    return date.moved(amounts_of(amount, unit))


def _minus(date: DateTime, amount: object, unit: object = UNDEFINED) -> DateTime:
    return date.moved(amounts_of(amount, unit), -1)


DATETIME: Mapping[str, tuple[int, int, Callable[..., object]]] = {
    "plus": (1, 2, _plus),
    "minus": (1, 2, _minus),
    "startOf": (1, 1, lambda date, unit: date.start_of(unit_of(unit))),
    "endOf": (1, 1, lambda date, unit: date.end_of(unit_of(unit))),
    "beginningOf": (0, 1, lambda date, unit="week": date.start_of(any_unit_of(unit))),
    "endOfMonth": (0, 0, lambda date: date.end_of("months")),
    "set": (1, 1, _set),
    "setZone": (1, 1, _set_zone),
    "toUTC": (0, 0, lambda date: date.within(UTC_ZONE)),
    "toLocal": (0, 0, lambda date: date.within(date.home)),
    "toISO": (0, 1, lambda date, options=UNDEFINED: _iso_options(date, options, day=True)),
    "toISOTime": (0, 1, lambda date, options=UNDEFINED: _iso_options(date, options, day=False)),
    "toISODate": (0, 0, DateTime.iso_date),
    "toSQLDate": (0, 0, DateTime.iso_date),
    "toFormat": (1, 1, formatted),
    "format": (0, 1, lambda date, pattern="yyyy-MM-dd": formatted(date, pattern)),
    "toString": (0, 0, DateTime.iso),
    "toJSON": (0, 0, DateTime.iso),
    "toMillis": (0, 0, DateTime.number),
    "valueOf": (0, 0, DateTime.number),
    "toInt": (0, 0, DateTime.number),
    "toNumber": (0, 0, DateTime.number),
    "toSeconds": (0, 0, lambda date: normal(date.ts / 1000)),
    "toUnixInteger": (0, 0, lambda date: date.ts // 1000),
    "toJsonString": (0, 0, lambda date: f'"{date.iso()}"'),
    "isEmpty": (0, 0, lambda date: False),
    "isNotEmpty": (0, 0, lambda date: True),
}
"""luxon's, and those that expressions add."""


def _set_hours(date: ScriptDate, *values: object) -> int:
    """Of a process whose clock shows UTC. Returns a number, as the date itself is at hand no more."""
    limits = (24, 60, 60, 1000)
    given = [value for value, limit in zip(values, limits, strict=False) if type(value) is int and 0 <= value < limit]
    if len(given) < len(values) or not _shows_utc(date.ts):
        raise Beyond
    local = date.utc
    fields = (local.hour, local.minute, local.second, local.microsecond // 1000)
    hour, minute, second, millisecond = [*given, *fields[len(given) :]]
    day = local.replace(hour=0, minute=0, second=0, microsecond=0)
    return in_milliseconds(day) + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond


def _reads(read: Callable[[datetime], object], name: str) -> dict[str, tuple[int, int, Callable[..., object]]]:
    """A method of the local time and its twin of UTC."""
    return {
        f"get{name}": (0, 0, lambda date: read(date.local())),
        f"getUTC{name}": (0, 0, lambda date: read(date.utc)),
    }


DATE: Mapping[str, tuple[int, int, Callable[..., object]]] = {
    "getTime": (0, 0, ScriptDate.number),
    "valueOf": (0, 0, ScriptDate.number),
    "toISOString": (0, 0, ScriptDate.json),
    "toJSON": (0, 1, lambda date, key="": date.json()),
    "setHours": (1, 4, _set_hours),
    "toDateTime": (0, 0, ScriptDate.moment),
    "plus": (1, 2, lambda date, amount, unit=UNDEFINED: _plus(date.moment(), amount, unit)),
    "minus": (1, 2, lambda date, amount, unit=UNDEFINED: _minus(date.moment(), amount, unit)),
    "format": (0, 1, lambda date, pattern="yyyy-MM-dd": formatted(date.moment(), pattern)),
    **_reads(lambda shown: shown.year, "FullYear"),
    **_reads(lambda shown: shown.month - 1, "Month"),
    **_reads(lambda shown: shown.day, "Date"),
    **_reads(lambda shown: shown.isoweekday() % 7, "Day"),
    **_reads(lambda shown: shown.hour, "Hours"),
    **_reads(lambda shown: shown.minute, "Minutes"),
    **_reads(lambda shown: shown.second, "Seconds"),
    **_reads(lambda shown: shown.microsecond // 1000, "Milliseconds"),
}
CALLS = DATETIME.keys() | DATE.keys() | {"toDateTime"}
"""Names of methods."""
FORMATS = frozenset({"toFormat", "format"})
"""Those of a pattern."""
