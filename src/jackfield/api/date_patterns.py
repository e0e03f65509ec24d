"""Dates by pattern, written and read: with the tokens of luxon (`yyyy-MM-dd`) or of moment (`YYYY-MM-DD`), in English.

A letter that is no token stands for itself; so does what luxon has in '...' and moment in [...]. No date, or a pattern
that is too long, is a ValueError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import TypeAlias

from .dates import iana_zone
from .records import record

MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()  # noqa: SIM905
_LONGEST = 1000
"""Characters of a pattern, and of a text that is read by one."""

Values: TypeAlias = "dict[str, str]"


@record
class Token:
    """write: the text for a date. field and pattern: what reading it gives; without a field it cannot be read."""

    write: Callable[[datetime], str]
    field: str = ""
    pattern: str = ""


def _number(field: str, get: Callable[[datetime], int], width: int, pattern: str) -> Token:
    return Token(lambda moment: f"{get(moment):0{width}d}", field, pattern)


def offset_text(moment: datetime, style: str) -> str:
    """The offset from UTC: `short` +5, `wide` +05:00, `plain` +0500."""
    minutes = round((moment.utcoffset() or timedelta()).total_seconds() / 60)
    sign, hours, rest = "-" if minutes < 0 else "+", abs(minutes) // 60, abs(minutes) % 60
    if style == "short":
        return f"{sign}{hours}" + (f":{rest:02d}" if rest else "")
    return f"{sign}{hours:02d}{':' if style == 'wide' else ''}{rest:02d}"


def zone_name(moment: datetime) -> str:
    """Europe/Berlin; of a mere offset UTC+2."""
    key = getattr(moment.tzinfo, "key", None)
    if isinstance(key, str):
        return key
    return f"UTC{offset_text(moment, 'short')}" if moment.utcoffset() else "UTC"


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _hour12(moment: datetime) -> int:
    return moment.hour % 12 or 12


def _day_of_year(moment: datetime) -> int:
    return moment.timetuple().tm_yday


def _quarter(moment: datetime) -> int:
    return (moment.month + 2) // 3


def _millisecond(moment: datetime) -> int:
    return moment.microsecond // 1000


def _unix_ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _sunday_week(moment: datetime) -> tuple[int, int]:
    """Year and number of the week as in the United States: weeks begin on Sunday, the first has 1 January."""
    saturday = moment.date() + timedelta(days=6 - moment.isoweekday() % 7)
    return saturday.year, (saturday.timetuple().tm_yday - 1) // 7 + 1


def _numbers(names: Mapping[str, tuple[str, Callable[[datetime], int], str]]) -> dict[str, Token]:
    """Each number as it is, and of at least two digits."""
    made: dict[str, Token] = {}
    for letter, (field, get, pattern) in names.items():
        made[letter] = _number(field, get, 1, pattern)
        made[letter * 2] = _number(field, get, 2, pattern)
    return made


def _name(names: list[str], field: str, get: Callable[[datetime], int], length: int | None) -> Token:
    pattern = "|".join(name[:length] for name in names)
    return Token(lambda moment: names[get(moment)][:length], field, pattern)


def _month(length: int | None) -> Token:
    return _name(MONTHS, "month_name", lambda moment: moment.month - 1, length)


def _weekday(length: int | None) -> Token:
    return _name(DAYS, "weekday_name", lambda moment: moment.weekday(), length)


_CLOCK = _numbers(
    {
        "H": ("hour", lambda moment: moment.hour, r"\d{1,2}"),
        "h": ("hour12", _hour12, r"\d{1,2}"),
        "m": ("minute", lambda moment: moment.minute, r"\d{1,2}"),
        "s": ("second", lambda moment: moment.second, r"\d{1,2}"),
    }
)
_STAMPS = {
    "X": Token(lambda moment: str(_unix_ms(moment) // 1000), "unix", r"-?\d{1,12}(?:\.\d{1,9})?"),
    "x": Token(lambda moment: str(_unix_ms(moment)), "unix_ms", r"-?\d{1,15}"),
}
_OFFSET = r"Z|[+-]\d{1,2}(?::?\d{2})?"
_ZONES = {
    "short": Token(lambda moment: offset_text(moment, "short"), "offset", _OFFSET),
    "wide": Token(lambda moment: offset_text(moment, "wide"), "offset", _OFFSET),
    "plain": Token(lambda moment: offset_text(moment, "plain"), "offset", _OFFSET),
    "abbreviation": Token(lambda moment: moment.tzname() or "UTC"),
}
_YEARS = {
    "long": _number("year", lambda moment: moment.year, 4, r"\d{4}"),
    "short": _number("year2", lambda moment: moment.year % 100, 2, r"\d{2}"),
    "any": _number("year", lambda moment: moment.year, 1, r"\d{1,4}"),
}

LUXON: Mapping[str, Token] = {
    **_CLOCK,
    **_STAMPS,
    "y": _YEARS["any"],
    "yy": _YEARS["short"],
    "yyyy": _YEARS["long"],
    "yyyyyy": _number("year", lambda moment: moment.year, 6, r"\d{6}"),
    **_numbers({"M": ("month", lambda moment: moment.month, r"\d{1,2}")}),
    **_numbers({"L": ("month", lambda moment: moment.month, r"\d{1,2}")}),
    **{letter * 3: _month(3) for letter in "ML"},
    **{letter * 4: _month(None) for letter in "ML"},
    **{letter * 5: Token(lambda moment: MONTHS[moment.month - 1][0]) for letter in "ML"},
    **_numbers({"d": ("day", lambda moment: moment.day, r"\d{1,2}")}),
    **{letter: _number("weekday", lambda moment: moment.isoweekday(), 1, r"[1-7]") for letter in "Ec"},
    **{letter * 3: _weekday(3) for letter in "Ec"},
    **{letter * 4: _weekday(None) for letter in "Ec"},
    **{letter * 5: Token(lambda moment: DAYS[moment.weekday()][0]) for letter in "Ec"},
    "o": _number("day_of_year", _day_of_year, 1, r"\d{1,3}"),
    "ooo": _number("day_of_year", _day_of_year, 3, r"\d{3}"),
    "q": Token(lambda moment: str(_quarter(moment))),
    "qq": Token(lambda moment: f"{_quarter(moment):02d}"),
    "kkkk": Token(lambda moment: f"{moment.isocalendar().year:04d}"),
    "kk": Token(lambda moment: f"{moment.isocalendar().year % 100:02d}"),
    "W": Token(lambda moment: str(moment.isocalendar().week)),
    "WW": Token(lambda moment: f"{moment.isocalendar().week:02d}"),
    "S": _number("millisecond", _millisecond, 1, r"\d{1,3}"),
    "SSS": _number("millisecond", _millisecond, 3, r"\d{3}"),
    "u": Token(lambda moment: f"{_millisecond(moment):03d}", "fraction", r"\d{1,9}"),
    "uu": Token(lambda moment: f"{_millisecond(moment) // 10:02d}"),
    "uuu": Token(lambda moment: f"{_millisecond(moment) // 100}"),
    "a": Token(lambda moment: "AM" if moment.hour < 12 else "PM", "half", "[AaPp]\\.?[Mm]\\.?"),
    "G": Token(lambda _: "AD"),
    "GG": Token(lambda _: "Anno Domini"),
    "Z": _ZONES["short"],
    "ZZ": _ZONES["wide"],
    "ZZZ": _ZONES["plain"],
    "ZZZZ": _ZONES["abbreviation"],
    "z": Token(zone_name, "zone", r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*"),
}
_LUXON_SHORT: Mapping[str, str] = {
    "D": "M/d/yyyy",
    "DD": "MMM d, yyyy",
    "DDD": "MMMM d, yyyy",
    "DDDD": "cccc, MMMM d, yyyy",
    "t": "h:mm a",
    "tt": "h:mm:ss a",
    "ttt": "h:mm:ss a ZZZZ",
    "tttt": "h:mm:ss a ZZZZ",
    "T": "HH:mm",
    "TT": "HH:mm:ss",
    "TTT": "HH:mm:ss ZZZZ",
    "TTTT": "HH:mm:ss ZZZZ",
    "f": "M/d/yyyy, h:mm a",
    "ff": "MMM d, yyyy, h:mm a",
    "fff": "MMMM d, yyyy 'at' h:mm a ZZZZ",
    "ffff": "cccc, MMMM d, yyyy 'at' h:mm a ZZZZ",
    "F": "M/d/yyyy, h:mm:ss a",
    "FF": "MMM d, yyyy, h:mm:ss a",
    "FFF": "MMMM d, yyyy 'at' h:mm:ss a ZZZZ",
    "FFFF": "cccc, MMMM d, yyyy 'at' h:mm:ss a ZZZZ",
}
_LOCAL = frozenset({"ZZZZ", "ZZZZZ", "G", "GG", "GGGGG", "n", "nn", "ii", "iiii", "kk", "kkkk"})
"""Tokens that luxon alone knows to the letter."""
MOMENT: Mapping[str, Token] = {
    **_CLOCK,
    **_STAMPS,
    "Y": _YEARS["any"],
    "YY": _YEARS["short"],
    "YYYY": _YEARS["long"],
    **_numbers({"M": ("month", lambda moment: moment.month, r"\d{1,2}")}),
    "Mo": Token(lambda moment: _ordinal(moment.month)),
    "MMM": _month(3),
    "MMMM": _month(None),
    **_numbers({"D": ("day", lambda moment: moment.day, r"\d{1,2}")}),
    "Do": Token(lambda moment: _ordinal(moment.day), "day", r"\d{1,2}(?:st|nd|rd|th)"),
    "DDD": _number("day_of_year", _day_of_year, 1, r"\d{1,3}"),
    "DDDD": _number("day_of_year", _day_of_year, 3, r"\d{3}"),
    "d": Token(lambda moment: str(moment.isoweekday() % 7)),
    "dd": _weekday(2),
    "ddd": _weekday(3),
    "dddd": _weekday(None),
    "e": Token(lambda moment: str(moment.isoweekday() % 7)),
    "E": Token(lambda moment: str(moment.isoweekday())),
    "w": Token(lambda moment: str(_sunday_week(moment)[1])),
    "ww": Token(lambda moment: f"{_sunday_week(moment)[1]:02d}"),
    "gggg": Token(lambda moment: f"{_sunday_week(moment)[0]:04d}"),
    "W": LUXON["W"],
    "WW": LUXON["WW"],
    "GGGG": LUXON["kkkk"],
    "GG": LUXON["kk"],
    "Q": LUXON["q"],
    "Qo": Token(lambda moment: _ordinal(_quarter(moment))),
    "A": LUXON["a"],
    "a": Token(lambda moment: "am" if moment.hour < 12 else "pm", "half", LUXON["a"].pattern),
    "k": Token(lambda moment: str(moment.hour or 24)),
    "kk": Token(lambda moment: f"{moment.hour or 24:02d}"),
    "S": Token(lambda moment: f"{_millisecond(moment) // 100}", "fraction", r"\d{1,9}"),
    "SS": Token(lambda moment: f"{_millisecond(moment) // 10:02d}", "fraction", r"\d{1,9}"),
    "SSS": Token(lambda moment: f"{_millisecond(moment):03d}", "fraction", r"\d{1,9}"),
    "Z": _ZONES["wide"],
    "ZZ": _ZONES["plain"],
    "z": _ZONES["abbreviation"],
    "zz": _ZONES["abbreviation"],
}
_MOMENT_SHORT: Mapping[str, str] = {
    "LT": "h:mm A",
    "LTS": "h:mm:ss A",
    "L": "MM/DD/YYYY",
    "l": "M/D/YYYY",
    "LL": "MMMM D, YYYY",
    "LLL": "MMMM D, YYYY h:mm A",
    "LLLL": "dddd, MMMM D, YYYY h:mm A",
}
_MOMENT_PART = re.compile(
    r"\[([^\[\]]*)\]|" + "|".join(sorted({*MOMENT, *_MOMENT_SHORT}, key=len, reverse=True)) + r"|[\s\S]"
)


def _luxon_pieces(pattern: str) -> Iterator[tuple[bool, str]]:
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


def _moment_pieces(pattern: str) -> Iterator[tuple[bool, str]]:
    """The same of moment's patterns."""
    for match in _MOMENT_PART.finditer(pattern):
        yield match[1] is not None, match[0] if match[1] is None else match[1]


@lru_cache(maxsize=256)
def parts_of(pattern: str, style: str) -> tuple[Token | str, ...]:
    """Tokens and the texts between them."""
    if len(pattern) > _LONGEST:
        raise ValueError(f"a date pattern has at most {_LONGEST} characters")
    luxon = style == "luxon"
    tokens, short = (LUXON, _LUXON_SHORT) if luxon else (MOMENT, _MOMENT_SHORT)
    parts: list[Token | str] = []
    for literal, piece in (_luxon_pieces if luxon else _moment_pieces)(pattern):
        if not literal and piece in short:
            parts += parts_of(short[piece], style)
        else:
            parts.append(piece if literal else tokens.get(piece, piece))
    return tuple(parts)


@lru_cache(maxsize=256)
def is_plain(pattern: str) -> bool:
    """Whether all that a pattern of luxon prints is the same in every language but for names, and known here."""
    return not any(
        not literal and (piece in _LUXON_SHORT or piece in _LOCAL) for literal, piece in _luxon_pieces(pattern)
    )


def write_date(moment: datetime, pattern: str, style: str) -> str:
    """style: luxon or moment. Raises ValueError."""
    return "".join([part if isinstance(part, str) else part.write(moment) for part in parts_of(pattern, style)])


def read_date(text: str, pattern: str, style: str, zone: tzinfo) -> datetime:
    """A date without its own offset is in `zone`. Raises ValueError."""
    parts = parts_of(pattern, style)
    wanted = [part for part in parts if not isinstance(part, str)]
    if any(not part.field for part in wanted):
        raise ValueError(f"the pattern {pattern} has a part that can be written but not read")
    if len({part.field for part in wanted}) < len(wanted):  # besides, the search could take for ever
        raise ValueError(f"the pattern {pattern} has the same part twice")
    expression = "".join(re.escape(part) if isinstance(part, str) else f"({part.pattern})" for part in parts)
    match = re.fullmatch(expression, text.strip(), re.IGNORECASE) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError(f"not a date of the pattern {pattern}")
    values: Values = {part.field: value for part, value in zip(wanted, match.groups(), strict=True)}
    try:
        return _moment(values, zone)
    except (ValueError, OverflowError, KeyError, OSError) as exc:
        raise ValueError("no such date") from exc


def _moment(values: Values, zone: tzinfo) -> datetime:
    if "unix_ms" in values or "unix" in values:
        seconds = float(values["unix_ms"]) / 1000 if "unix_ms" in values else float(values["unix"])
        return datetime.fromtimestamp(seconds, zone)
    if "zone" in values:
        zone = iana_zone(values["zone"])
    if "offset" in values:
        zone = _offset(values["offset"])
    day_of_year = int(values.get("day_of_year", 0))
    month = _index(MONTHS, values["month_name"]) if "month_name" in values else int(values.get("month", 1))
    day = int(values.get("day", "1").rstrip("stndrhSTNDRH"))
    made = datetime(
        _year(values), 1 if day_of_year else month, day, _hour(values), int(values.get("minute", 0)),
        int(values.get("second", 0)), _fraction(values), tzinfo=zone,
    )  # fmt: skip
    return made + timedelta(days=day_of_year - 1) if day_of_year else made


def _year(values: Values) -> int:
    if "year2" in values:
        short = int(values["year2"])
        return short + (2000 if short <= 60 else 1900)
    return int(values["year"]) if "year" in values else datetime.now(UTC).year


def _hour(values: Values) -> int:
    if "hour12" not in values:
        return int(values.get("hour", 0))
    hour = int(values["hour12"]) % 12
    return hour + 12 if values.get("half", "").lower().startswith("p") else hour


def _fraction(values: Values) -> int:
    """Microseconds."""
    if "fraction" in values:
        return int(values["fraction"][:6].ljust(6, "0"))
    return int(values.get("millisecond", 0)) * 1000


def _index(names: list[str], text: str) -> int:
    return next(number for number, name in enumerate(names, 1) if name.lower().startswith(text.lower()))


def _offset(text: str) -> tzinfo:
    if text.upper() == "Z":
        return UTC
    digits = text[1:].replace(":", "")
    hours, minutes = (digits, "0") if len(digits) <= 2 else (digits[:-2], digits[-2:])
    length = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-length if text[0] == "-" else length)
