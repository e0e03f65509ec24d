"""luxon's DateTime as expressions use it, in Python: a point in time in a time zone, in English.

What this does not know to the letter raises `Beyond`: other years than 1900 to 2199, invalid dates, zones whose offset
is no whole number of minutes, broken amounts of time.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from jackfield.api.records import record
from jackfield_workflows.jsoperators import UNDEFINED, to_number
from jackfield_workflows.jsvalues import Beyond, Special

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - local time, to which the offset belongs
MILLISECOND = timedelta(milliseconds=1)
YEARS = range(1900, 2200)
_QUARTER = 900_000
"""Milliseconds; offsets change at these only, and the worker asks for no others."""

UNITS: Mapping[str, str] = {
    name: plural
    for plural in ("years", "quarters", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds")
    for name in (plural, plural[:-1])
}
SHORT_UNITS = {
    "ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks", "M": "months",
    "Q": "quarters", "y": "years",
}  # fmt: skip
"""What the methods of expressions understand beside."""
_MILLISECONDS = {"hours": 3_600_000, "minutes": 60_000, "seconds": 1000, "milliseconds": 1}
_STARTS = ("years", "months", "days", "hours", "minutes", "seconds")


@record
class Zone:
    """name: as `zoneName` gives it; info: None for UTC as luxon has it, which prints its offset as `Z`."""

    name: str
    info: ZoneInfo | None

    def offset(self, ts: int) -> int:
        """Minutes east of UTC."""
        if self.info is None:
            return 0
        return _offset_at(self.info, ts // _QUARTER)


@lru_cache(1024)
def _offset_at(info: ZoneInfo, quarter: int) -> int:
    """Minutes. Raises `Beyond`."""
    try:
        shift = datetime.fromtimestamp(quarter * _QUARTER // 1000, info).utcoffset()
    except (OverflowError, ValueError, OSError):
        raise Beyond from None
    if shift is None or shift % timedelta(minutes=1):
        raise Beyond
    return shift // timedelta(minutes=1)


UTC_ZONE = Zone("UTC", None)


@lru_cache(64)
def zone_of(name: str) -> Zone:
    """The zone of this name. Raises `Beyond`."""
    plain = name.lower()
    if plain in ("utc", "gmt"):
        return UTC_ZONE
    if plain in ("local", "system", "default") or plain.startswith("utc"):
        raise Beyond
    try:
        return Zone(name, ZoneInfo(name))
    except (ValueError, OSError, LookupError):
        raise Beyond from None


def unit_of(name: object) -> str:
    """A unit as luxon's own methods name it."""
    found = UNITS.get(name.lower()) if type(name) is str else None
    if found is None:
        raise Beyond
    return found


def any_unit_of(name: object) -> str:
    """A unit as the methods of expressions name it, which know short ones as well."""
    return SHORT_UNITS.get(name) or unit_of(name) if type(name) is str else unit_of(name)


def _whole(value: object) -> int:
    """An amount that is a whole number, or a text of one."""
    if type(value) is bool or value == "":
        raise Beyond
    number = to_number(value)
    if type(number) is not int:
        raise Beyond
    return number


def amounts_of(amount: object, unit: object = UNDEFINED) -> Mapping[str, int]:
    """Per unit how much: of `{days: 1}`, of `1, 'days'`, or of a number of milliseconds."""
    if type(amount) is dict:
        return {unit_of(name): _whole(value) for name, value in amount.items() if not _nothing(value)}
    if amount is None or isinstance(amount, (list, Special)):
        raise Beyond
    if unit is UNDEFINED:
        if type(amount) is not int:
            raise Beyond
        return {"milliseconds": amount}
    return {any_unit_of(unit): _whole(amount)}


def _nothing(value: object) -> bool:
    return value is None or value is UNDEFINED


def in_milliseconds(local: datetime) -> int:
    return (local - EPOCH) // MILLISECOND


def placed(local: datetime, offset: int, zone: Zone) -> int:
    """The point in time at which clocks of the zone show this. offset: a guess. Of an hour that comes twice it is the
    one with the guessed offset, an hour that is left out is moved on."""
    shown = in_milliseconds(local)
    guess = shown - offset * 60_000
    first = zone.offset(guess)
    if first == offset:
        return guess
    second = zone.offset(shown - first * 60_000)
    return shown - min(first, second) * 60_000


class DateTime(Special):
    """home: the workflow's zone."""

    __slots__ = ("home", "local", "offset", "ts", "zone")

    def __init__(self, ts: int, zone: Zone, home: Zone) -> None:
        self.ts = ts
        self.zone = zone
        self.home = home
        try:
            self.offset = zone.offset(ts)
            self.local = EPOCH + timedelta(milliseconds=ts + self.offset * 60_000)
        except (OverflowError, ValueError, OSError):
            raise Beyond from None
        if self.local.year not in YEARS:
            raise Beyond

    def text(self) -> str:
        return self.iso()

    def json(self) -> str:
        return self.iso()

    def number(self) -> int:
        return self.ts

    def primitive(self) -> int:
        return self.ts

    def member(self, name: str) -> object:
        read = MEMBERS.get(name)
        if read is None:
            raise Beyond
        return read(self)

    def methods(self) -> Mapping[str, tuple[int, int, Callable[..., object]]]:
        from jackfield_workflows.jsdatecalls import DATETIME

        return DATETIME

    @property
    def millisecond(self) -> int:
        return self.local.microsecond // 1000

    # -- other points in time

    def at(self, ts: int) -> DateTime:
        return DateTime(ts, self.zone, self.home)

    def within(self, zone: Zone) -> DateTime:
        return DateTime(self.ts, zone, self.home)

    def _shown(self, local: datetime) -> DateTime:
        return self.at(placed(local, self.offset, self.zone))

    def moved(self, amounts: Mapping[str, int], sign: int = 1) -> DateTime:
        """Later by these amounts: first by the calendar, then by the clock."""
        by = {unit: sign * amount for unit, amount in amounts.items()}
        months = 12 * by.get("years", 0) + 3 * by.get("quarters", 0) + by.get("months", 0)
        days = 7 * by.get("weeks", 0) + by.get("days", 0)
        milliseconds = sum(size * by.get(unit, 0) for unit, size in _MILLISECONDS.items())
        try:
            local = _months_on(self.local, months) + timedelta(days=days)
            return self.at(placed(local, self.offset, self.zone) + milliseconds)
        except (OverflowError, ValueError, OSError):
            raise Beyond from None

    def start_of(self, unit: str) -> DateTime:
        local = self.local
        if unit == "weeks":
            local -= timedelta(days=local.weekday())
        if unit == "quarters":
            local = local.replace(month=(local.month - 1) // 3 * 3 + 1, day=1)
        return self._shown(_cut(local, {"weeks": "days", "quarters": "months"}.get(unit, unit)))

    def end_of(self, unit: str) -> DateTime:
        later = self.moved({unit: 1}).start_of(unit)
        return later.at(later.ts - 1)

    def with_fields(self, values: Mapping[str, int]) -> DateTime:
        """values: of year, month, day, hour, minute, second and millisecond, each in its range."""
        local = self.local
        year, month = values.get("year", local.year), values.get("month", local.month)
        if year not in YEARS:
            raise Beyond
        day = values.get("day", min(local.day, calendar.monthrange(year, month)[1]))
        made = datetime(  # noqa: DTZ001 - local time
            year,
            month,
            1,
            values.get("hour", local.hour),
            values.get("minute", local.minute),
            values.get("second", local.second),
            1000 * values.get("millisecond", self.millisecond),
        )
        return self._shown(made + timedelta(days=day - 1))

    # -- texts

    def iso_date(self) -> str:
        local = self.local
        return f"{local.year}-{local.month:02}-{local.day:02}"

    def iso_time(self, *, milliseconds: bool = True, offset: bool = True) -> str:
        local = self.local
        text = f"{local.hour:02}:{local.minute:02}:{local.second:02}"
        if milliseconds or self.millisecond:
            text += f".{self.millisecond:03}"
        return text + self.iso_offset() if offset else text

    def iso_offset(self) -> str:
        if self.zone.info is None:
            return "Z"
        hours, minutes = divmod(abs(self.offset), 60)
        return f"{'-' if self.offset < 0 else '+'}{hours:02}:{minutes:02}"

    def iso(self, *, milliseconds: bool = True, offset: bool = True) -> str:
        return f"{self.iso_date()}T{self.iso_time(milliseconds=milliseconds, offset=offset)}"


def _months_on(local: datetime, months: int) -> datetime:
    if not months:
        return local
    year, month = divmod(local.year * 12 + local.month - 1 + months, 12)
    if year not in YEARS:
        raise Beyond
    return local.replace(year=year, month=month + 1, day=min(local.day, calendar.monthrange(year, month + 1)[1]))


def _cut(local: datetime, unit: str) -> datetime:
    """The fields down to this unit, the others at their lowest."""
    if unit == "milliseconds":
        return local
    count = _STARTS.index(unit) + 1
    fields = (local.year, local.month, local.day, local.hour, local.minute, local.second)
    return datetime(*(*fields[:count], *(1, 1, 1, 0, 0, 0)[count:]))  # type: ignore[arg-type]  # noqa: DTZ001


MEMBERS: Mapping[str, Callable[[DateTime], object]] = {
    "year": lambda date: date.local.year,
    "quarter": lambda date: (date.local.month + 2) // 3,
    "month": lambda date: date.local.month,
    "day": lambda date: date.local.day,
    "hour": lambda date: date.local.hour,
    "minute": lambda date: date.local.minute,
    "second": lambda date: date.local.second,
    "millisecond": lambda date: date.millisecond,
    "weekday": lambda date: date.local.isoweekday(),
    "weekNumber": lambda date: date.local.isocalendar().week,
    "weekYear": lambda date: date.local.isocalendar().year,
    "ordinal": lambda date: date.local.timetuple().tm_yday,
    "daysInMonth": lambda date: calendar.monthrange(date.local.year, date.local.month)[1],
    "ts": lambda date: date.ts,
    "offset": lambda date: date.offset,
    "zoneName": lambda date: date.zone.name,
    "isValid": lambda date: True,
}
