"""Whether a field of a form is shown: n8n's rules for `displayOptions`.

The browser has the same rules in TypeScript; both are held to the cases of `tests/kernel/showing.json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ..jsontext import Json
from .forms import NodeField, When

Values = Mapping[str, Json]
"""The values of one level, with the defaults of what is not set."""


def is_shown(when: When | None, values: Values, top: Values, version: float) -> bool:
    """values: beside the field. top: of the whole node."""
    if when is None:
        return True
    found = {name: _value(name, values, top, version) for name in (*when.show, *when.hide)}
    if any(not _is_expression(found[name]) and _one_of(found[name], wanted) for name, wanted in when.hide.items()):
        return False
    return all(_is_expression(found[name]) or _one_of(found[name], wanted) for name, wanted in when.show.items())


def shown_fields(fields: Sequence[NodeField], values: Values, top: Values, version: float) -> list[NodeField]:
    """Those that are shown, of each name the first."""
    shown: dict[str, NodeField] = {}
    for field in fields:
        if field.name not in shown and is_shown(field.when, values, top, version):
            shown[field.name] = field
    return list(shown.values())


def _value(name: str, values: Values, top: Values, version: float) -> Json:
    if name == "@version":
        return version
    at: Json = dict(top if name.startswith("/") else values)
    for step in name.removeprefix("/").split("."):
        at = at.get(step) if isinstance(at, dict) else None
    return at.get("value") if isinstance(at, dict) and at.get("__rl") is True else at


def _is_expression(value: Json) -> bool:
    return isinstance(value, str) and value.startswith("=")


def _one_of(value: Json, wanted: Sequence[Json]) -> bool:
    """Of a list, one of its elements is enough."""
    given = value if isinstance(value, list) else [value]
    return any(_fits(one, asked) for one in given for asked in wanted)


def _fits(value: Json, asked: Json) -> bool:
    condition = asked.get("_cnd") if isinstance(asked, dict) else None
    if isinstance(condition, dict):
        return all(_CONDITIONS[name](value, bound) for name, bound in condition.items())
    return _same(value, asked)


def _same(value: Json, asked: Json) -> bool:
    """JavaScript's `===` for plain values: `true` is not 1."""
    return isinstance(value, bool) == isinstance(asked, bool) and value == asked


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _compared(compare: Callable[[float, float], bool]) -> Callable[[Json, Json], bool]:
    def fits(value: Json, bound: Json) -> bool:
        left, right = _number(value), _number(bound)
        return left is not None and right is not None and compare(left, right)

    return fits


def _between(value: Json, bound: Json) -> bool:
    if not isinstance(bound, dict):
        return False
    left, low, high = _number(value), _number(bound.get("from")), _number(bound.get("to"))
    return left is not None and low is not None and high is not None and low <= left <= high


def _text(test: Callable[[str, str], bool]) -> Callable[[Json, Json], bool]:
    return lambda value, bound: isinstance(value, str) and isinstance(bound, str) and test(value, bound)


_CONDITIONS: Mapping[str, Callable[[Json, Json], bool]] = {
    "eq": _same,
    "not": lambda value, bound: not _same(value, bound),
    "gte": _compared(lambda left, right: left >= right),
    "lte": _compared(lambda left, right: left <= right),
    "gt": _compared(lambda left, right: left > right),
    "lt": _compared(lambda left, right: left < right),
    "between": _between,
    "startsWith": _text(str.startswith),
    "endsWith": _text(str.endswith),
    "includes": _text(lambda value, bound: bound in value),
    "regex": _text(lambda value, bound: re.search(bound, value) is not None),
    "exists": lambda value, bound: (value is not None and value != "") == (bound is not False),
}
