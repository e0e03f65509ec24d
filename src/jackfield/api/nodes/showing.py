"""Whether a field of a form is shown: n8n's rules for `displayOptions`.

The browser has the same rules in TypeScript; both are held to the cases of `tests/kernel/showing.json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from ..jsontext import Json
from .forms import NodeField, When

Values = Mapping[str, Json]
"""The values of one level, with the defaults of what is not set."""


def is_shown(when: When | None, values: Values, top: Values, version: float) -> bool:
    """`values`: beside the field. `top`: of the whole node.

    The function looks at the keys of `show` in turn. One that does not fit hides the field. One with an expression
    shows it, whatever comes after, because its value is not known yet.
    """
    if when is None:
        return True
    for name, wanted in when.show.items():
        found = _values(name, values, top, version)
        if any(isinstance(one, str) and one.startswith("=") for one in found):
            return True
        if not _fit(found, wanted):
            return False
    hiding = ((_values(name, values, top, version), wanted) for name, wanted in when.hide.items())
    return not any(found and _fit(found, wanted) for found, wanted in hiding)


def shown_fields(fields: Sequence[NodeField], values: Values, top: Values, version: float) -> list[NodeField]:
    """Those that are shown, of each name the first."""
    shown: dict[str, NodeField] = {}
    for field in fields:
        if field.name not in shown and is_shown(field.when, values, top, version):
            shown[field.name] = field
    return list(shown.values())


def _values(name: str, values: Values, top: Values, version: float) -> Sequence[Json]:
    """Of a list, its elements; of a locator, what it names."""
    if name == "@version":
        return [version]
    at = cast("Json", top if name.startswith("/") else values)
    for step in name.removeprefix("/").split("."):
        if isinstance(at, list) and step.isdecimal():
            at = at[int(step)] if int(step) < len(at) else None
        else:
            at = at.get(step) if isinstance(at, Mapping) else None
    if isinstance(at, dict) and at.get("__rl"):
        at = at.get("value")
    return at if isinstance(at, list) else [at]


def _fit(found: Sequence[Json], wanted: Sequence[Json]) -> bool:
    """One of the wanted values must be there; a condition must hold for all that is there."""
    return any(_holds(found, asked) for asked in wanted)


def _holds(found: Sequence[Json], asked: Json) -> bool:
    condition = asked.get("_cnd") if isinstance(asked, dict) and len(asked) == 1 else None
    if not isinstance(condition, dict) or not condition:
        return any(_same(one, asked) for one in found if not isinstance(asked, dict | list))
    name, bound = next(iter(condition.items()))
    if not found:
        return name == "not"
    test = _CONDITIONS.get(name)
    return test is not None and all(test(one, bound) for one in found)


def _same(value: Json, asked: Json) -> bool:
    """JavaScript's `===` for plain values: `true` is not 1."""
    return isinstance(value, bool) == isinstance(asked, bool) and value == asked


def _ordered(compare: Callable[[float, float], bool]) -> Callable[[Json, Json], bool]:
    """Numbers, or texts by their characters; nothing else has an order here."""

    def fits(value: Json, bound: Json) -> bool:
        if isinstance(value, str) and isinstance(bound, str):
            return compare((value > bound) - (value < bound), 0)
        return _is_number(value) and _is_number(bound) and compare(cast("float", value), cast("float", bound))

    return fits


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _between(value: Json, bound: Json) -> bool:
    low, high = (bound.get("from"), bound.get("to")) if isinstance(bound, dict) else (None, None)
    return _CONDITIONS["gte"](value, low) and _CONDITIONS["lte"](value, high)


def _text(test: Callable[[str, str], bool]) -> Callable[[Json, Json], bool]:
    return lambda value, bound: isinstance(value, str) and isinstance(bound, str) and test(value, bound)


_CONDITIONS: Mapping[str, Callable[[Json, Json], bool]] = {
    "eq": _same,
    "not": lambda value, bound: not _same(value, bound),
    "gte": _ordered(lambda left, right: left >= right),
    "lte": _ordered(lambda left, right: left <= right),
    "gt": _ordered(lambda left, right: left > right),
    "lt": _ordered(lambda left, right: left < right),
    "between": _between,
    "startsWith": _text(str.startswith),
    "endsWith": _text(str.endswith),
    "includes": _text(lambda value, bound: bound in value),
    "regex": _text(lambda value, bound: re.search(bound, value) is not None),
    "exists": lambda value, bound: value is not None and value != "",
}
