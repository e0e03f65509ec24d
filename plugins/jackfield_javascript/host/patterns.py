"""Which pattern of a locale fits the fields that a script asks for.

After UTS 35, "Matching Skeletons", and how ICU carries it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from babel import Locale

Pieces: TypeAlias = "list[tuple[str, int] | str]"
"""A pattern in pieces: a field as its letter and length, or literal text."""

DATE_FIELDS = "GyMEd"
HOURS = {"h12": "h", "h23": "H", "h11": "K", "h24": "k"}
PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")
STYLES = ("full", "long", "medium", "short")
ZONE_FIELDS = {
    "short": "z",
    "long": "zzzz",
    "shortOffset": "O",
    "longOffset": "OOOO",
    "shortGeneric": "v",
    "longGeneric": "vvvv",
}
TEXT_WIDTHS = {"narrow": 5, "short": 3, "long": 4}
# CLDR has these forms of "date at time" beside its plain ones; babel's data leaves them out.
JOINERS = {
    "ar": {"full": "{1} 'في' {0}", "long": "{1} 'في' {0}"},
    "da": {"full": "{1} 'kl'. {0}", "long": "{1} 'kl'. {0}"},
    "de": {"full": "{1} 'um' {0}", "long": "{1} 'um' {0}"},
    "en": {"full": "{1} 'at' {0}", "long": "{1} 'at' {0}"},
    "es": {"long": "{1} 'a' 'las' {0}"},
    "fi": {"full": "{1} 'klo' {0}", "long": "{1} 'klo' {0}"},
    "fr": {"full": "{1} 'à' {0}", "long": "{1} 'à' {0}"},
    "it": {"full": "{1} 'alle' 'ore' {0}", "long": "{1} 'alle' 'ore' {0}"},
    "nb": {"full": "{1} 'kl'. {0}", "long": "{1} 'kl'. {0}"},
    "nl": {"full": "{1} 'om' {0}", "long": "{1} 'om' {0}"},
    "ru": {"full": "{1} 'в' {0}", "long": "{1} 'в' {0}"},
    "pt": {"full": "{1} 'às' {0}", "long": "{1} 'às' {0}", "medium": "{1}, {0}", "short": "{1}, {0}"},
    "sv": {"full": "{1} 'kl'. {0}", "long": "{1} 'kl'. {0}"},
}


class Pattern(NamedTuple):
    """A pattern that a locale offers. fields: letter -> length; exact: it was listed under just these fields."""

    fields: dict[str, int]
    text: str
    exact: bool


def split_pattern(pattern: str) -> Iterator[tuple[str, int] | str]:
    for match in PIECE.finditer(pattern):
        text, letter = match.group(), match.group(2)
        if letter is not None:
            yield letter, len(text)
        elif match.group(1) is not None:
            yield match.group(1).replace("''", "'") or "'"
        else:
            yield text


def join_pattern(pieces: Pieces) -> str:
    """The pattern again. Literal text that stands side by side becomes one, lest two quotes meet."""
    text = ""
    literal = ""
    for piece in [*pieces, ("", 0)]:
        if isinstance(piece, str):
            literal += piece
            continue
        if literal:
            text += "'" + literal.replace("'", "''") + "'"
        text, literal = text + piece[0] * piece[1], ""
    return text


def _canonical(letter: str) -> str:
    return {"L": "M", "c": "E", "K": "h", "k": "H", "v": "z", "O": "z"}.get(letter, letter)


def _fields(skeleton: str) -> dict[str, int]:
    pieces = [piece for piece in split_pattern(skeleton) if isinstance(piece, tuple)]
    return {_canonical(letter): size for letter, size in pieces if letter not in "aBb"}


def _kind(letter: str, size: int) -> int:
    """A number for a field's look: close numbers look alike, a name and a number never do."""
    if letter in "EGvzO" or (letter == "M" and size > 2):
        return {5: -0x101, 6: -0x102, 4: -0x104}.get(size, -0x103)
    return 0x100 + size


def _distance(wanted: Mapping[str, int], offered: Mapping[str, int]) -> int:
    total = 0x1000 * len(wanted.keys() - offered.keys()) + 0x10000 * len(offered.keys() - wanted.keys())
    return total + sum(
        abs(_kind(key, wanted[key]) - _kind(key, offered[key])) for key in wanted.keys() & offered.keys()
    )


@lru_cache(maxsize=64)
def _offered(locale: Locale) -> list[Pattern]:
    skeletons = locale.datetime_skeletons
    found = [
        Pattern(_fields(key), str(value.pattern), True)
        for key, value in skeletons.items()
        if not set(key) & set("BQwW")
    ]
    for style in STYLES:
        for formats in (locale.date_formats, locale.time_formats):
            text = str(formats[style].pattern)
            found.append(Pattern(_fields(text), text, False))
    return found


def _adjusted(pattern: Pattern, wanted: Mapping[str, int]) -> str:
    pieces: Pieces = []
    for piece in split_pattern(pattern.text):
        if isinstance(piece, tuple) and (key := _canonical(piece[0])) in wanted:
            letter, size = piece
            asked, offered = wanted[key], pattern.fields.get(key, 0)
            named, wants_name = _kind(key, size) < 0, _kind(key, offered) < 0
            if key == "E" or not (pattern.exact and (asked == offered or named != wants_name)):
                size = asked if named == (_kind(key, asked) < 0) else size
            pieces.append((letter, size))
        else:
            pieces.append(piece)
    return join_pattern(pieces)


def _part(locale: Locale, wanted: Mapping[str, int]) -> str:
    """A pattern for these fields; what no pattern has is put behind it."""
    best = min(_offered(locale), key=lambda offered: _distance(wanted, offered.fields))
    shared = (wanted.keys() & best.fields.keys()) - {"z"}
    if any(_kind(key, wanted[key]) != _kind(key, best.fields[key]) for key in shared):
        best = best._replace(exact=False)
    if not best.fields.keys() <= wanted.keys():
        letter, *rest = wanted
        first = join_pattern([(letter, wanted[letter])])
        return f"{first} {_part(locale, {key: wanted[key] for key in rest})}" if rest else first
    text = _adjusted(best, wanted)
    missing = {key: size for key, size in wanted.items() if key not in best.fields}
    if "S" in missing:
        size = missing.pop("S")
        point = locale.number_symbols.get("latn", {}).get("decimal", ".")
        text = (
            text.replace("s", f"s'{point}'{'S' * size}", 1)
            if "ss" not in text
            else text.replace("ss", f"ss'{point}'{'S' * size}", 1)
        )
    for key, size in missing.items():
        text = f"{text} {key * size}"
    return text


def join_parts(locale: Locale, style: str, date: str, time: str) -> str:
    glue = JOINERS.get(locale.language, {}).get(style) or str(locale.datetime_formats[style])
    return glue.replace("{1}", date).replace("{0}", time)


def field_pattern(locale: Locale, wanted: dict[str, int]) -> str:
    if any(offered.fields.keys() == wanted.keys() for offered in _offered(locale)):
        return _part(locale, wanted)
    date = {key: size for key, size in wanted.items() if key in DATE_FIELDS}
    time = {key: size for key, size in wanted.items() if key not in DATE_FIELDS}
    if not (date and time):
        return _part(locale, wanted)
    style = "short"
    if date.get("M", 0) == 3:
        style = "medium"
    elif date.get("M", 0) >= 4:
        style = "full" if "E" in date else "long"
    return join_parts(locale, style, _part(locale, date), _part(locale, time))


def wanted_fields(options: Mapping[str, Any], hour: str) -> dict[str, int]:
    wanted: dict[str, int] = {}
    for name, letter in (
        ("era", "G"),
        ("year", "y"),
        ("month", "M"),
        ("weekday", "E"),
        ("day", "d"),
        ("hour", hour),
        ("minute", "m"),
        ("second", "s"),
    ):
        look = options.get(name)
        if look is not None:
            wanted[letter] = TEXT_WIDTHS.get(look) or (2 if look == "2-digit" else 1)
    if digits := options.get("fractionalSecondDigits"):
        wanted["S"] = int(digits)
    if zone := options.get("timeZoneName"):
        field = ZONE_FIELDS[zone]
        wanted["z"] = len(field)
    return wanted


def styled_pattern(locale: Locale, options: Mapping[str, Any]) -> str:
    date, time = options.get("dateStyle"), options.get("timeStyle")
    if date and time:
        return join_parts(locale, date, str(locale.date_formats[date].pattern), str(locale.time_formats[time].pattern))
    return str(locale.date_formats[date].pattern if date else locale.time_formats[time].pattern)
