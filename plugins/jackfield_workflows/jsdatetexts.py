"""Texts of dates, in English: luxon's formats, and the readings of ISO 8601 that mean one thing alone."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache

from jackfield_workflows.jsdates import YEARS, DateTime
from jackfield_workflows.jsvalues import Beyond

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MACRO = re.compile(r"D{1,4}|t{1,4}|T{1,4}|f{1,4}|F{1,4}")
"""These print what a locale has for them."""
_OTHER = frozenset({"ZZZZ", "ZZZZZ", "G", "GG", "GGGGG", "n", "nn", "ii", "iiii", "kk", "kkkk"})
"""Tokens of luxon that are left to it."""
_LONGEST = 100

Shown = Callable[[DateTime], str]


def _hour(date: DateTime) -> int:
    return (date.local.hour + 11) % 12 + 1


def _offset(date: DateTime, between: str, width: int) -> str:
    hours, minutes = divmod(abs(date.offset), 60)
    rest = f"{between}{minutes:02}" if width == 2 else f":{minutes}" if minutes else ""
    return f"{'-' if date.offset < 0 else '+'}{hours:0{width}}{rest}"


_TOKENS: Mapping[str, Shown] = {
    "S": lambda date: str(date.millisecond),
    "SSS": lambda date: f"{date.millisecond:03}",
    "u": lambda date: f"{date.millisecond:03}",
    "uu": lambda date: f"{date.millisecond // 10:02}",
    "uuu": lambda date: str(date.millisecond // 100),
    "s": lambda date: str(date.local.second),
    "ss": lambda date: f"{date.local.second:02}",
    "m": lambda date: str(date.local.minute),
    "mm": lambda date: f"{date.local.minute:02}",
    "h": lambda date: str(_hour(date)),
    "hh": lambda date: f"{_hour(date):02}",
    "H": lambda date: str(date.local.hour),
    "HH": lambda date: f"{date.local.hour:02}",
    "a": lambda date: "AM" if date.local.hour < 12 else "PM",
    "Z": lambda date: _offset(date, "", 1),
    "ZZ": lambda date: _offset(date, ":", 2),
    "ZZZ": lambda date: _offset(date, "", 2),
    "z": lambda date: date.zone.name,
    "d": lambda date: str(date.local.day),
    "dd": lambda date: f"{date.local.day:02}",
    "c": lambda date: str(date.local.isoweekday()),
    "ccc": lambda date: DAYS[date.local.weekday()][:3],
    "cccc": lambda date: DAYS[date.local.weekday()],
    "ccccc": lambda date: DAYS[date.local.weekday()][0],
    "L": lambda date: str(date.local.month),
    "LL": lambda date: f"{date.local.month:02}",
    "LLL": lambda date: MONTHS[date.local.month - 1][:3],
    "LLLL": lambda date: MONTHS[date.local.month - 1],
    "LLLLL": lambda date: MONTHS[date.local.month - 1][0],
    "y": lambda date: str(date.local.year),
    "yy": lambda date: f"{date.local.year % 100:02}",
    "yyyy": lambda date: str(date.local.year),
    "yyyyyy": lambda date: f"{date.local.year:06}",
    "W": lambda date: str(date.local.isocalendar().week),
    "WW": lambda date: f"{date.local.isocalendar().week:02}",
    "o": lambda date: str(date.local.timetuple().tm_yday),
    "ooo": lambda date: f"{date.local.timetuple().tm_yday:03}",
    "q": lambda date: str((date.local.month + 2) // 3),
    "qq": lambda date: f"{(date.local.month + 2) // 3:02}",
    "X": lambda date: str(date.ts // 1000),
    "x": lambda date: str(date.ts),
}
_SAME = {"E": "c", "M": "L"}
"""Letters that differ in other languages alone."""


@lru_cache(256)
def _parts(pattern: str) -> tuple[str | Shown, ...]:
    if len(pattern) > _LONGEST:
        raise Beyond
    return tuple(_part(*found) for found in _pieces(pattern))


def _pieces(pattern: str) -> Iterator[tuple[bool, str]]:
    """The runs of one letter, and what stands in quotation marks: whether it is printed as it is, and what it is. Two
    marks in a row are a mark."""
    quoted, run = False, ""
    for letter in pattern:
        if letter == "'":
            if run or quoted:
                yield quoted, run or "'"
            quoted, run = not quoted, ""
        elif quoted or not run or letter == run[-1]:
            run += letter
        else:
            yield False, run
            run = letter
    if run:
        yield quoted, run


def _part(literal: bool, piece: str) -> str | Shown:
    if literal:
        return piece
    if _MACRO.fullmatch(piece) or piece in _OTHER:
        raise Beyond
    other = _SAME.get(piece[0])
    return _TOKENS.get(other * len(piece) if other else piece, piece)


def formatted(date: DateTime, pattern: object) -> str:
    """`date.toFormat(pattern)`"""
    if type(pattern) is not str:
        raise Beyond
    return "".join([part if type(part) is str else part(date) for part in _parts(pattern)])  # type: ignore[operator]


def knows(pattern: str) -> bool:
    """Whether `formatted` can print it."""
    try:
        _parts(pattern)
    except Beyond:
        return False
    return True


# -- reading

_ISO = re.compile(
    r"(\d{4})-(\d\d)(?:-(\d\d))?(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,30}))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_SCRIPT = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{3}))?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)


def _read(pattern: re.Pattern[str], text: object) -> tuple[datetime, int | None, bool]:
    """What a clock showed, its offset in minutes if the text has one, and whether the text has a time of day."""
    match = pattern.fullmatch(text) if type(text) is str else None
    if match is None:
        raise Beyond
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    clock = (int(hour or 0), int(minute or 0), int(second or 0))
    try:
        local = datetime(int(year), int(month), int(day or 1), *clock)  # noqa: DTZ001 - its offset is apart
    except ValueError:
        raise Beyond from None
    if local.year not in YEARS:
        raise Beyond
    milliseconds = math.floor(float(f"0.{fraction}") * 1000) if fraction else 0
    if milliseconds > 999:
        raise Beyond  # so many nines are a whole second
    return local + timedelta(milliseconds=milliseconds), _minutes(offset), hour is not None


def _minutes(offset: str | None) -> int | None:
    if offset is None or offset in "Zz":
        return None if offset is None else 0
    hours, minutes = int(offset[1:3]), int(offset[-2:]) if len(offset) > 3 else 0
    if hours > 23 or minutes > 59:
        raise Beyond
    return (-1 if offset[0] == "-" else 1) * (60 * hours + minutes)


def read_iso(text: object) -> tuple[datetime, int | None]:
    """As luxon reads it."""
    local, offset, _ = _read(_ISO, text)
    return local, offset


def read_script_date(text: object) -> tuple[datetime, int | None]:
    """As `Date.parse` does, to which a day is one of UTC."""
    local, offset, timed = _read(_SCRIPT, text)
    return local, offset if timed else 0


_FIELDS = {"yyyy": "Y", "MM": "m", "dd": "d", "HH": "H", "mm": "M", "ss": "S"}
_MARKS = frozenset("-/.:, _")


@lru_cache(64)
def _reading(pattern: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """A pattern of whole fields with plain marks between them. Raises `Beyond`."""
    if len(pattern) > _LONGEST:
        raise Beyond
    found, names = "", []
    for literal, piece in _pieces(pattern):
        if not literal and piece in _FIELDS and piece not in names:
            names.append(piece)
            found += r"(\d{4})" if piece == "yyyy" else r"(\d\d)"
        elif set(piece) <= _MARKS and not literal:
            found += re.escape(piece)
        else:
            raise Beyond
    if names.count("yyyy") + names.count("MM") + names.count("dd") < 3:
        raise Beyond
    return re.compile(found, re.ASCII), tuple(names)


def read_format(text: object, pattern: object) -> datetime:
    """As luxon reads this pattern: a day, maybe with a time."""
    if type(text) is not str or type(pattern) is not str:
        raise Beyond
    reading, names = _reading(pattern)
    match = reading.fullmatch(text)
    if match is None:
        raise Beyond
    values = dict(zip(names, map(int, match.groups()), strict=True))
    try:
        local = datetime(*(values.get(name, 0) for name in _FIELDS))  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        raise Beyond from None
    return local if local.year in YEARS else _refuse()


def _refuse() -> datetime:
    raise Beyond
