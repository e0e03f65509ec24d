"""Dates as expressions use them: luxon's `DateTime`, a point in time in a zone, in English.

The arithmetic is that of `jackfield.api.dates`. A case that it does not do to the letter raises `NotExact`. Such cases
are other years than 1900 to 2199, invalid dates, zones whose offset is no whole number of minutes, broken amounts of
time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from jackfield.api.date_patterns import is_plain, write_date
from jackfield.api.dates import floored, iana_zone, iso, iso_date, moved, placed_by_luxon
from jackfield.api.dates import unit_of as any_unit
from jackfield.api.javascript import UNDEFINED, NotExact, Special
from jackfield_expressions.operators import to_number
from jackfield_expressions.scope import ItemScope

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
YEARS = range(1900, 2200)
_LONGEST = 100
"""Characters of a pattern."""
_MINUTE = timedelta(minutes=1)
ISO = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{3})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?", re.ASCII)
"""Texts that luxon and `Date.parse` are exact about."""
FROM_ISO = ("DateTime", "fromISO")
_ZONE = re.compile(r"UTC|(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Za-z_/-]+")
"""Names that are known everywhere."""
_SHORT_UNITS = {
    "ms": "millisecond", "sec": "second", "secs": "second", "min": "minute", "mins": "minute", "hr": "hour",
    "hrs": "hour",
}  # fmt: skip
"""The further words that the methods of expressions understand."""


@lru_cache(64)
def zone_of(name: str) -> tzinfo:
    """The zone of this name. Raises `NotExact`."""
    plain = name.lower()
    if plain in ("utc", "gmt"):
        return UTC
    if plain in ("local", "system", "default") or plain.startswith("utc"):
        raise NotExact
    try:
        return iana_zone(name)
    except ValueError:
        raise NotExact from None


@lru_cache(64)
def _unit_of(name: str, *, short: bool = False) -> str:
    """A unit as luxon's own methods name it; short: as the methods of expressions do, which know short ones as well."""
    if short and name in _SHORT_UNITS:
        return _SHORT_UNITS[name]
    if name != name.strip():
        raise NotExact
    try:
        return any_unit(name)
    except ValueError:
        raise NotExact from None


def _whole(value: object) -> int:
    """An amount that is a whole number, or a text of one."""
    if type(value) is bool or value == "":
        raise NotExact
    number = value if type(value) is int else to_number(value)
    if type(number) is not int:
        raise NotExact
    return number


def amounts_of(amount: object, unit: object, sign: int) -> Mapping[str, int]:
    """Per unit how much: of `{days: 1}`, of `1, 'days'`, or of a number of milliseconds."""
    if type(amount) is dict:
        made: dict[str, int] = {}
        for name, value in amount.items():
            if value is not None and value is not UNDEFINED:
                made[_unit_of(name)] = sign * _whole(value)
        return made
    if amount is None or isinstance(amount, (list, Special)):
        raise NotExact
    if unit is UNDEFINED:
        if type(amount) is not int:
            raise NotExact
        return {"millisecond": sign * amount}
    if type(unit) is not str:
        raise NotExact
    return {_unit_of(unit, short=True): sign * _whole(amount)}


class LuxonDate(Special):
    """luxon's `DateTime`, as expressions see it: a moment with its time zone."""

    __slots__ = ("moment",)

    def __init__(self, moment: datetime) -> None:
        offset = moment.utcoffset()
        if moment.year not in YEARS or offset is None or offset % _MINUTE:
            raise NotExact
        self.moment = moment

    def text(self) -> str:
        return iso(self.moment)

    def json(self) -> str:
        return iso(self.moment)

    def number(self) -> int:
        return (self.moment - EPOCH) // MILLISECOND

    def primitive(self) -> int:
        return self.number()

    def methods(self) -> Mapping[str, tuple[int, int, Callable[..., object]]]:
        return DATETIME

    def midnight(self) -> LuxonDate:
        return LuxonDate(floored(self.moment, "day"))

    def moved(self, amount: object, unit: object, sign: int) -> LuxonDate:
        try:
            return LuxonDate(moved(self.moment, amounts_of(amount, unit, sign)))
        except (ValueError, OverflowError):
            raise NotExact from None


def moment_at(ts: int, zone: str) -> LuxonDate:
    """ts: Unix milliseconds."""
    try:
        return LuxonDate((EPOCH + timedelta(milliseconds=ts)).astimezone(zone_of(zone)))
    except (ValueError, OverflowError):
        raise NotExact from None


def now(scope: ItemScope) -> LuxonDate:
    """`$now`"""
    return moment_at(scope.now_ms(), scope.around.timezone)


def today(scope: ItemScope) -> LuxonDate:
    """`$today`"""
    return now(scope).midnight()


def from_iso(scope: ItemScope, text: object) -> LuxonDate:
    """`DateTime.fromISO(text)`"""
    if type(text) is not str or not ISO.fullmatch(text):
        raise NotExact
    try:
        read = datetime.fromisoformat(text)
        zone = zone_of(scope.around.timezone)
        if read.tzinfo:
            return LuxonDate(read.astimezone(zone))
        moment, offset = placed_by_luxon(read, datetime.now(zone))
    except (ValueError, OverflowError):
        raise NotExact from None
    if moment.utcoffset() != offset:
        raise NotExact
    return LuxonDate(moment)


def _in_zone(date: LuxonDate, name: object) -> LuxonDate:
    if type(name) is not str or not _ZONE.fullmatch(name):
        raise NotExact
    return LuxonDate(date.moment.astimezone(zone_of(name)))


def _start_of(date: LuxonDate, unit: object) -> LuxonDate:
    if type(unit) is not str:
        raise NotExact
    return LuxonDate(floored(date.moment, _unit_of(unit)))


def plus(date: LuxonDate, amount: object, unit: object = UNDEFINED) -> LuxonDate:
    return date.moved(amount, unit, 1)


def minus(date: LuxonDate, amount: object, unit: object = UNDEFINED) -> LuxonDate:
    return date.moved(amount, unit, -1)


def formatted(date: LuxonDate, pattern: object) -> str:
    if not knows(pattern):
        raise NotExact
    return write_date(date.moment, str(pattern), "luxon")


def knows(pattern: object) -> bool:
    """Whether Python prints by it what luxon does."""
    return type(pattern) is str and len(pattern) <= _LONGEST and is_plain(pattern)


DATETIME: Mapping[str, tuple[int, int, Callable[..., object]]] = {
    "plus": (1, 2, plus),
    "minus": (1, 2, minus),
    "setZone": (1, 1, _in_zone),
    "startOf": (1, 1, _start_of),
    "toISO": (0, 0, LuxonDate.json),
    "toISODate": (0, 0, lambda date: iso_date(date.moment)),
    "toFormat": (1, 1, formatted),
    "format": (1, 1, formatted),
    "toString": (0, 0, LuxonDate.text),
    "toJSON": (0, 0, LuxonDate.json),
}
"""luxon's, and those that expressions add."""
FORMATS = frozenset({"toFormat", "format"})
"""Methods of a pattern."""
