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

from jackfield.api.javascript import UNDEFINED, Beyond, Special
from jackfield.api.records import record
from jackfield_workflows.jsoperators import to_number

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
    """zone: the workflow's."""

    __slots__ = ("local", "offset", "ts", "zone")

    def __init__(self, ts: int, zone: Zone) -> None:
        self.ts = ts
        self.zone = zone
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

    def methods(self) -> Mapping[str, tuple[int, int, Callable[..., object]]]:
        from jackfield_workflows.jsdatecalls import DATETIME

        return DATETIME

    @property
    def millisecond(self) -> int:
        return self.local.microsecond // 1000

    # -- other points in time

    def at(self, ts: int) -> DateTime:
        return DateTime(ts, self.zone)

    def midnight(self) -> DateTime:
        local = self.local.replace(hour=0, minute=0, second=0, microsecond=0)
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

    # -- texts

    def iso_date(self) -> str:
        local = self.local
        return f"{local.year}-{local.month:02}-{local.day:02}"

    def _iso_offset(self) -> str:
        if self.zone.info is None:
            return "Z"
        hours, minutes = divmod(abs(self.offset), 60)
        return f"{'-' if self.offset < 0 else '+'}{hours:02}:{minutes:02}"

    def iso(self) -> str:
        local = self.local
        clock = f"{local.hour:02}:{local.minute:02}:{local.second:02}.{self.millisecond:03}"
        return f"{self.iso_date()}T{clock}{self._iso_offset()}"


def _months_on(local: datetime, months: int) -> datetime:
    if not months:
        return local
    year, month = divmod(local.year * 12 + local.month - 1 + months, 12)
    if year not in YEARS:
        raise Beyond
    return local.replace(year=year, month=month + 1, day=min(local.day, calendar.monthrange(year, month + 1)[1]))
