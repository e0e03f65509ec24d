"""Filters of templates. A filter gets a value that is there and its argument; None means: not there."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from math import isfinite
from typing import TypeAlias
from urllib.parse import quote

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads
from jackfield_vendors.dates import iso_time

Filter: TypeAlias = Callable[[Json, str], Json]
_MILLISECONDS = 10**11
"""A greater number of a time counts milliseconds."""
_LONGEST = 100_000
"""Characters in which a pattern is looked for."""


def _text(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value).decode()


def to_json(value: Json, _: str) -> Json:
    """A text as the JSON that it is; else the value itself; None for what is no JSON."""
    if not isinstance(value, str):
        return value
    try:
        return loads(value, max_depth=200)
    except InvalidInput:
        return None


def number(value: Json, _: str) -> Json:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = float(value)
    except ValueError:
        return None
    if not isfinite(found):
        return None
    return int(found) if found.is_integer() else found


def boolean(value: Json, _: str) -> Json:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return bool(value)


def csv(value: Json, _: str) -> Json:
    """A list as it is; a text split at its commas."""
    if isinstance(value, list):
        return value
    return [part.strip() for part in _text(value).split(",") if part.strip()]


def encoded(value: Json, _: str) -> Json:
    return base64.b64encode(_text(value).encode()).decode()


def decoded(value: Json, _: str) -> Json:
    try:
        return base64.b64decode(_text(value)).decode("utf-8", "replace")
    except ValueError:
        return None


def snake(value: Json, _: str) -> Json:
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", _text(value))
    return re.sub(r"[^0-9A-Za-z\u00c0-\uffff]+", "_", spaced).strip("_").lower()


def before(value: Json, mark: str) -> Json:
    """Up to the last mark."""
    head, found, _ = _text(value).rpartition(mark)
    return head if found else _text(value)


def after(value: Json, mark: str) -> Json:
    """Behind the last mark; None without one."""
    _, found, tail = _text(value).rpartition(mark)
    return tail if found else None


def match(value: Json, pattern: str) -> Json:
    """The first group of the first match, or the match; None without one, and for a text so long that looking would
    take long."""
    text = _text(value)
    found = re.search(pattern, text) if len(text) <= _LONGEST else None
    return None if found is None else found[1] if found.re.groups else found[0]


def get(value: Json, name: str) -> Json:
    """The value under this name, which may have dots, else at this path."""
    if isinstance(value, dict) and name in value:
        return value[name]
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def first(value: Json, _: str) -> Json:
    return (value[0] if value else None) if isinstance(value, list) else value


def pick(value: Json, name: str) -> Json:
    """The field of this name, which may have dots."""
    return value.get(name) if isinstance(value, dict) else None


def ascii_json(value: Json, _: str) -> Json:
    """JSON that fits into a header."""
    return json.dumps(value, ensure_ascii=True)


def last(value: Json, _: str) -> Json:
    return (value[-1] if value else None) if isinstance(value, list) else value


def pluck(value: Json, name: str) -> Json:
    """A field of each element of a list."""
    if not isinstance(value, list):
        return None
    return [row[name] for row in value if isinstance(row, dict) and row.get(name) is not None]


def find(value: Json, condition: str) -> Json:
    """The first element, of a list or of an object's values, whose field equals: `type=title`."""
    name, _, wanted = condition.partition("=")
    rows = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return next((row for row in rows if isinstance(row, dict) and row.get(name) == wanted), None)


def alike(value: Json, name: str) -> Json:
    """A field that is the same in every element of a list; None where one has another or lacks it."""
    found = [row.get(name) if isinstance(row, dict) else None for row in value] if isinstance(value, list) else []
    return found[0] if found and all(one == found[0] for one in found) else None


def rest(value: Json, _: str) -> Json:
    """A list without its first element."""
    return value[1:] if isinstance(value, list) else None


def lines(value: Json, _: str) -> Json:
    """The lines of a text that are not empty."""
    return [line.strip() for line in _text(value).splitlines() if line.strip()]


def join(value: Json, mark: str) -> Json:
    return mark.join(_text(part) for part in value) if isinstance(value, list) else _text(value)


def head(value: Json, size: str) -> Json:
    """The first characters, as many as the argument says."""
    return _text(value)[: int(size)]


def equals(value: Json, wanted: str) -> Json:
    return _text(value) == wanted


def plus(value: Json, added: str) -> Json:
    found = number(value, "")
    return found + int(added) if isinstance(found, int | float) else None


def times(value: Json, factor: str) -> Json:
    found = number(value, "")
    return found * int(factor) if isinstance(found, int | float) else None


def capital(value: Json, _: str) -> Json:
    """With an upper-case first letter."""
    return _text(value)[:1].upper() + _text(value)[1:]


def from_hex(value: Json, _: str) -> Json:
    """A number in base 16, such as `#ff0000`; None for anything else."""
    digits = _text(value).lstrip("#")
    return int(digits, 16) if re.fullmatch(r"[0-9A-Fa-f]{1,12}", digits) else None


def quoted(value: Json, _: str) -> Json:
    """In single quotes, as Google's search languages want it."""
    return "'" + _text(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def odata(value: Json, _: str) -> Json:
    """In single quotes, as OData wants it."""
    return "'" + _text(value).replace("'", "''") + "'"


def segments(value: Json, _: str) -> Json:
    """A path, each of its names percent-encoded; none leads upwards."""
    names = (name for name in _text(value).strip("/").split("/") if name not in ("", ".", ".."))
    return "/".join(quote(name, safe="", errors="replace") for name in names)


def percent(value: Json, _: str) -> Json:
    """Percent-encoded, as a header or a part of an address wants it."""
    return quote(_text(value), safe="!'()*", errors="replace")


def epoch(value: Json, _: str) -> Json:
    """Unix seconds of an ISO time or of seconds or milliseconds; a time without a zone is in UTC."""
    found = _seconds(value)
    return None if found is None else int(found)


def millis(value: Json, _: str) -> Json:
    """The same in milliseconds."""
    found = _seconds(value)
    return None if found is None else round(found * 1000)


def _seconds(value: Json) -> float | None:
    if isinstance(found := number(value, ""), int | float):
        return found / 1000 if abs(found) > _MILLISECONDS else found
    try:
        read = datetime.fromisoformat(_text(value).strip())
    except ValueError:
        return None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def later(value: Json, seconds: str) -> Json:
    """The time that many seconds later, in UTC."""
    begin = epoch(value, "")
    try:
        return iso_time((begin + int(seconds)) * 1000) if isinstance(begin, int) else None
    except (ValueError, OverflowError, OSError):
        return None


FILTERS: Mapping[str, Filter] = {
    "after": after,
    "alike": alike,
    "ascii": ascii_json,
    "base64": encoded,
    "before": before,
    "boolean": boolean,
    "capital": capital,
    "csv": csv,
    "epoch": epoch,
    "equals": equals,
    "find": find,
    "first": first,
    "frombase64": decoded,
    "get": get,
    "head": head,
    "hex": from_hex,
    "join": join,
    "json": to_json,
    "last": last,
    "later": later,
    "lines": lines,
    "lower": lambda value, _: _text(value).lower(),
    "match": match,
    "millis": millis,
    "number": number,
    "odata": odata,
    "percent": percent,
    "pick": pick,
    "pluck": pluck,
    "plus": plus,
    "quoted": quoted,
    "rest": rest,
    "replace": lambda value, pair: _text(value).replace(*(pair.split("=", 1) if "=" in pair else (pair, ""))),
    "segments": segments,
    "snake": snake,
    "text": lambda value, _: _text(value),
    "times": times,
    "twice": lambda value, _: times(value, "2"),
    "upper": lambda value, _: _text(value).upper(),
}
ARGUMENTS: Mapping[str, Callable[[str], object]] = {
    "head": int,
    "later": int,
    "match": re.compile,
    "plus": int,
    "times": int,
}
"""The function that reads a filter's argument; an argument that it cannot read is a mistake of the description."""
