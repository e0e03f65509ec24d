"""Texts of dates, in English: luxon's formats, and the reading of ISO 8601 that `Date` is exact about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache

from jackfield.api.javascript import Beyond
from jackfield_workflows.jsdates import YEARS, DateTime

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

_SCRIPT = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{3}))?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)


def read_script_date(text: object) -> tuple[datetime, int | None]:
    """As `Date.parse` does, to which a day is one of UTC: what a clock showed, and its offset in minutes."""
    match = _SCRIPT.fullmatch(text) if type(text) is str else None
    if match is None:
        raise Beyond
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    clock = (int(hour or 0), int(minute or 0), int(second or 0), 1000 * int(fraction or 0))
    try:
        local = datetime(int(year), int(month), int(day), *clock)  # noqa: DTZ001 - its offset is apart
    except ValueError:
        raise Beyond from None
    if local.year not in YEARS:
        raise Beyond
    return local, _minutes(offset) if hour is not None else 0


def _minutes(offset: str | None) -> int | None:
    if offset is None or offset == "Z":
        return None if offset is None else 0
    hours, minutes = int(offset[1:3]), int(offset[4:])
    if hours > 23 or minutes > 59:
        raise Beyond
    return (-1 if offset[0] == "-" else 1) * (60 * hours + minutes)
