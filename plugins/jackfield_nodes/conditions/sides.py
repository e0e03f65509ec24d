"""The two sides of a condition, as the operator's type.

A side is JSON, `UNDEFINED`, or a number that JSON does not have: NaN and the infinite ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, tzinfo
from math import isnan
from types import MappingProxyType
from typing import NamedTuple

from jackfield.api.javascript import UNDEFINED, text_number, to_boolean, to_string
from jackfield_nodes.conditions.questions import Answers, Question, date_of, unanswered
from jackfield_nodes.values.conversions import text_of, to_array, to_object, type_name, with_article

_LONGEST_NUMBER = 400
_AS_IT_IS: Mapping[str, type] = {"string": str, "number": int, "boolean": bool}
"""Values of these types are themselves, whatever the rules."""
_STRICT: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict, list),
}


class Rules(NamedTuple):
    """How one block is evaluated. zone: of dates without offset; answers: see `Question`; warn: told of unknown
    operators."""

    loose: bool = False
    ignore_case: bool = False
    version: float = 1
    zone: tzinfo = UTC
    answers: Answers = MappingProxyType({})
    warn: Callable[[str], None] = lambda _: None


def is_nothing(value: object) -> bool:
    """null and undefined."""
    return value is None or value is UNDEFINED


def number_of(value: object) -> int | float:
    """`Number(value)`"""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value
    if value is None:
        return 0
    text = to_string(value)
    return text_number(text) if len(text) <= _LONGEST_NUMBER else float("nan")


def _number(value: object) -> int | float:
    if isinstance(value, float) and isnan(value):
        return value
    found = number_of(value)
    if isnan(found):
        raise ValueError
    return found


def _named_truth(value: object) -> bool | None:
    """The values that name a truth value, or are the number of one."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value.lower() in ("true", "false"):
            return value.lower() == "true"
        if not value.strip():
            return None
    number = number_of(value)
    return bool(number) if number in (0, 1) else None


def _truth(value: object, version: float) -> bool:
    named = _named_truth(value) if version >= 2 else None
    return to_boolean(value) if named is None else named


def _object(value: object) -> object:
    """A list is read by its text, which names an object when its only element is the text of one."""
    text = to_string(value) if isinstance(value, list) else value
    return None if isinstance(text, str) and text.strip() == "null" else to_object(text)


_LOOSE: Mapping[str, Callable[[object], object]] = {
    "string": text_of,
    "number": _number,
    "array": to_array,
    "object": _object,
}


def date_text(value: object) -> str:
    """The text that is read as a date."""
    return to_string(value).strip()


def asked_dates(value: object, kind: str, rules: Rules) -> Iterator[Question]:
    """The questions to answer before `side_of`."""
    if kind == "dateTime" and not is_nothing(value):
        yield from unanswered(date_text(value), "luxon", rules.zone)


def side_of(value: object, kind: str, rules: Rules) -> object:
    """The value as this type. Raises ValueError that says what is wrong."""
    if type(value) is _AS_IT_IS.get(kind):
        return value
    if is_nothing(value) or kind == "any":
        return value
    if kind == "dateTime":
        found = date_of(date_text(value), "luxon", rules.zone, rules.answers)
        if found is None:
            raise ValueError(f"{with_article(type_name(value))} that is no date")
        return found
    if kind == "boolean" and rules.loose:
        return _truth(value, rules.version)
    if kind not in _STRICT:
        return value
    if kind == "number" and rules.version >= 3 and (value == [] or (isinstance(value, str) and not value.strip())):
        return None
    return _converted(value, kind, rules)


def _converted(value: object, kind: str, rules: Rules) -> object:
    fits = isinstance(value, _STRICT[kind]) and not (kind == "number" and isinstance(value, bool))
    if not rules.loose and not fits:
        raise ValueError(f"{with_article(type_name(value))}, but {with_article(kind)} is expected")
    if kind in ("string", "boolean") and fits:
        return value
    try:
        return _LOOSE[kind](value)
    except ValueError:
        raise ValueError(f"{with_article(type_name(value))} that cannot be read as {with_article(kind)}") from None
