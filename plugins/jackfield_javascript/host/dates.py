"""`Intl.DateTimeFormat`: options made into a recipe once, and instants formatted by it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from babel import Locale
from babel.core import get_global
from babel.dates import get_timezone_name

from .locales import DIGITS, find_locale
from .patterns import (
    HOURS,
    ZONE_FIELDS,
    Pieces,
    field_pattern,
    join_parts,
    split_pattern,
    styled_pattern,
    wanted_fields,
)

KINDS = {
    **dict.fromkeys("yYr", "year"),
    **dict.fromkeys("ML", "month"),
    **dict.fromkeys("Ec", "weekday"),
    **dict.fromkeys("ab", "dayPeriod"),
    **dict.fromkeys("hHkK", "hour"),
    **dict.fromkeys("zvO", "timeZoneName"),
    "B": "dayPeriod",
    "d": "day",
    "m": "minute",
    "s": "second",
    "S": "fractionalSecond",
    "G": "era",
}
OLD_NAMES = {
    "Asia/Kolkata": "Asia/Calcutta",
    "Asia/Kathmandu": "Asia/Katmandu",
    "Asia/Ho_Chi_Minh": "Asia/Saigon",
    "Asia/Yangon": "Asia/Rangoon",
    "Europe/Kyiv": "Europe/Kiev",
}
LONG_MINUS = frozenset({"fr", "nb", "nn", "no", "sv"})
"""Languages that write offsets from UTC with a sign for minus and no hyphen."""
OFFSETS_BEHIND = {"pt": "GMT%s"}
"""Languages for which Babel 2.19 has the offset in front of `GMT`, as a CLDR after 48; Node.js 20 to 24 have 48."""


class Recipe(NamedTuple):
    """How to format: the pieces of the pattern as (letter, length) or literal text, and what was resolved."""

    locale: Locale
    pieces: tuple[tuple[str, int] | str, ...]
    digits: str | None
    resolved: Mapping[str, object]


# -- resolving the options


def _own_cycle(locale: Locale) -> str:
    return "h12" if "h" in str(locale.time_formats["short"].pattern) else "h23"


def _cycle(locale: Locale, tag: str, options: Mapping[str, Any]) -> str:
    """h24 for a locale with twelve hours that is asked for none: what V8 does."""
    own = _own_cycle(locale)
    if "hour12" in options:
        if options["hour12"]:
            return "h11" if locale.language == "ja" else "h12"
        return "h24" if own == "h12" else "h23"
    asked = options.get("hourCycle") or next(iter(re.findall(r"-u-.*\bhc-(h\d\d)", tag)), None)
    return asked if asked in HOURS else own


def _finished(pieces: Pieces, hour: str, zone: str | None) -> Pieces:
    """With the letter of the hour cycle, and that of the form of the time zone's name."""
    made: Pieces = []
    for piece in pieces:
        if isinstance(piece, tuple) and piece[0] in "hHkK":
            made.append((hour, piece[1]))
        elif isinstance(piece, tuple) and piece[0] in "zvO" and zone is not None:
            made.append((zone[0], len(zone)))
        else:
            made.append(piece)
    return made


def _thin_space_before_half(pieces: Pieces) -> Pieces:
    made = list(pieces)
    for place in range(1, len(made)):
        before, piece = made[place - 1], made[place]
        if isinstance(piece, tuple) and piece[0] == "a" and isinstance(before, str) and before.strip() == "":
            made[place - 1] = "\u202f"
    return made


def _other_cycle(pattern: str, cycle: str) -> str:
    """A pattern for twelve hours as one for twenty-four, or the other way round."""
    if cycle in ("h11", "h12"):
        return re.sub(r"(?<=[ms])(?=[^ms]*$)", "\u202fa", pattern, count=1)
    return re.sub(r"[\s]*a", "", re.sub("h+", "HH", pattern))


@lru_cache(maxsize=256)
def recipe(tag: str, options_text: str) -> Recipe:
    """options: those of the constructor, with the defaults of the method that was called. Raises ValueError."""
    options = json.loads(options_text)
    locale, name = find_locale(tag)
    cycle = _cycle(locale, tag, options)
    asks_cycle = cycle != _own_cycle(locale)
    if "dateStyle" in options or "timeStyle" in options:
        text = styled_pattern(locale, options)
        if "timeStyle" in options and asks_cycle:
            time = _other_cycle(str(locale.time_formats[options["timeStyle"]].pattern), cycle)
            date = options.get("dateStyle")
            text = join_parts(locale, date, str(locale.date_formats[date].pattern), time) if date else time
    else:
        text = field_pattern(locale, wanted_fields(options, "h" if cycle in ("h11", "h12") else "H"))
        if locale.language == "de" and cycle in ("h11", "h12"):
            text = text.replace("'Uhr' ", "")
    pieces = _finished(list(split_pattern(text)), HOURS[cycle], ZONE_FIELDS.get(options.get("timeZoneName")))
    if locale.language == "en":
        pieces = _thin_space_before_half(pieces)
    system = options.get("numberingSystem") or next(iter(re.findall(r"-u-.*\bnu-(\w+)", tag)), None)
    system = system or locale.default_numbering_system
    resolved: dict[str, object] = {"locale": name, "calendar": "gregory", "numberingSystem": system}
    if any(isinstance(piece, tuple) and piece[0] in "hHkK" for piece in pieces):
        resolved |= {"hourCycle": cycle, "hour12": cycle in ("h11", "h12")}
    return Recipe(locale, tuple(pieces), DIGITS.get(system), resolved)


# -- formatting


class Moment(NamedTuple):
    """One instant on the clocks of a zone. at: like it, in a year that Python's dates reach; year: the true one."""

    at: datetime
    year: int
    zone: str


CYCLE = 146_097 * 86_400_000
"""Milliseconds in 400 years, after which the calendar repeats."""


def moment(millis: float, zone: str) -> Moment:
    cycles = 0
    while millis < -62_135_000_000_000 + 2 * 86_400_000:
        millis, cycles = millis + CYCLE, cycles - 400
    while millis > 253_402_000_000_000 - 2 * 86_400_000:
        millis, cycles = millis - CYCLE, cycles + 400
    exact = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)
    fixed = re.fullmatch(r"([+-])(\d\d):?(\d\d)", zone) if zone[:1] in ("+", "-") else None
    if fixed:
        shift = timedelta(hours=int(fixed[2]), minutes=int(fixed[3]))
        at = exact.astimezone(timezone(-shift if fixed[1] == "-" else shift))
    else:
        at = exact.astimezone(ZoneInfo(zone))
    return Moment(at, at.year + cycles, zone)


def format_parts(tag: str, options: str, zone: str, millis: float) -> list[tuple[str, str]]:
    """(type, value) of each part. Raises ValueError for options that are not valid."""
    found = recipe(tag, options)
    now = moment(millis, zone)
    parts: list[tuple[str, str]] = []
    for piece in found.pieces:
        kind, text = (
            ("literal", piece) if isinstance(piece, str) else (KINDS[piece[0]], _field(found.locale, now, *piece))
        )
        if found.digits is not None and not isinstance(piece, str):
            text = text.translate(str.maketrans("0123456789", found.digits))
        if kind == "literal" and parts and parts[-1][0] == "literal":
            parts[-1] = ("literal", parts[-1][1] + text)
        else:
            parts.append((kind, text))
    return parts


_NUMBERS: Mapping[str, Callable[[datetime], int]] = {
    "d": lambda at: at.day,
    "m": lambda at: at.minute,
    "s": lambda at: at.second,
    "H": lambda at: at.hour,
    "k": lambda at: at.hour or 24,
    "K": lambda at: at.hour % 12,
    "h": lambda at: at.hour % 12 or 12,
}


def _field(locale: Locale, now: Moment, letter: str, size: int) -> str:
    at = now.at
    number = _NUMBERS.get(letter)
    if number is not None:
        return str(number(at)).zfill(size)
    if letter in "yYr":
        year = now.year if now.year > 0 else 1 - now.year
        return f"{year % 100:02}" if size == 2 else str(year)
    if letter in "ML":
        return f"{at.month:0{size}}" if size < 3 else str(_names(locale.months, letter == "L", size)[at.month])
    if letter in "Ec":
        return str(_names(locale.days, letter == "c", size)[at.weekday()])
    if letter == "S":
        return f"{at.microsecond // 1000:03}"[:size]
    if letter == "G":
        return str(locale.eras[{4: "wide", 5: "narrow"}.get(size, "abbreviated")][int(now.year > 0)])
    if letter in "abB":
        return _half(locale, at.hour, size)
    return _zone_name(locale, now, letter, size)


def _names(table: Any, standalone: bool, size: int) -> Any:
    width = {4: "wide", 5: "narrow", 6: "short"}.get(size, "abbreviated")
    return table["stand-alone" if standalone else "format"][width]


def _half(locale: Locale, hour: int, size: int) -> str:
    names = locale.day_periods["format"]
    width = {4: "wide", 5: "narrow"}.get(size, "abbreviated")
    return str(names.get(width, names["wide"])["am" if hour < 12 else "pm"])


def _offset_name(locale: Locale, now: Moment, size: int) -> str:
    shift = now.at.utcoffset() or timedelta()
    minutes = round(shift.total_seconds() / 60)
    minus = "−" if locale.language in LONG_MINUS else "-"
    sign, hours, rest = minus if minutes < 0 else "+", *divmod(abs(minutes), 60)
    gmt = OFFSETS_BEHIND.get(locale.language) or str(locale.zone_formats["gmt"])
    if size == 4:
        return gmt % f"{sign}{hours:02}:{rest:02}"
    return gmt % f"{sign}{hours}{f':{rest:02}' if rest else ''}"


def _zone_name(locale: Locale, now: Moment, letter: str, size: int) -> str:
    if letter == "O":
        return _offset_name(locale, now, size)
    zone = OLD_NAMES.get(now.zone, now.zone)
    if zone in ("UTC", "Etc/UTC", "GMT", "Etc/GMT") and letter == "z":
        return (
            "UTC"
            if size < 4 and "UTC" in zone
            else str(
                get_timezone_name(
                    datetime(2024, 1, 1, tzinfo=ZoneInfo("UTC")), "long" if size == 4 else "short", locale=locale
                )
            )
        )
    width = "long" if size == 4 else "short"
    kind = {"v": "generic"}.get(letter) or ("daylight" if now.at.dst() else "standard")
    name = _listed(locale, zone, width, kind)
    return name or _offset_name(locale, now, size)


def _listed(locale: Locale, zone: str, width: str, kind: str) -> str | None:
    """CLDR's name of a zone, or of the group of zones that it belongs to, where the locale has one in common use."""
    own = locale.time_zones.get(zone, {}).get(width, {}).get(kind)
    if own is not None:
        return str(own)
    group = get_global("meta_zones").get(zone)
    names = locale.meta_zones.get(group, {}) if group else {}
    found = names.get(width, {}).get(kind)
    return None if found is None or found == "∅∅∅" else str(found)


def resolve(tag: str, options: str) -> str:
    return json.dumps(dict(recipe(tag, options).resolved))


def format_date(tag: str, options: str, zone: str, millis: float) -> str:
    """JSON of the parts."""
    return json.dumps(format_parts(tag, options, zone, millis))


def zone_name(zone: str, millis: float) -> str:
    """The long English name of a zone at this time. Raises LookupError, ValueError for an unknown zone."""
    return _zone_name(Locale.parse("en_US"), moment(millis, zone), "z", 4)
