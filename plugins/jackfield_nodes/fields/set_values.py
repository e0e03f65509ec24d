"""The values that Set writes: in the types of their fields, and at their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import tzinfo
from math import isnan
from typing import NamedTuple, TypeAlias
from urllib.parse import urlsplit

from jackfield.api.dates import iso
from jackfield.api.errors import InvalidInput
from jackfield.api.javascript import UNDEFINED
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import BinaryData
from jackfield_nodes.values.conversions import (
    CONVERSIONS,
    UnfitValue,
    text_of,
    to_boolean,
    to_number,
    to_object,
    type_name,
    with_article,
)
from jackfield_nodes.values.dates import to_moment
from jackfield_nodes.values.json_repair import repaired
from jackfield_nodes.values.paths import is_path, remove_path, set_path

Row: TypeAlias = "tuple[str, str | None, object]"
"""Name, type (None: as it is) and value of one field."""

_CLOCK = re.compile(r"\d{2}:\d{2}(:\d{2})?([-+]\d{4})?([-+]\d{1,2}(:\d{2})?)?", re.ASCII)
_SCHEMES = re.compile(r"(?:https?|ftp|file)://[^\s/?#]", re.IGNORECASE)


def own_key(json: Mapping[str, Json], name: str) -> str:
    """The name of a field without dot notation: `['a b']` is `a b`, unless a field is spelled so."""
    quoted = len(name) > 3 and (name[:2], name[-2:]) in {("['", "']"), ('["', '"]')}
    return name[2:-2] if quoted and name not in json else name


def write(json: dict[str, Json], name: str, value: object, *, dots: bool) -> None:
    """Set one field of the caller's own object; `UNDEFINED` takes it away. Raises ValueError."""
    given: Json = None if value is UNDEFINED else value  # type: ignore[assignment]  # resolved parameters are JSON
    key = name if dots else own_key(json, name)
    if dots and is_path(name):
        set_path(json, name, given)
        if value is UNDEFINED:
            remove_path(json, name)
    elif value is UNDEFINED:
        json.pop(key, None)
    else:
        json[key] = given


def put(json: dict[str, Json], name: str, value: object, *, dots: bool) -> None:
    """Raises `NodeError` that names the field."""
    try:
        write(json, name, value, dots=dots)
    except ValueError as exc:
        raise NodeError(f"The field '{name}' cannot be set: {exc}.") from None


class Conversion(NamedTuple):
    """How one item's values get the types of their fields. ignore_errors: what does not fit stays as it is; zone: of
    dates without an offset."""

    ignore_errors: bool
    zone: Callable[[], tzinfo]

    def of_row(self, row: Row) -> Json:
        """Of one field, where undefined is null. Raises `NodeError` that names the field."""
        name, kind, value = row
        return self.fitted(name, kind, None if value is UNDEFINED else value)

    def fitted(self, name: str, kind: str | None, value: object) -> Json:
        """null stays null. Raises `NodeError` that names the field."""
        if type(value) is float and isnan(value):
            return self._not_a_number(name, kind)
        if kind == "string" and type(value) is str:
            return value
        converter = None if kind is None or value is None else self._converter(kind)
        if converter is None:
            return value  # type: ignore[return-value]  # resolved parameters are JSON
        try:
            return converter(value)
        except ValueError as exc:
            return self.unfit(name, str(kind), value, str(exc))

    def _not_a_number(self, name: str, kind: str | None) -> Json:
        """NaN is a text where one is wanted, and fits no other type. JSON has null for it."""
        if kind == "string":
            return "NaN"
        if kind is not None and self._converter(kind) is not None:
            self.unfit(name, kind, "NaN", "which is not a number")
        return None

    def unfit(self, name: str, kind: str, value: object, why: str) -> Json:
        """The value as it is. Raises `NodeError` unless errors are ignored."""
        if self.ignore_errors:
            return value  # type: ignore[return-value]
        raise NodeError(
            f"The field '{name}' expects {with_article(kind)} but got {with_article(type_name(value))}, {why}; "
            "change the field's type or turn on 'ignore conversion errors'."
        ) from None

    def json_object(self, name: str, value: object) -> Json:
        """An object, or what its JSON text says. Raises `NodeError`, also where errors are ignored."""
        return self._replace(ignore_errors=False).fitted(name, "object", value)

    def _converter(self, kind: str) -> Callable[[object], Json] | None:
        plain = kind.lower()
        if plain == "datetime":
            return self._date
        return _CONVERSIONS.get(plain)

    def _date(self, value: object) -> Json:
        return iso(to_moment(value, self.zone()))


def _clock(value: object) -> Json:
    text = text_of(value)
    if not _CLOCK.fullmatch(text):
        raise UnfitValue("not a time such as 10:30")
    return text


def _url(value: object) -> Json:
    text = text_of(value)
    if isinstance(value, str) and "://" not in text:
        text = f"https://{text}"
    try:
        fits = _SCHEMES.match(text) is not None and urlsplit(text).port != -1
    except ValueError:
        fits = False
    if not fits:
        raise UnfitValue("not a URL")
    return text


def _boolean(value: object) -> Json:
    return to_boolean(to_number(value) if isinstance(value, list) else value)


_CONVERSIONS: Mapping[str, Callable[[object], Json]] = {
    **CONVERSIONS,
    "boolean": _boolean,
    "time": _clock,
    "url": _url,
}


def _mended(text: str) -> Json:
    try:
        return loads(text)
    except InvalidInput:
        return repaired(text)


def raw_object(value: object) -> dict[str, Json]:
    """The object of raw mode, also from JSON with mistakes. Raises `NodeError`."""
    try:
        return to_object(_mended(value) if isinstance(value, str) else value)
    except ValueError as exc:
        raise NodeError(f"The parameter jsonOutput must be one JSON object; it is {exc}.") from None


def file_of(name: str, value: object, files: Mapping[str, BinaryData]) -> BinaryData:
    """The item's file that a field of the type binary names. Raises `NodeError`."""
    found = files.get(value) if isinstance(value, str) else None
    if found is None:
        raise NodeError(f"The field '{name}' names no file of the item; its files are {', '.join(files) or 'none'}.")
    return found
